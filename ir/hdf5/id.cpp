// HDF5 handles that close themselves, and errors with the innermost reason of HDF5's error stack.
#include "ir/hdf5/id.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <algorithm>
#include <type_traits>

#include "ir/error.hpp"
#include "ir/hdf5/hdf5_use.hpp"
#include "ir/hdf5/types.hpp"

namespace plumb::ir::hdf5 {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>);

constexpr std::uint64_t best_ratio = 1032;  // that deflate reaches: 258 bytes in two bits

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

std::vector<hsize_t> sizes(const std::vector<std::uint64_t>& extents) { return {extents.begin(), extents.end()}; }

}  // namespace

Id::Id(std::int64_t id, Close close) : id_(id), close_(close) {
  if (id < 0) fail(name_of_errors(), "HDF5 cannot read or write this: ", reason());
}

void expect(std::int64_t status, std::string_view what) {
  if (status < 0) fail(name_of_errors(), "HDF5 cannot ", what, ": ", reason());
}

void leave_locking_to_caller(std::int64_t access_list) {
  expect(H5Pset_file_locking(access_list, false, true), "leave locking to its caller");
}

Id intermediate_groups() {
  Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  expect(H5Pset_create_intermediate_group(links, 1), "make groups");
  expect(H5Pset_char_encoding(links, H5T_CSET_UTF8), "name groups");
  return links;
}

Id scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose}; }

Id space_of(const std::vector<std::uint64_t>& extents, const std::vector<std::uint64_t>& most) {
  if (extents.empty()) return scalar_space();
  const auto now = sizes(extents), later = sizes(most);
  const int rank = static_cast<int>(extents.size());
  return {H5Screate_simple(rank, now.data(), later.empty() ? nullptr : later.data()), H5Sclose};
}

std::vector<std::uint64_t> extents_of(std::int64_t dataset) {
  const Id space(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
  if (!extents.empty()) expect(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "read extents");
  return {extents.begin(), extents.end()};
}

std::uint64_t stored_bytes_of(std::int64_t dataset) {
  const Id type(H5Dget_type(dataset), H5Tclose), file(H5Iget_file_id(dataset), H5Fclose);
  const auto extents = extents_of(dataset);
  std::uint64_t bytes = H5Tget_size(type);
  // An extent of 0 leaves nothing, whatever the others are.
  if (std::ranges::count(extents, 0u) > 0) return 0;
  for (const std::uint64_t extent : extents)
    require(!__builtin_mul_overflow(bytes, extent, &bytes), "claims more rows than there can be");
  hsize_t file_bytes = 0;
  expect(H5Fget_filesize(file, &file_bytes), "read the size of the file");
  const std::uint64_t stored = std::min<std::uint64_t>(H5Dget_storage_size(dataset), file_bytes);
  require(bytes <= stored * best_ratio, "claims ", bytes, " bytes of rows, of which ", stored, " are stored");
  return bytes;
}

void write_attribute(std::int64_t object, const std::string& name, std::int64_t type, std::int64_t space,
                     const void* data) {
  if (H5Aexists(object, name.c_str()) > 0) expect(H5Adelete(object, name.c_str()), "replace attribute " + name);
  const Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  expect(H5Awrite(attribute, type, data), "write attribute " + name);
}

void write_text_attribute(std::int64_t object, const std::string& name, const std::string& text) {
  const char* const data = text.c_str();
  write_attribute(object, name, text_type(), scalar_space(), &data);
}

}  // namespace plumb::ir::hdf5
