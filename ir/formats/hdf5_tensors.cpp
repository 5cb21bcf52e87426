#include "ir/formats/hdf5_tensors.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <algorithm>
#include <optional>

#include "ir/files/child.hpp"
#include "ir/files/file_kind.hpp"
#include "ir/files/file_lock.hpp"
#include "ir/files/read_file.hpp"
#include "ir/hdf5/hdf5_use.hpp"
#include "ir/hdf5/types.hpp"
#include "ir/hdf5/vet.hpp"
#include "ir/raw/mappings.hpp"

namespace plumb::ir::formats {
namespace {

using hdf5::expect;
using hdf5::Id;

/// A group cannot be a dataset, too: beside "a/b", the tensor "a" is the dataset "a/.self".
constexpr std::string_view self = "/.self";

/// The escapes of characters where HDF5 would drop them, and of the % of an escape.
constexpr std::array<std::pair<char, std::string_view>, 3> escapes = {{{'/', "%2F"}, {'.', "%2E"}, {'%', "%25"}}};

bool is_escape(std::string_view text) {
  return std::ranges::any_of(escapes, [&](const auto& escape) { return text.starts_with(escape.second); });
}

/// Whether HDF5 would lose the character: a slash that no name stands before or behind, a dot that is a whole name.
bool would_be_lost(std::string_view name, std::size_t at) {
  const bool is_first = at == 0 || name[at - 1] == '/', is_last = at + 1 == name.size();
  if (name[at] == '/') return is_first || is_last;
  return name[at] == '.' && is_first && (is_last || name[at + 1] == '/');
}

/// A tensor's name as a path that names of other tensors are not.
std::string escaped(std::string_view name) {
  std::string path;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool is_escaped = name[at] == '%' ? is_escape(name.substr(at)) : would_be_lost(name, at);
    if (is_escaped)
      path += std::ranges::find(escapes, name[at], &std::pair<char, std::string_view>::first)->second;
    else
      path += name[at];
  }
  return path;
}

std::string unescaped(std::string_view path) {
  std::string name;
  for (; !path.empty(); path.remove_prefix(1)) {
    const auto escape = std::ranges::find_if(escapes, [&](const auto& one) { return path.starts_with(one.second); });
    name += escape == escapes.end() ? path.front() : escape->first;
    if (escape != escapes.end()) path.remove_prefix(escape->second.size() - 1);
  }
  return name;
}

using ByPath = std::map<std::string, const Tensor*, std::less<>>;

/// Where the tensor at this escaped path is, beside the others.
std::string place_of(const std::string& path, const ByPath& all) {
  const std::string group = path + '/';
  const auto next = all.lower_bound(group);
  const bool is_group = next != all.end() && next->first.starts_with(group);
  return is_group ? cat(path, self) : path;
}

/// All tensors by escaped path. Throws Error for names that no dataset can have.
ByPath by_path(const NamedTensors& tensors) {
  ByPath all;
  for (const auto& [name, tensor] : tensors) {
    require(!name.empty(), "a dataset has to have a name");
    require(!name.ends_with(self), "'", name, "' cannot be the name of a dataset: ", self, " is what '",
            name.substr(0, name.size() - self.size()), "' may be stored as");
    all.emplace(escaped(name), &tensor);
  }
  return all;
}

std::string name_of(std::string_view path) {
  return unescaped(path.ends_with(self) ? path.substr(0, path.size() - self.size()) : path);
}

class DatasetFile final : public TensorFile {
 public:
  explicit DatasetFile(const std::filesystem::path& path) : name_(path.string()), file_(open(path)) {
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
  ~DatasetFile() override {
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
    const Id dataset = open_dataset(name);
    return type_of_dataset(dataset, name);
  }

  Tensor read(std::string_view name) const override {
    const hdf5::Hdf5Use use(name_);
    const Id dataset = open_dataset(name);
    Tensor tensor(type_of_dataset(dataset, name));
    const Id memory = hdf5::type_of(tensor.dtype());
    if (tensor.elements() > 0) try {
        expect(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes().data()),
               cat("read '", name, "'"));
      } catch (const Error&) {
        require_filters(dataset, name);  // HDF5 says of a filter that is missing where it looked for plugins
        throw;
      }
    if (tensor.dtype() == DType::boolean)
      for (const std::byte x : tensor.bytes())
        require(x <= std::byte{1}, "'", name, "' has a bool that is neither 0 nor 1");
    return tensor;
  }

 private:
  static Id open(const std::filesystem::path& path) {
    files::require_regular_file(path);
    require(H5Fis_hdf5(path.c_str()) > 0, "is no HDF5 file, but holds ", files::name_of(files::kind_of_file(path)));
    try {
      return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
    } catch (const Error&) {
      require(!files::is_being_written(path), "is being written by another process");
      throw;
    }
  }

  /// Throws Error that names the first filter of a dataset which HDF5 does not have here, such as the lzf of h5py.
  static void require_filters(hid_t dataset, std::string_view name) {
    const Id list(H5Dget_create_plist(dataset), H5Pclose);
    for (int k = 0; k < H5Pget_nfilters(list); ++k) {
      std::array<char, 64> text{};
      unsigned flags = 0;
      std::size_t values = 0;
      const H5Z_filter_t filter = H5Pget_filter2(list, static_cast<unsigned>(k), &flags, &values, nullptr,
                                                 text.size() - 1, text.data(), nullptr);
      if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
      fail("'", name, "' is packed with HDF5 filter ", filter, text[0] == '\0' ? "" : cat(" (", text.data(), ")"),
           ", which is not installed here; gzip is everywhere");
    }
  }

  Id open_dataset(std::string_view name) const {
    const auto found = paths_.find(name);
    require(found != paths_.end(), "has no dataset '", name, "'");
    return {H5Dopen2(*file_, found->second.c_str(), H5P_DEFAULT), H5Dclose};
  }

  static TensorType type_of_dataset(hid_t dataset, std::string_view name) try {
    const Id list(H5Dget_create_plist(dataset), H5Pclose);
    require(H5Pget_external_count(list) == 0, "keeps its data in another file");
    require(H5Pget_layout(list) != H5D_VIRTUAL, "is a virtual dataset");
    const Id space(H5Dget_space(dataset), H5Sclose);
    require(H5Sget_simple_extent_type(space) != H5S_NULL, "has no data");
    const int rank = H5Sget_simple_extent_ndims(space);
    require(rank >= 0 && rank <= max_rank, "has rank ", rank, ", at most ", max_rank, " is allowed");
    std::array<hsize_t, max_rank> extents{};
    expect(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "read the extents");
    const Id type(H5Dget_type(dataset), H5Tclose);
    TensorType found{hdf5::dtype_of(type, dataset), {}};
    for (int k = 0; k < rank; ++k)
      found.shape.push_back(static_cast<std::int64_t>(extents[static_cast<std::size_t>(k)]));
    check_type(found);
    return found;
  } catch (const Error& error) {
    fail("dataset '", name, "' ", error.what());
  }

  const std::string name_;
  std::optional<Id> file_;
  std::map<std::string, std::string, std::less<>> paths_;  ///< by name
};

/// A list for new objects of class `kind` without times: equal tensors give equal files.
Id timeless(hid_t kind) {
  Id list(H5Pcreate(kind), H5Pclose);
  expect(H5Pset_obj_track_times(list, false), "leave times out");
  return list;
}

/// The groups that a dataset's name passes through. HDF5's own way of making them keeps times.
void make_groups(hid_t file, const std::string& name, hid_t creation) {
  for (std::size_t slash = name.find('/', 1); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string group = name.substr(0, slash);
    if (group.back() == '/' || H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0) continue;
    const Id made(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose);
  }
}

/// The lists that new groups and datasets are made by.
struct Creation {
  hid_t groups, datasets;
};

void write_dataset(hid_t file, const std::string& path, const Tensor& tensor, const Creation& creation) try {
  const Id space = hdf5::space_of({tensor.shape().begin(), tensor.shape().end()});
  const Id type = hdf5::type_of(tensor.dtype());
  make_groups(file, path, creation.groups);
  const Id dataset(H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, creation.datasets, H5P_DEFAULT), H5Dclose);
  if (tensor.elements() > 0)
    expect(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes().data()), "write its numbers");
  if (tensor.dtype() == DType::bf16) hdf5::mark_bf16(dataset);
  raw::release_after_use(tensor.bytes());
} catch (const Error& error) {
  fail("dataset '", name_of(path), "': ", error.what());
}

/// Reads types and numbers of all tensors up to 128 MiB, for a child process to try on a stranger's file first.
void try_to_read(const std::filesystem::path& path) {
  constexpr std::uint64_t most_bytes = 128 << 20;
  const hdf5::Hdf5Use use(path.string());
  const DatasetFile file(path);
  std::uint64_t bytes = 0;
  for (const std::string& name : file.names()) {
    if (__builtin_add_overflow(bytes, file.type(name).bytes(), &bytes) || bytes > most_bytes) return;
    static_cast<void>(file.read(name));
  }
}

}  // namespace

std::unique_ptr<TensorFile> open_hdf5_tensors(const std::filesystem::path& path) {
  files::try_in_child(hdf5::limits_of(path), [&] { try_to_read(path); });
  const hdf5::Hdf5Use use(path.string());
  return std::make_unique<DatasetFile>(path);
}

void save_hdf5_tensors(const std::filesystem::path& path, const NamedTensors& tensors, std::string_view about) {
  const hdf5::Hdf5Use use(path.string(), hdf5::Errors::plain, hdf5::Work::writing);
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const Id root = timeless(H5P_FILE_CREATE), groups = timeless(H5P_GROUP_CREATE),
           datasets = timeless(H5P_DATASET_CREATE);
  expect(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110), "choose its version");
  hdf5::leave_locking_to_caller(access);
  const Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, root, access), H5Fclose);
  const ByPath all = by_path(tensors);
  for (const auto& [name, tensor] : all) write_dataset(file, place_of(name, all), *tensor, {groups, datasets});
  if (!about.empty()) {
    const Id top(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
    hdf5::write_text_attribute(top, std::string(about_name), std::string(about));
  }
  expect(H5Fflush(file, H5F_SCOPE_LOCAL), "write the file");
}

}  // namespace plumb::ir::formats
