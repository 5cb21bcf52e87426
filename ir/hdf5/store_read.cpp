// The reading half of an HDF5 store; rows are taken by column names, enums translated, counts distrusted.
#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "ir/attribute.hpp"
#include "ir/hdf5/hdf5_use.hpp"
#include "ir/hdf5/open_file.hpp"
#include "ir/hdf5/store.hpp"
#include "ir/hdf5/types.hpp"

namespace plumb::ir::hdf5 {
namespace {

constexpr hsize_t most_rows = hsize_t{1} << 31;  // a damaged file may claim any number
constexpr std::ptrdiff_t most_groups = 32;       // a path leads through; ours lead through about 4

Id dataset_at(const OpenFile& file, const std::string& path) {
  return {H5Dopen2(file.id, path.c_str(), H5P_DEFAULT), H5Dclose};
}

/// Texts of a dataset or an attribute, read by `read` into pointers that HDF5 allocates.
std::vector<std::string> texts(std::size_t count, const std::function<herr_t(hid_t type, void* data)>& read) {
  std::vector<char*> data(count, nullptr);
  if (count != 0) expect(read(text_type(), data.data()), "read a text");
  std::vector<std::string> result;
  for (char* text : data) {
    result.emplace_back(text != nullptr ? text : "");
    H5free_memory(text);
  }
  return result;
}

std::optional<StoredValue> value_of(hid_t attribute) {
  const Id type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  const bool scalar = H5Sget_simple_extent_type(space) == H5S_SCALAR;
  switch (H5Tget_class(type)) {
    case H5T_STRING: {
      if (H5Tis_variable_str(type) <= 0) return std::nullopt;
      auto found = texts(count, [&](hid_t memory, void* data) { return H5Aread(attribute, memory, data); });
      return scalar ? StoredValue(found.at(0)) : StoredValue(found);
    }
    case H5T_INTEGER: {
      std::int64_t whole = 0;
      std::uint64_t natural = 0;
      const bool has_sign = H5Tget_sign(type) == H5T_SGN_2;
      void* const value = has_sign ? static_cast<void*>(&whole) : &natural;
      if (!scalar || H5Aread(attribute, has_sign ? H5T_STD_I64LE : H5T_STD_U64LE, value) < 0) return std::nullopt;
      return has_sign ? StoredValue(whole) : StoredValue(natural);
    }
    case H5T_FLOAT: {
      double value = 0;
      if (!scalar || H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) return std::nullopt;
      return value;
    }
    default:
      return std::nullopt;
  }
}

std::string name_of_kind(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_COMPOUND:
      return "compound";
    case H5T_STRING:
      return H5Tis_variable_str(type) > 0 ? "text" : "fixed text";
    case H5T_INTEGER:
      return (H5Tget_sign(type) == H5T_SGN_2 ? "i" : "u") + std::to_string(H5Tget_size(type));
    case H5T_FLOAT:
      return "f" + std::to_string(H5Tget_size(type));
    default:
      return "other";
  }
}

void read_filters(hid_t list, StoredForm& form) {
  for (int k = 0; k < H5Pget_nfilters(list); ++k) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    const auto filter = H5Pget_filter2(list, static_cast<unsigned>(k), &flags, &values, nullptr, 0, nullptr, &config);
    form.shuffle |= filter == H5Z_FILTER_SHUFFLE;
    form.gzip |= filter == H5Z_FILTER_DEFLATE;
    form.fletcher32 |= filter == H5Z_FILTER_FLETCHER32;
  }
}

/// The value that the file calls by a name of ours, for each value of the file; no such name: as it is.
std::vector<std::uint16_t> translation(const std::vector<std::string>& theirs, const std::vector<std::string>& ours) {
  std::vector<std::uint16_t> map(theirs.size());
  for (std::size_t value = 0; value < theirs.size(); ++value) {
    const auto found = std::ranges::find(ours, theirs[value]);
    map[value] =
        static_cast<std::uint16_t>(found == ours.end() ? value : static_cast<std::size_t>(found - ours.begin()));
  }
  return map;
}

/// Throws Error "has the value ..." where an element has none that its enum names.
void translate(std::span<std::byte> rows, std::size_t row_bytes, const Column& column,
               const std::vector<std::uint16_t>& map) {
  const std::size_t width = column.kind == Kind::u1 ? 1 : 2;
  for (std::size_t at = column.offset; at < rows.size(); at += row_bytes) {
    std::uint16_t value = 0;
    std::memcpy(&value, rows.data() + at, width);
    require(value < map.size(), "row ", at / row_bytes, " has the value ", value, ", which its enum does not name");
    std::memcpy(rows.data() + at, &map[value], width);
  }
}

}  // namespace

bool Store::contains(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (H5Lexists(file_->id, path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  return path == "/" || H5Lexists(file_->id, path.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Store::children(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  // A group may have a name within itself: whoever goes from child to child would never end.
  require(std::ranges::count(path, '/') <= most_groups, file_->name, ": ", path.substr(0, 80), "... lies in more than ",
          most_groups, " groups");
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5L_info_t* link, void* out) -> herr_t {
    if (link->type == H5L_TYPE_HARD) static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  if (contains(path))
    expect(H5Literate(file_->object(path), H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names), "list " + path);
  return names;
}

StoredValues Store::attributes(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  const Id object = file_->object(path);
  std::vector<std::string> names;
  const auto visit = [](hid_t, const char* name, const H5A_info_t*, void* out) -> herr_t {
    static_cast<std::vector<std::string>*>(out)->emplace_back(name);
    return 0;
  };
  expect(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names), "read attributes of " + path);
  StoredValues values;
  for (const std::string& name : names) {
    const Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
    if (auto value = value_of(attribute)) values.emplace(name, std::move(*value));
  }
  return values;
}

StoredForm Store::form(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  const Id dataset = dataset_at(*file_, path), type(H5Dget_type(dataset), H5Tclose);
  const Id list(H5Dget_create_plist(dataset), H5Pclose), space(H5Dget_space(dataset), H5Sclose);
  StoredForm form;
  form.kind = name_of_kind(type);
  if (form.kind == "compound") form.columns = columns_of(type);
  const auto extents = extents_of(dataset);
  form.extents = extents;
  std::vector<hsize_t> most(extents.size()), chunks(extents.size());
  if (!extents.empty()) H5Sget_simple_extent_dims(space, nullptr, most.data());
  form.appendable = !most.empty() && most[0] == H5S_UNLIMITED;
  if (H5Pget_layout(list) == H5D_CHUNKED) {
    H5Pget_chunk(list, static_cast<int>(chunks.size()), chunks.data());
    form.chunks.assign(chunks.begin(), chunks.end());
  }
  read_filters(list, form);
  return form;
}

std::string Store::read_text(const std::string& path) const {
  auto found = read_texts(path);
  require(found.size() == 1, file_->name, ": ", path, " holds ", found.size(), " texts");
  return std::move(found[0]);
}

std::vector<std::string> Store::read_texts(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  const Id dataset = dataset_at(*file_, path), space(H5Dget_space(dataset), H5Sclose);
  const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  return texts(count,
               [&](hid_t type, void* data) { return H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data); });
}

std::vector<std::uint32_t> Store::read_grid(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  const Id dataset = dataset_at(*file_, path);
  std::vector<std::uint32_t> cells(rows(path) * width(path));
  if (!cells.empty())
    expect(H5Dread(dataset, H5T_STD_U32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()), "read " + path);
  return cells;
}

std::uint64_t Store::rows(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  const auto extents = extents_of(dataset_at(*file_, path));
  const hsize_t count = extents.empty() ? 1 : extents[0];
  require(count < most_rows, file_->name, ": ", path, " has ", count, " rows");
  return count;
}

std::uint64_t Store::width(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  const auto extents = extents_of(dataset_at(*file_, path));
  return extents.size() < 2 ? 1 : extents[1];
}

std::vector<std::string> Store::read_rows(const std::string& path, const TableType& type,
                                          std::span<std::byte> rows) const {
  const Hdf5Use use(file_->name, Errors::named);
  const Id dataset = dataset_at(*file_, path), stored(H5Dget_type(dataset), H5Tclose);
  require(H5Tget_class(stored) == H5T_COMPOUND, file_->name, ": ", path, " is no table");
  const auto theirs = columns_of(stored);
  const Id memory(H5Tcreate(H5T_COMPOUND, type.row_bytes), H5Tclose);
  std::vector<std::string> present;
  std::vector<std::pair<const Column*, std::vector<std::uint16_t>>> enums;
  for (const Column& column : type.columns) {
    const auto found = std::ranges::find(theirs, column.name, &Column::name);
    if (found == theirs.end()) continue;
    const auto where = cat(file_->name, ": ", path, ": column '", column.name, "' ");
    require(found->kind == column.kind && found->count == column.count, where, "is not of the kind ",
            enum_name(column.kind));
    const auto member = static_cast<unsigned>(found - theirs.begin());
    const Id member_type(H5Tget_member_type(stored, member), H5Tclose);
    expect(H5Tinsert(memory, column.name.c_str(), column.offset, member_type), "read " + path);
    if (!column.choices.empty()) enums.emplace_back(&column, translation(found->choices, column.choices));
    present.push_back(column.name);
  }
  require(!present.empty(), file_->name, ": ", path, " has none of the columns that it should");
  if (!rows.empty()) expect(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), "read " + path);
  for (const auto& [column, map] : enums) try {
      translate(rows, type.row_bytes, *column, map);
    } catch (const Error& error) {
      fail(file_->name, ": ", path, ": column '", column->name, "': ", error.what());
    }
  return present;
}

}  // namespace plumb::ir::hdf5
