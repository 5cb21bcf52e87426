#include "parity/results/record_hdf5_store.hpp"

#define H5_USE_110_API  // later releases keep these names
#include <hdf5.h>

#include <algorithm>

#include "parity/results/record_hdf5_id.hpp"

namespace plumb::parity::results {
namespace {

constexpr hsize_t rows_a_chunk = 1024;
constexpr std::size_t largest_contiguous = 64 << 10, largest_chunk = 1 << 20;
constexpr unsigned gzip_level = 4;

Hdf5Id scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose}; }

Hdf5Id simple_space(const std::vector<hsize_t>& extents, const std::vector<hsize_t>& most = {}) {
  const int rank = static_cast<int>(extents.size());
  return {H5Screate_simple(rank, extents.data(), most.empty() ? nullptr : most.data()), H5Sclose};
}

Hdf5Id intermediate_groups() {
  Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  hdf5_expect(H5Pset_create_intermediate_group(links, 1), "make groups");
  hdf5_expect(H5Pset_char_encoding(links, H5T_CSET_UTF8), "name groups");
  return links;
}

void compress(hid_t list, const std::vector<hsize_t>& chunk, bool filters) {
  hdf5_expect(H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data()), "choose chunks");
  if (!filters) return;
  hdf5_expect(H5Pset_shuffle(list), "choose filters");
  hdf5_expect(H5Pset_deflate(list, gzip_level), "choose filters");
  hdf5_expect(H5Pset_fletcher32(list), "choose filters");
}

/// A dataset that grows along its first axis, empty.
void make_growing(const Hdf5File& file, const std::string& path, hid_t type, std::size_t width, bool filters) {
  std::vector<hsize_t> extents = {0}, most = {H5S_UNLIMITED}, chunk = {rows_a_chunk};
  if (width != 1)
    for (auto* list : {&extents, &most, &chunk}) list->push_back(width);
  const Hdf5Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  compress(list, chunk, filters);
  const Hdf5Id links = intermediate_groups(), space = simple_space(extents, most);
  const Hdf5Id dataset(H5Dcreate2(file.id, path.c_str(), type, space, links, list, H5P_DEFAULT), H5Dclose);
}

/// Writes `count` more rows of memory type `type`.
void grow(const Hdf5File& file, const std::string& path, hid_t type, std::size_t bytes, std::size_t cell_bytes,
          const void* data) {
  if (bytes == 0) return;
  const Hdf5Id dataset(H5Dopen2(file.id, path.c_str(), H5P_DEFAULT), H5Dclose);
  const Hdf5Id before(H5Dget_space(dataset), H5Sclose);
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(before)));
  H5Sget_simple_extent_dims(before, extents.data(), nullptr);
  const std::size_t width = extents.size() == 2 ? extents[1] : 1;
  ir::require(bytes % (cell_bytes * width) == 0, path, ": ", bytes, " bytes are no rows of ", cell_bytes * width);
  std::vector<hsize_t> start(extents.size(), 0), count = extents;
  start[0] = extents[0];
  count[0] = bytes / (cell_bytes * width);
  extents[0] += count[0];
  const auto what = "append to " + path;
  hdf5_expect(H5Dset_extent(dataset, extents.data()), what);
  const Hdf5Id after(H5Dget_space(dataset), H5Sclose), memory = simple_space(count);
  hdf5_expect(H5Sselect_hyperslab(after, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), what);
  hdf5_expect(H5Dwrite(dataset, type, memory, after, H5P_DEFAULT, data), what);
}

void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t space, const void* data) {
  if (H5Aexists(object, name.c_str()) > 0) hdf5_expect(H5Adelete(object, name.c_str()), "replace attribute " + name);
  const Hdf5Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  hdf5_expect(H5Awrite(attribute, type, data), "write attribute " + name);
}

/// Full chunks of at most 1 MiB: slices along the slowest axes.
std::vector<hsize_t> chunk_of(const ir::TensorType& type) {
  std::vector<hsize_t> chunk(type.shape.begin(), type.shape.end());
  const auto bytes = [&] {
    std::size_t product = ir::info(type.dtype).bytes;
    for (const hsize_t extent : chunk) product *= extent;
    return product;
  };
  for (hsize_t& extent : chunk)
    while (extent > 1 && bytes() > largest_chunk) extent = (extent + 1) / 2;
  return chunk;
}

Hdf5Store opened(const std::filesystem::path& path, unsigned flags, auto make) {
  const Hdf5Use use(path.string());
  try {
    return make(
        std::make_unique<Hdf5File>(Hdf5File{{H5Fopen(path.c_str(), flags, H5P_DEFAULT), H5Fclose}, path.string()}));
  } catch (const ir::Error& error) {
    ir::fail(path.string(), ": ", error.what());
  }
}

}  // namespace

Hdf5Id Hdf5File::object(const std::string& path) const { return {H5Oopen(id, path.c_str(), H5P_DEFAULT), H5Oclose}; }

Hdf5Store::Hdf5Store(std::unique_ptr<Hdf5File> file) : file_(std::move(file)) {}
Hdf5Store::Hdf5Store(Hdf5Store&&) noexcept = default;
Hdf5Store& Hdf5Store::operator=(Hdf5Store&&) noexcept = default;
Hdf5Store::~Hdf5Store() {
  if (!file_) return;
  const Hdf5Use use(file_->name);
  file_.reset();
}

void Hdf5Store::leave_process_alone() { hdf5_expect(H5dont_atexit(), "be told to leave the end of the process alone"); }

Hdf5Store Hdf5Store::create(const std::filesystem::path& path) {
  const Hdf5Use use(path.string());
  const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  hdf5_expect(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110), "choose its version");
  try {
    Hdf5Id id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    return Hdf5Store(std::make_unique<Hdf5File>(Hdf5File{std::move(id), path.string()}));
  } catch (const ir::Error& error) {
    ir::fail(path.string(), ": ", error.what());
  }
}

Hdf5Store Hdf5Store::open(const std::filesystem::path& path) {
  return opened(path, H5F_ACC_RDONLY, [](auto file) { return Hdf5Store(std::move(file)); });
}

Hdf5Store Hdf5Store::open_to_append(const std::filesystem::path& path) {
  return opened(path, H5F_ACC_RDWR, [](auto file) { return Hdf5Store(std::move(file)); });
}

void Hdf5Store::make_group(const std::string& path) {
  const Hdf5Use use(file_->name);
  if (contains(path)) return;
  const Hdf5Id links = intermediate_groups();
  const Hdf5Id group(H5Gcreate2(file_->id, path.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
}

void Hdf5Store::set(const std::string& path, const std::string& name, const StoredValue& value) {
  const Hdf5Use use(file_->name);
  const Hdf5Id object = file_->object(path), scalar = scalar_space();
  const auto write = [&]<class T>(const T& stored) {
    if constexpr (std::is_same_v<T, std::string>) {
      const char* const text = stored.c_str();
      write_attribute(object, name, hdf5_text_type(), scalar, &text);
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
      write_attribute(object, name, hdf5_text_type(), simple_space({texts.size()}), texts.data());
    }
  };
  std::visit(write, value);
}

void Hdf5Store::write_text(const std::string& path, const std::string& text) {
  const Hdf5Use use(file_->name);
  const Hdf5Id links = intermediate_groups(), space = scalar_space(), type = hdf5_text_type();
  const Hdf5Id dataset(H5Dcreate2(file_->id, path.c_str(), type, space, links, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  const char* const data = text.c_str();
  hdf5_expect(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &data), "write " + path);
}

void Hdf5Store::write_tensor(const std::string& path, const ir::TensorView& tensor) {
  const Hdf5Use use(file_->name);
  const std::vector<hsize_t> extents(tensor.shape().begin(), tensor.shape().end());
  const Hdf5Id space = extents.empty() ? scalar_space() : simple_space(extents);
  const Hdf5Id type = hdf5_dtype(tensor.dtype()), links = intermediate_groups();
  const Hdf5Id list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (tensor.bytes().size() > largest_contiguous) compress(list, chunk_of(tensor.type()), true);
  const Hdf5Id dataset(H5Dcreate2(file_->id, path.c_str(), type, space, links, list, H5P_DEFAULT), H5Dclose);
  if (tensor.elements() > 0)
    hdf5_expect(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, tensor.bytes().data()), "write " + path);
  set(path, "layout", "row_major");
  set(path, "units", "1");
  if (tensor.dtype() == ir::DType::bf16) set(path, "encoding", "bfloat16");
}

void Hdf5Store::make_table(const std::string& path, const results::TableType& type, std::size_t width) {
  const Hdf5Use use(file_->name);
  const Hdf5Id row = hdf5_row_type(type), packed(H5Tcopy(row), H5Tclose);
  hdf5_expect(H5Tpack(packed), "pack a compound");
  make_growing(*file_, path, packed, width, true);
  std::vector<std::string> units;
  for (const results::Column& column : type.columns) units.push_back(column.units);
  set(path, "units", units);
}

void Hdf5Store::append(const std::string& path, const results::TableType& type, std::span<const std::byte> rows) {
  const Hdf5Use use(file_->name);
  grow(*file_, path, hdf5_row_type(type), rows.size(), type.row_bytes, rows.data());
}

void Hdf5Store::make_grid(const std::string& path, std::size_t width) {
  const Hdf5Use use(file_->name);
  make_growing(*file_, path, H5T_STD_U32LE, width, true);
  set(path, "units", "1");
}

void Hdf5Store::append_grid(const std::string& path, std::span<const std::uint32_t> cells) {
  const Hdf5Use use(file_->name);
  grow(*file_, path, H5T_STD_U32LE, cells.size_bytes(), sizeof(std::uint32_t), cells.data());
}

void Hdf5Store::make_texts(const std::string& path) {
  const Hdf5Use use(file_->name);
  make_growing(*file_, path, hdf5_text_type(), 1, false);  // filters see references only
}

void Hdf5Store::append_texts(const std::string& path, const std::vector<std::string>& texts) {
  const Hdf5Use use(file_->name);
  std::vector<const char*> data;
  for (const std::string& text : texts) data.push_back(text.c_str());
  grow(*file_, path, hdf5_text_type(), data.size() * sizeof(char*), sizeof(char*), data.data());
}

/// As the dimension-scale specification has it (HDF5's high-level library, which is not needed for this).
void Hdf5Store::attach_scale(const std::string& grid, const std::string& scale) {
  const Hdf5Use use(file_->name);
  const Hdf5Id scale_set = file_->object(scale), grid_set = file_->object(grid);
  const std::string_view role = "DIMENSION_SCALE";
  const Hdf5Id text(H5Tcopy(H5T_C_S1), H5Tclose), scalar = scalar_space();
  hdf5_expect(H5Tset_size(text, role.size() + 1), "make a text");
  write_attribute(scale_set, "CLASS", text, scalar, role.data());
  hobj_ref_t reference = 0;
  hdf5_expect(H5Rcreate(&reference, file_->id, scale.c_str(), H5R_OBJECT, -1), "refer to " + scale);
  const Hdf5Id list(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
  const hvl_t scales[2] = {{0, nullptr}, {1, &reference}};
  write_attribute(grid_set, "DIMENSION_LIST", list, simple_space({2}), scales);
}

void Hdf5Store::flush() {
  const Hdf5Use use(file_->name);
  hdf5_expect(H5Fflush(file_->id, H5F_SCOPE_GLOBAL), "write " + file_->name);
}

void Hdf5Store::close() {
  const Hdf5Use use(file_->name);
  flush();
  hdf5_expect(H5Fclose(file_->id.release()), "close " + file_->name);
  file_.reset();
}

}  // namespace plumb::parity::results
