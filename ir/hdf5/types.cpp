// Dtypes and table columns as HDF5 types and back: f16 by its fields, bf16 by an attribute, bool as an enum.
#include "ir/hdf5/types.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <algorithm>
#include <string>

#include "ir/error.hpp"

namespace plumb::ir::hdf5 {
namespace {

Id base_type(Kind kind) {
  switch (kind) {
    case Kind::u1:
      return {H5Tcopy(H5T_STD_U8LE), H5Tclose};
    case Kind::u2:
      return {H5Tcopy(H5T_STD_U16LE), H5Tclose};
    case Kind::u4:
      return {H5Tcopy(H5T_STD_U32LE), H5Tclose};
    case Kind::u8:
      return {H5Tcopy(H5T_STD_U64LE), H5Tclose};
    case Kind::i4:
      return {H5Tcopy(H5T_STD_I32LE), H5Tclose};
    case Kind::f4:
      return {H5Tcopy(H5T_IEEE_F32LE), H5Tclose};
    case Kind::f8:
      return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose};
  }
  fail("no such kind");
}

Id column_type(const Column& column) {
  Id base = base_type(column.kind);
  if (!column.choices.empty()) {
    Id named(H5Tenum_create(base), H5Tclose);
    for (std::uint16_t value = 0; value < column.choices.size(); ++value) {
      const auto byte = static_cast<std::uint8_t>(value);
      const void* const stored = column.kind == Kind::u1 ? static_cast<const void*>(&byte) : &value;
      expect(H5Tenum_insert(named, column.choices[value].c_str(), stored), "make an enum");
    }
    return named;
  }
  if (column.count == 1) return base;
  const hsize_t count = column.count;
  return {H5Tarray_create2(base, 1, &count), H5Tclose};
}

/// IEEE binary16, which HDF5 names since 1.14.4 only.
Id half_type() {
  Id type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  expect(H5Tset_fields(type, 15, 10, 5, 0, 10), "make a 16-bit float");
  expect(H5Tset_ebias(type, 15), "make a 16-bit float");
  expect(H5Tset_size(type, 2), "make a 16-bit float");
  return type;
}

Id bool_type() {
  Id type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  for (const std::int8_t value : {0, 1})
    expect(H5Tenum_insert(type, value != 0 ? "TRUE" : "FALSE", &value), "make an enum");
  return type;
}

Id complex_type(hid_t part, std::size_t width) {
  Id type(H5Tcreate(H5T_COMPOUND, 2 * width), H5Tclose);
  expect(H5Tinsert(type, "r", 0, part), "make a compound");
  expect(H5Tinsert(type, "i", width, part), "make a compound");
  return type;
}

Kind kind_of(hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_FLOAT) return size == 4 ? Kind::f4 : Kind::f8;
  if (H5Tget_sign(type) == H5T_SGN_2) return Kind::i4;
  return size == 1 ? Kind::u1 : size == 2 ? Kind::u2 : size == 4 ? Kind::u4 : Kind::u8;
}

std::string owned_name(char* name) {
  std::string copy = name != nullptr ? name : "";
  H5free_memory(name);
  return copy;
}

/// The names of an enum, at the places of their values; "" where a value has none.
std::vector<std::string> choices_of(hid_t type) {
  std::vector<std::string> choices;
  for (unsigned k = 0; k < static_cast<unsigned>(H5Tget_nmembers(type)); ++k) {
    std::uint64_t value = 0;  // little-endian: a shorter value fills the lower bytes
    expect(H5Tget_member_value(type, k, &value), "read an enum");
    require(value < 65536, "an enum has the value ", value);
    if (choices.size() <= value) choices.resize(value + 1);
    choices[value] = owned_name(H5Tget_member_name(type, k));
  }
  return choices;
}

constexpr const char* encoding = "encoding";

bool has_bfloat16_attribute(hid_t dataset) {
  if (H5Aexists(dataset, encoding) <= 0) return false;
  const Id attribute(H5Aopen(dataset, encoding, H5P_DEFAULT), H5Aclose);
  const Id type(H5Aget_type(attribute), H5Tclose);
  if (H5Tget_class(type) != H5T_STRING) return false;
  const Id space(H5Aget_space(attribute), H5Sclose);
  if (H5Sget_simple_extent_npoints(space) != 1) return false;
  const std::string_view wanted = "bfloat16";
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    const Id memory(H5Tget_native_type(type, H5T_DIR_ASCEND), H5Tclose);
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

/// Whether a compound has a member of that name that is a float of `bytes` bytes.
bool has_float(hid_t compound, const char* name, std::size_t bytes) {
  const int place = H5Tget_member_index(compound, name);
  if (place < 0) return false;
  const Id member(H5Tget_member_type(compound, static_cast<unsigned>(place)), H5Tclose);
  return H5Tget_class(member) == H5T_FLOAT && H5Tget_size(member) == bytes;
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
  if (size == 2) return DType::u16;
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

bool is_bool(hid_t type) {
  return H5Tget_size(type) == 1 && choices_of(type) == std::vector<std::string>{"FALSE", "TRUE"};
}

DType complex_dtype(hid_t type) {
  for (const std::size_t width : {4, 8}) {
    const bool is_complex = H5Tget_nmembers(type) == 2 && has_float(type, "r", width) && has_float(type, "i", width);
    if (is_complex) return width == 4 ? DType::c64 : DType::c128;
  }
  fail("is a compound other than {r, i} of two floats");
}

}  // namespace

Id row_type(const TableType& type) {
  Id row(H5Tcreate(H5T_COMPOUND, type.row_bytes), H5Tclose);
  for (const Column& column : type.columns)
    expect(H5Tinsert(row, column.name.c_str(), column.offset, column_type(column)), "make a compound");
  return row;
}

Id type_of(DType dtype) {
  switch (dtype) {
    case DType::boolean:
      return bool_type();
    case DType::u8:
      return {H5Tcopy(H5T_STD_U8LE), H5Tclose};
    case DType::i8:
      return {H5Tcopy(H5T_STD_I8LE), H5Tclose};
    case DType::u16:
      return {H5Tcopy(H5T_STD_U16LE), H5Tclose};
    case DType::i16:
      return {H5Tcopy(H5T_STD_I16LE), H5Tclose};
    case DType::i32:
      return {H5Tcopy(H5T_STD_I32LE), H5Tclose};
    case DType::u32:
      return {H5Tcopy(H5T_STD_U32LE), H5Tclose};
    case DType::i64:
      return {H5Tcopy(H5T_STD_I64LE), H5Tclose};
    case DType::f16:
      return half_type();
    case DType::bf16:
      return {H5Tcopy(H5T_STD_U16LE), H5Tclose};
    case DType::f32:
      return {H5Tcopy(H5T_IEEE_F32LE), H5Tclose};
    case DType::f64:
      return {H5Tcopy(H5T_IEEE_F64LE), H5Tclose};
    case DType::c64:
      return complex_type(H5T_IEEE_F32LE, 4);
    case DType::c128:
      return complex_type(H5T_IEEE_F64LE, 8);
  }
  fail("no such dtype");
}

DType dtype_of(std::int64_t type, std::int64_t dataset) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return integer_dtype(type, dataset);
    case H5T_FLOAT:
      return float_dtype(type);
    case H5T_ENUM:
      require(is_bool(type), "is an enum other than {FALSE = 0, TRUE = 1} of 8 bits");
      return DType::boolean;
    case H5T_COMPOUND:
      return complex_dtype(type);
    default:
      fail("is neither numbers nor bools");
  }
}

void mark_bf16(std::int64_t dataset) { write_text_attribute(dataset, encoding, "bfloat16"); }

Id text_type() {
  Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  expect(H5Tset_size(type, H5T_VARIABLE), "make a text");
  expect(H5Tset_cset(type, H5T_CSET_UTF8), "make a text");
  return type;
}

std::vector<Column> columns_of(std::int64_t compound) {
  std::vector<Column> columns;
  for (unsigned k = 0; k < static_cast<unsigned>(H5Tget_nmembers(compound)); ++k) {
    const Id member(H5Tget_member_type(compound, k), H5Tclose);
    Column column{owned_name(H5Tget_member_name(compound, k)), Kind::u1, H5Tget_member_offset(compound, k), 1, {}, ""};
    if (H5Tget_class(member) == H5T_ENUM) {
      column.choices = choices_of(member);
      column.kind = kind_of(Id(H5Tget_super(member), H5Tclose));
    } else if (H5Tget_class(member) == H5T_ARRAY) {
      hsize_t count = 0;
      require(H5Tget_array_ndims(member) == 1, "column '", column.name, "' is an array of several axes");
      expect(H5Tget_array_dims2(member, &count), "read a type");
      column.count = count;
      column.kind = kind_of(Id(H5Tget_super(member), H5Tclose));
    } else {
      column.kind = kind_of(member);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace plumb::ir::hdf5
