// The header of NumPy's .npy files, read from its Python dictionary and written; elements in Fortran order turned.
#include "ir/formats/npy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace plumb::ir::formats {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t most_header_bytes = 1 << 16;

struct Descr {
  std::string_view name;
  DType dtype;
};

constexpr std::array<Descr, 15> descrs = {{{"|b1", DType::boolean},
                                           {"|u1", DType::u8},
                                           {"|i1", DType::i8},
                                           {"<u2", DType::u16},
                                           {"<i2", DType::i16},
                                           {"<i4", DType::i32},
                                           {"<u4", DType::u32},
                                           {"<i8", DType::i64},
                                           {"<f2", DType::f16},
                                           {"<V2", DType::bf16},
                                           {"|V2", DType::bf16},
                                           {"<f4", DType::f32},
                                           {"<f8", DType::f64},
                                           {"<c8", DType::c64},
                                           {"<c16", DType::c128}}};

DType dtype_of_descr(std::string_view descr) {
  for (const Descr& known : descrs)
    if (known.name == descr) return known.dtype;
  if (descr.starts_with('>')) fail("has big-endian elements (", descr, "), wanted little-endian");
  fail("has elements of type '", descr.substr(0, 20), "', which no dtype of the IR is");
}

/// Takes apart the header's text, a Python dictionary: {'descr': '<f4', ...}.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool skip(std::string_view token) {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
    if (!text_.starts_with(token)) return false;
    text_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    require(skip(token), "has a header that is not of .npy: wanted ", token, " before '", text_.substr(0, 20), "'");
  }
  std::string_view string() {
    const std::string_view quote = skip("\"") ? "\"" : "'";
    if (quote == "'") expect(quote);
    const auto word = text_.substr(0, text_.find(quote));
    text_.remove_prefix(word.size());
    expect(quote);
    return word;
  }
  bool boolean() {
    if (skip("True")) return true;
    expect("False");
    return false;
  }
  Shape extents() {
    Shape shape;
    expect("(");
    while (!skip(")")) {
      skip("");  // spaces
      std::int64_t extent = 0;
      const auto [stop, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      require(problem == std::errc{}, "has a header with a shape that is not of whole numbers");
      text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
      require(shape.rank() < max_rank, "has more than ", max_rank, " axes");
      shape.push_back(extent);
      if (skip(",")) continue;
      expect(")");
      break;
    }
    return shape;
  }

 private:
  std::string_view text_;
};

NpyHeader parse_dictionary(std::string_view text) {
  Literal literal(text);
  std::optional<DType> dtype;
  std::optional<bool> fortran;
  std::optional<Shape> shape;
  literal.expect("{");
  while (!literal.skip("}")) {
    const auto key = literal.string();
    literal.expect(":");
    if (key == "descr") {
      require(!literal.skip("["), "has elements with fields, wanted numbers");
      dtype = dtype_of_descr(literal.string());
    } else if (key == "fortran_order") {
      fortran = literal.boolean();
    } else {
      require(key == "shape", "has a header with the unknown key '", key.substr(0, 20), "'");
      shape = literal.extents();
    }
    if (literal.skip(",")) continue;
    literal.expect("}");
    break;
  }
  require(dtype && fortran && shape, "has a header without descr, fortran_order or shape");
  NpyHeader header{{*dtype, std::move(*shape)}, *fortran};
  check_type(header.type);
  return header;
}

}  // namespace

NpyHeader parse_npy_header(const ReadStart& read_start) {
  std::string start(magic.size() + 6, '\0');
  const auto read = [&] { read_start(std::as_writable_bytes(std::span(start))); };
  read();
  require(start.starts_with(magic), "does not start as a .npy file does");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  const std::size_t version = byte(6);
  require(version >= 1 && version <= 3, "is of .npy version ", version, ", known are 1 to 3");
  const std::size_t before = version == 1 ? 10 : 12;
  const std::size_t length = byte(8) | byte(9) << 8 | (version == 1 ? 0 : byte(10) << 16 | byte(11) << 24);
  require(length <= most_header_bytes, "has a header of ", length, " bytes, at most ", most_header_bytes, " are read");
  start.resize(before + length);
  read();
  NpyHeader header = parse_dictionary(std::string_view(start).substr(before));
  header.bytes = start.size();
  return header;
}

std::string npy_header(const TensorType& type) {
  const auto descr = std::ranges::find(descrs, type.dtype, &Descr::dtype)->name;
  std::string shape;
  for (const auto extent : type.shape) shape += cat(extent, ", ");
  if (type.shape.rank() > 1) shape.resize(shape.size() - 2);
  std::string text = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", shape, "), }");
  constexpr std::size_t before = 10, alignment = 64;
  text.append((alignment - (before + text.size() + 1) % alignment) % alignment, ' ');
  text += '\n';
  const char start[] = {1, 0, static_cast<char>(text.size() & 0xFF), static_cast<char>(text.size() >> 8)};
  return std::string(magic) + std::string(start, sizeof start) + text;
}

Tensor npy_tensor(const NpyHeader& header, Tensor elements) {
  if (header.type.dtype == DType::boolean)
    for (const std::byte x : elements.bytes()) require(x <= std::byte{1}, "has a bool that is neither 0 nor 1");
  if (!header.fortran_order || header.type.shape.rank() < 2) return elements;
  Tensor rows(header.type);
  const Shape& shape = header.type.shape;
  const std::size_t width = info(header.type.dtype).bytes;
  std::vector<std::int64_t> index(shape.size(), 0);
  const auto strides = shape.strides();
  for (std::int64_t from = 0; from < elements.elements(); ++from) {  // the first axis runs fastest
    std::int64_t to = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) to += index[k] * strides[k];
    std::copy_n(elements.bytes().begin() + from * static_cast<std::int64_t>(width), width,
                rows.bytes().begin() + to * static_cast<std::int64_t>(width));
    for (std::size_t k = 0; k < shape.size() && ++index[k] == shape[k]; ++k) index[k] = 0;
  }
  return rows;
}

}  // namespace plumb::ir::formats
