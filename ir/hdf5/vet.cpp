// Reads a stranger's HDF5 file to its end, in slabs and in a child process, before it is trusted.
#include "ir/hdf5/vet.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <algorithm>
#include <vector>

#include "ir/error.hpp"
#include "ir/files/child.hpp"
#include "ir/hdf5/hdf5_use.hpp"
#include "ir/hdf5/open_file.hpp"
#include "ir/hdf5/store.hpp"
#include "ir/hdf5/types.hpp"

namespace plumb::ir::hdf5 {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30;
constexpr std::uint64_t bytes_a_second = 2 << 20;  // packed ones, that even a slow machine reads
/// A file of any size may have them: a sound one of a few hundred runs took more than one second where sanitizers
/// watched a busy machine.
constexpr std::uint64_t least_seconds = 5;

class Reading {
 public:
  explicit Reading(const std::filesystem::path& path)
      : store_(Store::open(path)),
        file_{open_existing(path, H5F_ACC_RDONLY), path.string()},
        file_bytes_(std::filesystem::file_size(path)) {}

  void read_all();

 private:
  void read_dataset(const std::string& path);
  void read_slab(hid_t dataset, const std::vector<hsize_t>& start, const std::vector<hsize_t>& count);
  void count(std::uint64_t bytes, const std::string& path);

  Store store_;
  OpenFile file_;
  std::uint64_t file_bytes_, bytes_ = 0, text_bytes_ = 0;
};

void Reading::count(std::uint64_t bytes, const std::string& path) {
  bytes_ += std::min(bytes, most_bytes);
  require(bytes_ < most_bytes, path, ": there are more than ", most_bytes >> 30, " GiB of tables up to here");
}

/// The text of one kind that HDF5 keeps outside of datasets, each as often as it is named.
std::uint64_t bytes_of_texts(const std::vector<char*>& texts) {
  std::uint64_t bytes = 0;
  for (const char* const text : texts) bytes += text == nullptr ? 0 : std::char_traits<char>::length(text);
  return bytes;
}

void Reading::read_slab(hid_t dataset, const std::vector<hsize_t>& start, const std::vector<hsize_t>& count) {
  const Id type(H5Dget_type(dataset), H5Tclose), space(H5Dget_space(dataset), H5Sclose);
  if (!count.empty())
    expect(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), "read a slab");
  const Id memory = space_of({count.begin(), count.end()});
  const auto points = static_cast<std::size_t>(H5Sget_select_npoints(space));
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> texts(points, nullptr);
    expect(H5Dread(dataset, text_type(), memory, space, H5P_DEFAULT, texts.data()), "read texts");
    text_bytes_ += bytes_of_texts(texts);
    for (char* const text : texts) H5free_memory(text);
    require(text_bytes_ <= file_bytes_, "has texts of more bytes than the file");
    return;
  }
  std::vector<std::byte> rows(points * H5Tget_size(type));
  expect(H5Dread(dataset, type, memory, space, H5P_DEFAULT, rows.data()), "read rows");
}

void Reading::read_dataset(const std::string& path) {
  const Id dataset(H5Dopen2(file_.id, path.c_str(), H5P_DEFAULT), H5Dclose), type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  const bool is_text = H5Tis_variable_str(type) > 0;
  if (kind != H5T_COMPOUND && kind != H5T_INTEGER && !is_text) return;  // numbers of tensors are read when asked for
  const auto extents = extents_of(dataset);
  const std::uint64_t bytes = stored_bytes_of(dataset);
  count(bytes, path);
  // Slabs of whole rows, of about 16 MiB.
  const std::uint64_t rows = extents.empty() ? 1 : extents[0], row_bytes = rows == 0 ? 0 : bytes / rows;
  const std::uint64_t step = std::max<std::uint64_t>(1, (16 << 20) / std::max<std::uint64_t>(1, row_bytes));
  for (std::uint64_t first = 0; first < rows; first += step) {
    std::vector<hsize_t> start(extents.size(), 0), size(extents.begin(), extents.end());
    if (!extents.empty()) {
      start[0] = first;
      size[0] = std::min(step, rows - first);
    }
    read_slab(dataset, start, size);
  }
}

void Reading::read_all() {
  struct Found {
    std::vector<std::string> datasets, groups = {"/"};
  } found;
  const auto visit = [](hid_t group, const char* name, const H5L_info_t* link, void* out) -> herr_t {
    if (link->type != H5L_TYPE_HARD) return 0;  // others are not followed
    H5O_info_t object;
    if (H5Oget_info_by_name(group, name, &object, H5P_DEFAULT) < 0) return -1;
    auto& all = *static_cast<Found*>(out);
    (object.type == H5O_TYPE_DATASET ? all.datasets : all.groups).push_back('/' + std::string(name));
    return 0;
  };
  expect(H5Lvisit(file_.id, H5_INDEX_NAME, H5_ITER_INC, visit, &found), "list the datasets");
  for (const auto* const paths : {&found.groups, &found.datasets})
    for (const std::string& path : *paths) static_cast<void>(store_.attributes(path));
  for (const std::string& path : found.datasets) try {
      read_dataset(path);
    } catch (const Error& error) {
      const std::string said = error.what();
      fail(said.starts_with(path) ? "" : path + ": ", said);
    }
}

}  // namespace

files::ChildLimits limits_of(const std::filesystem::path& path) {
  std::error_code problem;
  const auto bytes = std::filesystem::file_size(path, problem);
  return {.seconds = least_seconds + (problem ? 0 : bytes / bytes_a_second)};
}

void vet(const std::filesystem::path& path, Extent extent) {
  const std::string name = path.string();
  try {
    files::try_in_child(limits_of(path), [&] {
      const Hdf5Use use(name);
      if (extent == Extent::all)
        Reading(path).read_all();
      else
        static_cast<void>(Store::open(path).attributes("/"));
    });
  } catch (const Error& error) {
    const std::string said = error.what();
    fail(said.starts_with(name) ? "" : name + ": ", said);
  }
}

}  // namespace plumb::ir::hdf5
