// Tensors of ONNX files: raw, typed, sparse or external data, which must lie inside the model's folder.
#include "ir/formats/onnx/tensor_proto.hpp"

#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>

#include "ir/convert.hpp"
#include "ir/files/path_below.hpp"
#include "ir/files/read_file.hpp"
#include "ir/formats/onnx/unknown_fields.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ::onnx::TensorProto;

static_assert(std::endian::native == std::endian::little, "raw data is little-endian");

/// Copies numbers of a typed field, given as the wide type that carries them.
template <class T, class Field>
void copy_values(const Field& field, Tensor& tensor) {
  const auto to = tensor.as<T>();
  require(static_cast<std::size_t>(field.size()) == to.size(), "has ", field.size(), " values, ", tensor.type(),
          " wants ", to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto x = field[static_cast<int>(i)];
    if constexpr (std::is_same_v<T, bool>)
      to[i] = x != 0;
    else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
      to[i] = T::from_bits(static_cast<std::uint16_t>(x));  // the bits, in the low half
    else
      to[i] = static_cast<T>(x);
  }
}

template <class T, class Field>
void copy_complex(const Field& field, Tensor& tensor) {
  const auto to = tensor.as<std::complex<T>>();
  require(static_cast<std::size_t>(field.size()) == 2 * to.size(), "has ", field.size(), " values, ", tensor.type(),
          " wants ", 2 * to.size());
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = {field[static_cast<int>(2 * i)], field[static_cast<int>(2 * i + 1)]};
}

/// How many numbers the field holds that ONNX uses for this dtype.
std::size_t typed_values(const TensorProto& proto, DType dtype) {
  switch (dtype) {
    case DType::f32:
      return static_cast<std::size_t>(proto.float_data_size());
    case DType::f64:
      return static_cast<std::size_t>(proto.double_data_size());
    case DType::i64:
      return static_cast<std::size_t>(proto.int64_data_size());
    case DType::u32:
      return static_cast<std::size_t>(proto.uint64_data_size());
    case DType::c64:
      return static_cast<std::size_t>(proto.float_data_size()) / 2;
    case DType::c128:
      return static_cast<std::size_t>(proto.double_data_size()) / 2;
    default:
      return static_cast<std::size_t>(proto.int32_data_size());
  }
}

void copy_typed(const TensorProto& proto, Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::f32:
      return copy_values<float>(proto.float_data(), tensor);
    case DType::f64:
      return copy_values<double>(proto.double_data(), tensor);
    case DType::i64:
      return copy_values<std::int64_t>(proto.int64_data(), tensor);
    case DType::u32:
      return copy_values<std::uint32_t>(proto.uint64_data(), tensor);
    case DType::c64:
      return copy_complex<float>(proto.float_data(), tensor);
    case DType::c128:
      return copy_complex<double>(proto.double_data(), tensor);
    default:
      break;
  }
  visit_any(tensor.dtype(), [&]<class T>(T) {
    if constexpr (!is_complex(ir::dtype_of<T>)) copy_values<T>(proto.int32_data(), tensor);
  });
}

/// Bytes of a bool other than 0 and 1 mean true.
void normalise_bools(Tensor& tensor) {
  if (tensor.dtype() != DType::boolean) return;
  for (std::byte& byte : tensor.bytes()) byte = byte == std::byte{0} ? byte : std::byte{1};
}

std::uint64_t number_of(const std::string& text, std::string_view what) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(problem == std::errc{} && end == text.data() + text.size(), "external data: ", what,
          " must be a whole number, got '", text.substr(0, 40), "'");
  return value;
}

/// Where external data lies: at `offset` of a file, `length` bytes if that is said.
struct Location {
  std::filesystem::path file;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length = {};
};

Location location_of(const TensorProto& proto, const std::filesystem::path& directory) {
  Location found;
  std::string file;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") file = entry.value();
    if (entry.key() == "offset") found.offset = number_of(entry.value(), "offset");
    if (entry.key() == "length") found.length = number_of(entry.value(), "length");
  }
  require(files::stays_below(file), "external data: location must be a path below the model's folder, got '",
          file.substr(0, 80), "'");
  found.file = files::path_below(directory, file);
  return found;
}

template <class Proto>
Shape shape_of(const Proto& proto) {
  if (proto.dims_size() > max_rank)
    throw Unsupported(cat("has rank ", proto.dims_size(), ", at most ", max_rank, " is taken"));
  return Shape(std::vector<std::int64_t>(proto.dims().begin(), proto.dims().end()));
}

/// Types that ONNX 1.12 does not know (onnx.proto of ONNX 1.20).
constexpr std::string_view newer_types[] = {"float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",
                                            "int4",         "float4e2m1",     "float8e8m0", "uint2",          "int2"};
constexpr std::int64_t first_newer_type = 17;

}  // namespace

std::string type_name(std::int64_t onnx_type) {
  const auto newer = onnx_type - first_newer_type;
  if (newer >= 0 && newer < std::ssize(newer_types)) return std::string(newer_types[static_cast<std::size_t>(newer)]);
  const bool known = onnx_type > 0 && onnx_type <= 1000 && TensorProto::DataType_IsValid(static_cast<int>(onnx_type));
  std::string name = known ? TensorProto::DataType_Name(static_cast<TensorProto::DataType>(onnx_type)) : "";
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return known ? name : cat("type ", onnx_type);
}

DType dtype_of(std::int64_t onnx_type) {
  switch (onnx_type) {
    case TensorProto::FLOAT:
      return DType::f32;
    case TensorProto::DOUBLE:
      return DType::f64;
    case TensorProto::FLOAT16:
      return DType::f16;
    case TensorProto::BFLOAT16:
      return DType::bf16;
    case TensorProto::UINT8:
      return DType::u8;
    case TensorProto::INT8:
      return DType::i8;
    case TensorProto::UINT16:
      return DType::u16;
    case TensorProto::INT16:
      return DType::i16;
    case TensorProto::INT32:
      return DType::i32;
    case TensorProto::UINT32:
      return DType::u32;
    case TensorProto::INT64:
      return DType::i64;
    case TensorProto::BOOL:
      return DType::boolean;
    case TensorProto::COMPLEX64:
      return DType::c64;
    case TensorProto::COMPLEX128:
      return DType::c128;
    default:
      break;
  }
  throw Unsupported(cat("tensors of ", type_name(onnx_type), " are not read, for there is no dtype of that kind"));
}

void TensorReader::take(const TensorType& type) {
  check_type(type);
  const auto bytes = static_cast<std::uint64_t>(type.bytes());
  require(bytes <= bytes_left_, type, " needs ", bytes, " bytes, ", bytes_left_, " are left of what a file may take");
  bytes_left_ -= bytes;
}

Tensor TensorReader::read(const TensorProto& proto) {
  refuse_unknown_fields(proto);
  TensorType type{dtype_of(proto.data_type()), {}};
  type.shape = shape_of(proto);
  check_type(type);
  if (proto.has_segment()) throw Unsupported("is a segment of a tensor, and segments are not joined");
  if (proto.data_location() == TensorProto::EXTERNAL) return read_external(proto, type);
  const auto wanted = static_cast<std::size_t>(type.shape.elements());
  if (proto.has_raw_data())
    require(proto.raw_data().size() == type.bytes(), "has ", proto.raw_data().size(), " bytes of raw data, ", type,
            " wants ", type.bytes());
  else
    require(typed_values(proto, type.dtype) == wanted, "has ", typed_values(proto, type.dtype), " values, ", type,
            " wants ", wanted);
  take(type);
  Tensor tensor(type);
  if (proto.has_raw_data()) {
    if (!tensor.bytes().empty()) std::memcpy(tensor.bytes().data(), proto.raw_data().data(), tensor.bytes().size());
  } else {
    copy_typed(proto, tensor);
  }
  normalise_bools(tensor);
  return tensor;
}

Tensor TensorReader::read_external(const TensorProto& proto, const TensorType& type) {
  const Location from = location_of(proto, directory_);
  files::require_regular_file(from.file);
  const auto size = std::filesystem::file_size(from.file);
  require(from.length.value_or(type.bytes()) == type.bytes(), "external data has length ", from.length.value_or(0),
          ", ", type, " wants ", type.bytes());
  require(from.offset <= size && type.bytes() <= size - from.offset, "external data ends at byte ", size,
          " of its file, ", type, " at offset ", from.offset, " wants more");
  take(type);
  Tensor tensor(type);
  std::ifstream file(from.file, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(from.offset));
  file.read(reinterpret_cast<char*>(tensor.bytes().data()), static_cast<std::streamsize>(tensor.bytes().size()));
  require(file.good(), "external data cannot be read");
  normalise_bools(tensor);
  return tensor;
}

Tensor TensorReader::read(const ::onnx::SparseTensorProto& proto) {
  refuse_unknown_fields(proto);
  const Tensor values = read(proto.values()), indices = read(proto.indices());
  TensorType type{values.dtype(), {}};
  type.shape = shape_of(proto);
  take(type);
  Tensor dense(type);
  const auto strides = type.shape.strides();
  const auto at = indices.as<std::int64_t>();
  const auto width = info(type.dtype).bytes, count = static_cast<std::size_t>(values.elements());
  const bool linear = indices.shape().rank() == 1;
  const std::size_t rank = linear ? 1 : type.shape.size();
  require(at.size() == count * rank, "sparse: ", at.size(), " indices for ", count, " values of ", type);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t position = 0;
    for (std::size_t k = 0; k < rank; ++k) {
      const auto index = at[i * rank + k], extent = linear ? type.shape.elements() : type.shape[k];
      require(0 <= index && index < extent, "sparse: index ", index, " is outside extent ", extent);
      position += index * (linear ? 1 : strides[k]);
    }
    std::memcpy(dense.bytes().data() + static_cast<std::size_t>(position) * width, values.bytes().data() + i * width,
                width);
  }
  return dense;
}

}  // namespace plumb::ir::from_onnx
