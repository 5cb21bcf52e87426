// Objects that a store takes over from another as they are, and bytes to compare them by.
#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <algorithm>

#include "ir/hdf5/hdf5_use.hpp"
#include "ir/hdf5/open_file.hpp"
#include "ir/hdf5/store.hpp"

namespace plumb::ir::hdf5 {
namespace {

/// Whether elements of this type, or parts of them, may be pointers once they are in memory.
bool has_other_memory(hid_t type) {
  const auto kinds = {H5T_STRING, H5T_VLEN, H5T_REFERENCE};
  return std::ranges::any_of(kinds, [&](H5T_class_t kind) { return H5Tdetect_class(type, kind) != 0; });
}

}  // namespace

/// H5Ocopy of HDF5 1.10 crashes where an object has more than eight attributes and texts are among them; it copies none
/// here.
void Store::copy(const std::string& to, const Store& from, const std::string& path) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  if (from.is_dataset(path)) {
    const Id links = intermediate_groups(), how(H5Pcreate(H5P_OBJECT_COPY), H5Pclose);
    expect(H5Pset_copy_object(how, H5O_COPY_WITHOUT_ATTR_FLAG), "copy without attributes");
    expect(H5Ocopy(from.file_->id, path.c_str(), file_->id, to.c_str(), how, links),
           "copy " + path + " of " + from.file_->name);
  } else {
    make_group(to);
    for (const std::string& child : from.children(path)) copy(to + '/' + child, from, path + '/' + child);
  }
  for (const auto& [name, value] : from.attributes(path)) set(to, name, value);
}

bool Store::is_dataset(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  return H5Iget_type(file_->object(path)) == H5I_DATASET;
}

std::vector<std::byte> Store::read_bytes(const std::string& path) const {
  const Hdf5Use use(file_->name, Errors::named);
  const Id dataset(H5Dopen2(file_->id, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Id type(H5Dget_type(dataset), H5Tclose);
  require(!has_other_memory(type), file_->name, ": ", path, " is of texts, of lists or of references");
  std::vector<std::byte> bytes;
  try {
    bytes.resize(stored_bytes_of(dataset));
  } catch (const Error& error) {
    fail(file_->name, ": ", path, ": ", error.what());
  }
  if (!bytes.empty()) expect(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "read " + path);
  return bytes;
}

}  // namespace plumb::ir::hdf5
