#include "parity/results/record_hdf5_id.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

namespace plumb::parity::results {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>);

/// The innermost entry of HDF5's error stack names the cause, and somewhere in it the system's.
std::string reason() {
  std::string text = "unknown";
  const auto keep = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
    if (entry->desc != nullptr) *static_cast<std::string*>(out) = entry->desc;
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep, &text);
  const std::string_view start = "error message = '";
  const auto begin = text.find(start);
  if (begin == std::string::npos) return text;
  const auto end = text.find('\'', begin + start.size());
  return text.substr(begin + start.size(), end - begin - start.size());
}

Hdf5Id base_type(results::Kind kind) {
  using results::Kind;
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
  ir::fail("no such kind");
}

Hdf5Id column_type(const results::Column& column) {
  Hdf5Id base = base_type(column.kind);
  if (!column.choices.empty()) {
    Hdf5Id named(H5Tenum_create(base), H5Tclose);
    for (std::uint16_t value = 0; value < column.choices.size(); ++value) {
      const auto byte = static_cast<std::uint8_t>(value);
      const void* const stored = column.kind == results::Kind::u1 ? static_cast<const void*>(&byte) : &value;
      hdf5_expect(H5Tenum_insert(named, column.choices[value].c_str(), stored), "make an enum");
    }
    return named;
  }
  if (column.count == 1) return base;
  const hsize_t count = column.count;
  return {H5Tarray_create2(base, 1, &count), H5Tclose};
}

/// IEEE binary16, which HDF5 names since 1.14.4 only.
Hdf5Id half_type() {
  Hdf5Id type(H5Tcopy(H5T_IEEE_F32LE), H5Tclose);
  hdf5_expect(H5Tset_fields(type, 15, 10, 5, 0, 10), "make a 16-bit float");
  hdf5_expect(H5Tset_ebias(type, 15), "make a 16-bit float");
  hdf5_expect(H5Tset_size(type, 2), "make a 16-bit float");
  return type;
}

Hdf5Id bool_type() {
  Hdf5Id type(H5Tenum_create(H5T_STD_I8LE), H5Tclose);
  for (const std::int8_t value : {0, 1})
    hdf5_expect(H5Tenum_insert(type, value != 0 ? "TRUE" : "FALSE", &value), "make an enum");
  return type;
}

Hdf5Id complex_type(hid_t part, std::size_t width) {
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, 2 * width), H5Tclose);
  hdf5_expect(H5Tinsert(type, "r", 0, part), "make a compound");
  hdf5_expect(H5Tinsert(type, "i", width, part), "make a compound");
  return type;
}

results::Kind kind_of(hid_t type) {
  using results::Kind;
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
    hdf5_expect(H5Tget_member_value(type, k, &value), "read an enum");
    ir::require(value < 65536, "an enum has the value ", value);
    if (choices.size() <= value) choices.resize(value + 1);
    choices[value] = owned_name(H5Tget_member_name(type, k));
  }
  return choices;
}

}  // namespace

Hdf5Id::Hdf5Id(std::int64_t id, Close close) : id_(id), close_(close) {
  ir::require(id >= 0, "HDF5 cannot read or write this: ", id < 0 ? reason() : "");
}

void hdf5_expect(std::int64_t status, std::string_view what) {
  if (status < 0) ir::fail("HDF5 cannot ", what, ": ", reason());
}

Hdf5Id hdf5_row_type(const results::TableType& type) {
  Hdf5Id row(H5Tcreate(H5T_COMPOUND, type.row_bytes), H5Tclose);
  for (const results::Column& column : type.columns)
    hdf5_expect(H5Tinsert(row, column.name.c_str(), column.offset, column_type(column)), "make a compound");
  return row;
}

Hdf5Id hdf5_dtype(ir::DType dtype) {
  using ir::DType;
  switch (dtype) {
    case DType::boolean:
      return bool_type();
    case DType::u8:
      return {H5Tcopy(H5T_STD_U8LE), H5Tclose};
    case DType::i8:
      return {H5Tcopy(H5T_STD_I8LE), H5Tclose};
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
  ir::fail("no such dtype");
}

Hdf5Id hdf5_text_type() {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  hdf5_expect(H5Tset_size(type, H5T_VARIABLE), "make a text");
  hdf5_expect(H5Tset_cset(type, H5T_CSET_UTF8), "make a text");
  return type;
}

std::vector<results::Column> hdf5_columns(std::int64_t compound) {
  std::vector<results::Column> columns;
  for (unsigned k = 0; k < static_cast<unsigned>(H5Tget_nmembers(compound)); ++k) {
    const Hdf5Id member(H5Tget_member_type(compound, k), H5Tclose);
    results::Column column{
        owned_name(H5Tget_member_name(compound, k)), results::Kind::u1, H5Tget_member_offset(compound, k), 1, {}, ""};
    if (H5Tget_class(member) == H5T_ENUM) {
      column.choices = choices_of(member);
      column.kind = kind_of(Hdf5Id(H5Tget_super(member), H5Tclose));
    } else if (H5Tget_class(member) == H5T_ARRAY) {
      hsize_t count = 0;
      ir::require(H5Tget_array_ndims(member) == 1, "column '", column.name, "' is an array of several axes");
      hdf5_expect(H5Tget_array_dims2(member, &count), "read a type");
      column.count = count;
      column.kind = kind_of(Hdf5Id(H5Tget_super(member), H5Tclose));
    } else {
      column.kind = kind_of(member);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace plumb::parity::results
