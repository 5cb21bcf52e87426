// The writing half of an HDF5 store: groups, attributes and tensors, and tables, grids and texts that grow.
#include "ir/hdf5/store.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <algorithm>
#include <cstdlib>

#include "ir/files/file_kind.hpp"
#include "ir/files/file_lock.hpp"
#include "ir/files/read_file.hpp"
#include "ir/hdf5/hdf5_use.hpp"
#include "ir/hdf5/journaled_driver.hpp"
#include "ir/hdf5/journaled_file.hpp"
#include "ir/hdf5/open_file.hpp"
#include "ir/hdf5/types.hpp"

namespace plumb::ir::hdf5 {
namespace {

constexpr hsize_t rows_a_chunk = 1024;
constexpr std::size_t largest_contiguous = 64 << 10, largest_chunk = 1 << 20;
constexpr unsigned gzip_level = 4;

void compress(hid_t list, const std::vector<hsize_t>& chunk, bool filters) {
  expect(H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "choose chunks");
  if (!filters) return;
  expect(H5Pset_shuffle(list), "choose filters");
  expect(H5Pset_deflate(list, gzip_level), "choose filters");
  expect(H5Pset_fletcher32(list), "choose filters");
}

/// A dataset that grows along its first axis, empty.
void make_growing(const OpenFile& file, const std::string& path, hid_t type, std::size_t width, bool filters) {
  std::vector<std::uint64_t> extents = {0}, most = {H5S_UNLIMITED};
  const hsize_t row_bytes = H5Tget_size(type) * width;
  std::vector<hsize_t> chunk = {std::clamp<hsize_t>(largest_chunk / row_bytes, 1, rows_a_chunk)};
  if (width != 1) {
    for (auto* list : {&extents, &most}) list->push_back(width);
    chunk.push_back(width);
  }
  const Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  compress(list, chunk, filters);
  const Id links = intermediate_groups(), space = space_of(extents, most);
  const Id dataset(H5Dcreate2(file.id, path.c_str(), type, space, links, list, H5P_DEFAULT), H5Dclose);
}

/// Writes `count` more rows of memory type `type`.
void grow(const OpenFile& file, const std::string& path, hid_t type, std::size_t bytes, std::size_t cell_bytes,
          const void* data) {
  if (bytes == 0) return;
  const Id dataset(H5Dopen2(file.id, path.c_str(), H5P_DEFAULT), H5Dclose);
  const auto before = extents_of(dataset);
  std::vector<hsize_t> extents(before.begin(), before.end());
  const std::size_t width = extents.size() == 2 ? extents[1] : 1;
  require(bytes % (cell_bytes * width) == 0, path, ": ", bytes, " bytes are no rows of ", cell_bytes * width);
  std::vector<hsize_t> start(extents.size(), 0), count = extents;
  start[0] = extents[0];
  count[0] = bytes / (cell_bytes * width);
  extents[0] += count[0];
  const auto what = "append to " + path;
  expect(H5Dset_extent(dataset, extents.data()), what);
  const Id after(H5Dget_space(dataset), H5Sclose), memory = space_of({count.begin(), count.end()});
  expect(H5Sselect_hyperslab(after, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), what);
  expect(H5Dwrite(dataset, type, memory, after, H5P_DEFAULT, data), what);
}

/// Full chunks of at most 1 MiB: slices along the slowest axes.
std::vector<hsize_t> chunk_of(const TensorType& type) {
  std::vector<hsize_t> chunk(type.shape.begin(), type.shape.end());
  const auto bytes = [&] {
    std::size_t product = info(type.dtype).bytes;
    for (const hsize_t extent : chunk) product *= extent;
    return product;
  };
  for (hsize_t& extent : chunk)
    while (extent > 1 && bytes() > largest_chunk) extent = (extent + 1) / 2;
  return chunk;
}

Store opened(const std::filesystem::path& path, unsigned flags, auto make) {
  const Hdf5Use use(path.string());
  try {
    // A pipe would never end, and a folder has no bytes.
    files::require_regular_file(path);
    if (H5Fis_hdf5(path.c_str()) == 0) fail("is no HDF5 file, but holds ", files::name_of(files::kind_of_file(path)));
    return make(std::make_unique<OpenFile>(OpenFile{open_existing(path, flags), path.string()}));
  } catch (const Error& error) {
    fail(path.string(), ": ", error.what());
  }
}

}  // namespace

Id open_existing(const std::filesystem::path& path, unsigned flags) {
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const bool is_written = flags != H5F_ACC_RDONLY;
  if (is_written) leave_locking_to_caller(access);
  if (is_written || JournaledFile::has_journal(path)) use_journal(access);
  try {
    return {H5Fopen(path.c_str(), flags, access), H5Fclose};
  } catch (const Error&) {
    require(is_written || !files::is_being_written(path), name_of_errors(), "is being written by another process");
    throw;
  }
}

Id OpenFile::object(const std::string& path) const { return {H5Oopen(id, path.c_str(), H5P_DEFAULT), H5Oclose}; }

Store::Store(std::unique_ptr<OpenFile> file) : file_(std::move(file)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() {
  if (!file_) return;
  const Hdf5Use use(file_->name, Errors::named);
  file_.reset();
}

void Store::leave_process_alone() {
  // It would overrule what is asked for file by file (leave_locking_to_caller).
  const char* const locking = std::getenv("HDF5_USE_FILE_LOCKING");
  if (locking != nullptr && std::string_view(locking) != "FALSE" && std::string_view(locking) != "0")
    ::unsetenv("HDF5_USE_FILE_LOCKING");
  expect(H5dont_atexit(), "be told to leave the end of the process alone");
}

Store Store::create(const std::filesystem::path& path) {
  const Hdf5Use use(path.string(), Errors::plain, Work::writing);
  const Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  expect(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110), "choose its version");
  leave_locking_to_caller(access);
  use_journal(access);
  try {
    Id id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    return Store(std::make_unique<OpenFile>(OpenFile{std::move(id), path.string()}));
  } catch (const Error& error) {
    fail(path.string(), ": ", error.what());
  }
}

Store Store::open(const std::filesystem::path& path) {
  return opened(path, H5F_ACC_RDONLY, [](auto file) { return Store(std::move(file)); });
}

Store Store::open_to_append(const std::filesystem::path& path) {
  return opened(path, H5F_ACC_RDWR, [](auto file) { return Store(std::move(file)); });
}

void Store::make_group(const std::string& path) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  if (contains(path)) return;
  const Id links = intermediate_groups();
  const Id group(H5Gcreate2(file_->id, path.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
}

void Store::set(const std::string& path, const std::string& name, const StoredValue& value) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  const Id object = file_->object(path), scalar = scalar_space();
  const auto write = [&]<class T>(const T& stored) {
    if constexpr (std::is_same_v<T, std::string>) {
      write_text_attribute(object, name, stored);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      write_attribute(object, name, H5T_STD_I64LE, scalar, &stored);
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      write_attribute(object, name, H5T_STD_U64LE, scalar, &stored);
    } else if constexpr (std::is_same_v<T, double>) {
      write_attribute(object, name, H5T_IEEE_F64LE, scalar, &stored);
    } else {
      std::vector<const char*> texts;
      texts.reserve(stored.size() + 1);  // HDF5 wants a pointer even to nothing
      for (const std::string& text : stored) texts.push_back(text.c_str());
      write_attribute(object, name, text_type(), space_of({texts.size()}), texts.data());
    }
  };
  std::visit(write, value);
}

void Store::write_text(const std::string& path, const std::string& text) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  const Id links = intermediate_groups(), space = scalar_space(), type = text_type();
  const Id dataset(H5Dcreate2(file_->id, path.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  const char* const data = text.c_str();
  expect(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &data), "write " + path);
}

void Store::write_tensor(const std::string& path, const TensorView& tensor) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  const Id space = space_of({tensor.shape().begin(), tensor.shape().end()});
  const Id type = type_of(tensor.dtype()), links = intermediate_groups();
  const Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (tensor.bytes().size() > largest_contiguous) compress(list, chunk_of(tensor.type()), true);
  const Id dataset(H5Dcreate2(file_->id, path.c_str(), type, space, links, list, H5P_DEFAULT), H5Dclose);
  if (tensor.elements() > 0)
    expect(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes().data()), "write " + path);
  set(path, "layout", "row_major");
  set(path, "units", "1");
  if (tensor.dtype() == DType::bf16) mark_bf16(dataset);
}

void Store::link(const std::string& path, const std::string& other) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  const Id links = intermediate_groups();
  expect(H5Lcreate_hard(file_->id, other.c_str(), file_->id, path.c_str(), links, H5P_DEFAULT), "link " + path);
}

void Store::make_table(const std::string& path, const TableType& type, std::size_t width) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  const Id row = row_type(type), packed(H5Tcopy(row), H5Tclose);
  expect(H5Tpack(packed), "pack a compound");
  make_growing(*file_, path, packed, width, true);
  std::vector<std::string> units;
  for (const Column& column : type.columns) units.push_back(column.units);
  set(path, "units", units);
}

void Store::append(const std::string& path, const TableType& type, std::span<const std::byte> rows) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  grow(*file_, path, row_type(type), rows.size(), type.row_bytes, rows.data());
}

void Store::replace_bytes(const std::string& path, const TableType& type, std::uint64_t row,
                          std::span<const std::byte> bytes) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  const Id dataset(H5Dopen2(file_->id, path.c_str(), H5P_DEFAULT), H5Dclose);
  const auto extents = extents_of(dataset);
  require(extents.size() == 1 && row < extents[0] && bytes.size() == type.row_bytes, path, ": has no row ", row,
          " of that size to replace");
  const hsize_t start = row, count = 1;
  const auto what = "replace a row of " + path;
  const Id all(H5Dget_space(dataset), H5Sclose), memory = space_of({count});
  expect(H5Sselect_hyperslab(all, H5S_SELECT_SET, &start, nullptr, &count, nullptr), what);
  expect(H5Dwrite(dataset, row_type(type), memory, all, H5P_DEFAULT, bytes.data()), what);
}

void Store::make_grid(const std::string& path, std::size_t width) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  make_growing(*file_, path, H5T_STD_U32LE, width, true);
  set(path, "units", "1");
}

void Store::append_grid(const std::string& path, std::span<const std::uint32_t> cells) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  grow(*file_, path, H5T_STD_U32LE, cells.size_bytes(), sizeof(std::uint32_t), cells.data());
}

void Store::make_texts(const std::string& path) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  make_growing(*file_, path, text_type(), 1, false);  // filters see references only
}

void Store::append_texts(const std::string& path, const std::vector<std::string>& texts) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  std::vector<const char*> data;
  for (const std::string& text : texts) data.push_back(text.c_str());
  grow(*file_, path, text_type(), data.size() * sizeof(char*), sizeof(char*), data.data());
}

/// As the dimension-scale specification has it (HDF5's high-level library, which is not needed for this).
void Store::attach_scale(const std::string& grid, const std::string& scale) {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  const Id scale_set = file_->object(scale), grid_set = file_->object(grid);
  const std::string_view role = "DIMENSION_SCALE";
  const Id text(H5Tcopy(H5T_C_S1), H5Tclose), scalar = scalar_space();
  expect(H5Tset_size(text, role.size() + 1), "make a text");
  write_attribute(scale_set, "CLASS", text, scalar, role.data());
  hobj_ref_t reference = 0;
  expect(H5Rcreate(&reference, file_->id, scale.c_str(), H5R_OBJECT, -1), "refer to " + scale);
  const Id list(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
  const hvl_t scales[2] = {{0, nullptr}, {1, &reference}};
  write_attribute(grid_set, "DIMENSION_LIST", list, space_of({2}), scales);
}

void Store::flush() {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  expect(H5Fflush(file_->id, H5F_SCOPE_GLOBAL), "write " + file_->name);
  try {
    commit_journal(file_->id);
  } catch (const Error& error) {
    fail(file_->name, ": ", error.what());
  }
}

void Store::close() {
  const Hdf5Use use(file_->name, Errors::named, Work::writing);
  flush();
  expect(H5Fclose(file_->id.release()), "close " + file_->name);
  file_.reset();
}

}  // namespace plumb::ir::hdf5
