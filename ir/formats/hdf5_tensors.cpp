#include "ir/formats/hdf5_tensors.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/formats/files.hpp"
#include "ir/hdf5/hdf5_use.hpp"

namespace plumb::ir::formats {
namespace {

/// Owns one HDF5 identifier, closed by the function that fits its kind.
template <herr_t (*close)(hid_t)>
class Id {
 public:
  explicit Id(hid_t id) : id_(id) { require(id >= 0, "HDF5 cannot read or write this: ", reason()); }
  ~Id() {
    if (id_ >= 0) close(id_);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Id& operator=(Id&&) = delete;
  operator hid_t() const { return id_; }

  /// The innermost entry of HDF5's error stack, which names the cause.
  static std::string reason() {
    std::string text = "unknown";
    const auto keep = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
      if (entry->desc != nullptr) *static_cast<std::string*>(out) = entry->desc;
      return 1;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep, &text);
    return text;
  }

 private:
  hid_t id_;
};

using FileId = Id<H5Fclose>;
using GroupId = Id<H5Gclose>;
using DatasetId = Id<H5Dclose>;
using SpaceId = Id<H5Sclose>;
using TypeId = Id<H5Tclose>;
using AttributeId = Id<H5Aclose>;
using ListId = Id<H5Pclose>;

void expect(herr_t status, std::string_view what) {
  require(status >= 0, "HDF5 cannot ", what, ": ", TypeId::reason());
}

/// IEEE binary16, which HDF5 names since 1.14.4 only.
TypeId half_type() {
  TypeId type(H5Tcopy(H5T_IEEE_F32LE));
  expect(H5Tset_fields(type, 15, 10, 5, 0, 10), "make a 16-bit float");
  expect(H5Tset_ebias(type, 15), "make a 16-bit float");
  expect(H5Tset_size(type, 2), "make a 16-bit float");
  return type;
}

TypeId bool_type() {
  TypeId type(H5Tenum_create(H5T_NATIVE_INT8));
  for (const std::int8_t value : {0, 1})
    expect(H5Tenum_insert(type, value != 0 ? "TRUE" : "FALSE", &value), "make an enum");
  return type;
}

TypeId complex_type(hid_t part, std::size_t width) {
  TypeId type(H5Tcreate(H5T_COMPOUND, 2 * width));
  expect(H5Tinsert(type, "r", 0, part), "make a compound");
  expect(H5Tinsert(type, "i", width, part), "make a compound");
  return type;
}

/// The HDF5 type of a dtype, in files and in memory.
TypeId type_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return bool_type();
    case DType::u8:
      return TypeId(H5Tcopy(H5T_STD_U8LE));
    case DType::i8:
      return TypeId(H5Tcopy(H5T_STD_I8LE));
    case DType::i16:
      return TypeId(H5Tcopy(H5T_STD_I16LE));
    case DType::i32:
      return TypeId(H5Tcopy(H5T_STD_I32LE));
    case DType::u32:
      return TypeId(H5Tcopy(H5T_STD_U32LE));
    case DType::i64:
      return TypeId(H5Tcopy(H5T_STD_I64LE));
    case DType::f16:
      return half_type();
    case DType::bf16:
      return TypeId(H5Tcopy(H5T_STD_U16LE));
    case DType::f32:
      return TypeId(H5Tcopy(H5T_IEEE_F32LE));
    case DType::f64:
      return TypeId(H5Tcopy(H5T_IEEE_F64LE));
    case DType::c64:
      return complex_type(H5T_IEEE_F32LE, 4);
    case DType::c128:
      return complex_type(H5T_IEEE_F64LE, 8);
  }
  fail("no such dtype");
}

constexpr const char* encoding = "encoding";

bool has_bfloat16_attribute(hid_t dataset) {
  if (H5Aexists(dataset, encoding) <= 0) return false;
  const AttributeId attribute(H5Aopen(dataset, encoding, H5P_DEFAULT));
  const TypeId type(H5Aget_type(attribute));
  if (H5Tget_class(type) != H5T_STRING) return false;
  const SpaceId space(H5Aget_space(attribute));
  if (H5Sget_simple_extent_npoints(space) != 1) return false;
  const std::string_view wanted = "bfloat16";
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    const TypeId memory(H5Tget_native_type(type, H5T_DIR_ASCEND));
    expect(H5Aread(attribute, memory, &text), "read an attribute");
    const bool same = text != nullptr && wanted == text;
    H5free_memory(text);
    return same;
  }
  const std::size_t size = H5Tget_size(type);
  if (size < wanted.size() || size > 64) return false;
  std::string text(size, '\0');
  expect(H5Aread(attribute, type, text.data()), "read an attribute");
  return std::string_view(text.c_str()) == wanted;
}

DType integer_dtype(hid_t type, hid_t dataset) {
  const std::size_t size = H5Tget_size(type);
  const bool is_signed_type = H5Tget_sign(type) == H5T_SGN_2;
  if (is_signed_type && size == 1) return DType::i8;
  if (is_signed_type && size == 2) return DType::i16;
  if (is_signed_type && size == 4) return DType::i32;
  if (is_signed_type && size == 8) return DType::i64;
  if (size == 1) return DType::u8;
  if (size == 4) return DType::u32;
  if (size == 2 && has_bfloat16_attribute(dataset)) return DType::bf16;
  if (size == 2) fail("is uint16, which is read only with the attribute encoding = \"bfloat16\"");
  fail("is an unsigned integer of ", size, " bytes, which no dtype of the IR is");
}

DType float_dtype(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (size == 4) return DType::f32;
  if (size == 8) return DType::f64;
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  expect(H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits), "read a type");
  require(size == 2 && exponent_bits == 5 && mantissa_bits == 10, "is a float of ", size, " bytes, ", exponent_bits,
          " of its bits exponent, which no dtype of the IR is");
  return DType::f16;
}

/// The dtype whose HDF5 type is the same but for the order of bytes.
DType dtype_of_type(hid_t type, hid_t dataset) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return integer_dtype(type, dataset);
    case H5T_FLOAT:
      return float_dtype(type);
    case H5T_ENUM: {
      const bool is_bool = H5Tequal(type, bool_type()) > 0;
      require(is_bool, "is an enum other than {FALSE = 0, TRUE = 1} of 8 bits");
      return DType::boolean;
    }
    case H5T_COMPOUND:
      for (const DType dtype : {DType::c64, DType::c128})
        if (H5Tequal(type, type_of(dtype)) > 0) return dtype;
      fail("is a compound other than {r, i} of two floats");
    default:
      fail("is neither numbers nor bools");
  }
}

/// A group cannot be a dataset, too: beside "a/b", the tensor "a" is the dataset "a/.self".
constexpr std::string_view self = "/.self";

std::string path_of(std::string_view name, const NamedTensors& all) {
  require(!name.ends_with(self), "'", name, "' cannot be the name of a dataset: ", self, " is what '",
          name.substr(0, name.size() - self.size()), "' may be stored as");
  const std::string group = cat(name, '/');
  const auto next = all.lower_bound(group);
  const bool is_group = next != all.end() && next->first.starts_with(group);
  return is_group ? cat(name, self) : std::string(name);
}

std::string name_of(std::string_view path) {
  return std::string(path.ends_with(self) ? path.substr(0, path.size() - self.size()) : path);
}

class Hdf5File final : public TensorFile {
 public:
  explicit Hdf5File(const std::filesystem::path& path) : name_(path.string()), file_(open(path)) {
    const auto visit = [](hid_t group, const char* name, const H5L_info_t* link, void* paths) -> herr_t {
      if (link->type != H5L_TYPE_HARD) return 0;  // a soft or external link may lead anywhere
      H5O_info_t object;
      if (H5Oget_info_by_name(group, name, &object, H5P_DEFAULT) < 0) return -1;
      if (object.type == H5O_TYPE_DATASET) static_cast<std::vector<std::string>*>(paths)->emplace_back(name);
      return 0;
    };
    std::vector<std::string> paths;
    expect(H5Lvisit(*file_, H5_INDEX_NAME, H5_ITER_INC, visit, &paths), "list the datasets");
    for (const std::string& one : paths)
      require(paths_.emplace(name_of(one), one).second, "two datasets stand for '", name_of(one), "'");
  }
  ~Hdf5File() override {
    const hdf5::Hdf5Use use(name_);
    file_.reset();
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, path] : paths_) names.push_back(name);
    return names;
  }
  bool contains(std::string_view name) const override { return paths_.contains(name); }

  TensorType type(std::string_view name) const override {
    const hdf5::Hdf5Use use(name_);
    const DatasetId dataset = open_dataset(name);
    return type_of_dataset(dataset, name);
  }

  Tensor read(std::string_view name) const override {
    const hdf5::Hdf5Use use(name_);
    const DatasetId dataset = open_dataset(name);
    Tensor tensor(type_of_dataset(dataset, name));
    const TypeId memory = type_of(tensor.dtype());
    if (tensor.elements() > 0)
      expect(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes().data()), cat("read '", name, "'"));
    if (tensor.dtype() == DType::boolean)
      for (const std::byte x : tensor.bytes())
        require(x <= std::byte{1}, "'", name, "' has a bool that is neither 0 nor 1");
    return tensor;
  }

 private:
  static FileId open(const std::filesystem::path& path) {
    require_regular_file(path);
    return FileId(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  }

  DatasetId open_dataset(std::string_view name) const {
    const auto found = paths_.find(name);
    require(found != paths_.end(), "has no dataset '", name, "'");
    return DatasetId(H5Dopen2(*file_, found->second.c_str(), H5P_DEFAULT));
  }

  static TensorType type_of_dataset(hid_t dataset, std::string_view name) try {
    const ListId list(H5Dget_create_plist(dataset));
    require(H5Pget_external_count(list) == 0, "keeps its data in another file");
    require(H5Pget_layout(list) != H5D_VIRTUAL, "is a virtual dataset");
    const SpaceId space(H5Dget_space(dataset));
    require(H5Sget_simple_extent_type(space) != H5S_NULL, "has no data");
    const int rank = H5Sget_simple_extent_ndims(space);
    require(rank >= 0 && rank <= max_rank, "has rank ", rank, ", at most ", max_rank, " is allowed");
    std::array<hsize_t, max_rank> extents{};
    expect(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "read the extents");
    const TypeId type(H5Dget_type(dataset));
    TensorType found{dtype_of_type(type, dataset), {}};
    for (int k = 0; k < rank; ++k)
      found.shape.push_back(static_cast<std::int64_t>(extents[static_cast<std::size_t>(k)]));
    check_type(found);
    return found;
  } catch (const Error& error) {
    fail("dataset '", name, "' ", error.what());
  }

  const std::string name_;
  std::optional<FileId> file_;
  std::map<std::string, std::string, std::less<>> paths_;  ///< by name
};

/// As a string of variable length, which h5py reads as str and not as bytes.
void mark_bfloat16(hid_t dataset) {
  const char* const text = "bfloat16";
  const TypeId type(H5Tcopy(H5T_C_S1));
  expect(H5Tset_size(type, H5T_VARIABLE), "make a string");
  expect(H5Tset_cset(type, H5T_CSET_UTF8), "make a string");
  const SpaceId scalar(H5Screate(H5S_SCALAR));
  const AttributeId attribute(H5Acreate2(dataset, encoding, type, scalar, H5P_DEFAULT, H5P_DEFAULT));
  expect(H5Awrite(attribute, type, &text), "write an attribute");
}

/// A list for new objects of class `kind` without times: equal tensors give equal files.
ListId timeless(hid_t kind) {
  ListId list(H5Pcreate(kind));
  expect(H5Pset_obj_track_times(list, false), "leave times out");
  return list;
}

/// The groups that a dataset's name passes through. HDF5's own way of making them keeps times.
void make_groups(hid_t file, const std::string& name, hid_t creation) {
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string group = name.substr(0, slash);
    if (group.back() == '/' || H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0) continue;
    const GroupId made(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT));
  }
}

}  // namespace

std::unique_ptr<TensorFile> open_hdf5_tensors(const std::filesystem::path& path) {
  const hdf5::Hdf5Use use(path.string());
  return std::make_unique<Hdf5File>(path);
}

void save_hdf5_tensors(const std::filesystem::path& path, const NamedTensors& tensors) {
  const hdf5::Hdf5Use use(path.string());
  const ListId access(H5Pcreate(H5P_FILE_ACCESS)),
      root = timeless(H5P_FILE_CREATE), groups = timeless(H5P_GROUP_CREATE), datasets = timeless(H5P_DATASET_CREATE);
  expect(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110), "choose its version");
  const FileId file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, root, access));
  for (const auto& [name, tensor] : tensors) {
    std::vector<hsize_t> extents(tensor.shape().begin(), tensor.shape().end());
    const SpaceId space(extents.empty() ? H5Screate(H5S_SCALAR)
                                        : H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr));
    const TypeId type = type_of(tensor.dtype());
    const std::string path_in_file = path_of(name, tensors);
    make_groups(file, path_in_file, groups);
    const DatasetId dataset(H5Dcreate2(file, path_in_file.c_str(), type, space, H5P_DEFAULT, datasets, H5P_DEFAULT));
    if (tensor.elements() > 0)
      expect(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes().data()), cat("write '", name, "'"));
    if (tensor.dtype() == DType::bf16) mark_bfloat16(dataset);
  }
  expect(H5Fflush(file, H5F_SCOPE_LOCAL), "write the file");
}

}  // namespace plumb::ir::formats
