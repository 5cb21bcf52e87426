#include "ir/formats/tensor_files.hpp"

#include <algorithm>
#include <type_traits>

#include "ir/files/output_file.hpp"
#include "ir/files/random_access.hpp"
#include "ir/files/read_file.hpp"
#include "ir/formats/gguf_tensors.hpp"
#include "ir/formats/hdf5_tensors.hpp"
#include "ir/formats/npy.hpp"
#include "ir/formats/safetensors.hpp"
#include "ir/formats/zip.hpp"
#include "ir/raw/mappings.hpp"

namespace plumb::ir::formats {
namespace {

/// A .npy file: one tensor, whose name is empty.
class NpyFile final : public TensorFile {
 public:
  explicit NpyFile(const std::filesystem::path& path) : file_(path) {
    header_ = parse_npy_header([this](std::span<std::byte> bytes) { file_.read(0, bytes); });
    const std::uint64_t bytes = file_.size() - header_.bytes;
    require(bytes == header_.type.bytes(), "has ", bytes, " bytes of elements, ", header_.type, " wants ",
            header_.type.bytes());
  }

  std::vector<std::string> names() const override { return {""}; }
  bool contains(std::string_view name) const override { return name.empty(); }
  TensorType type(std::string_view) const override { return header_.type; }
  Tensor read(std::string_view) const override {
    Tensor tensor(header_.type);
    file_.read(header_.bytes, tensor.bytes());
    return npy_tensor(header_, std::move(tensor));
  }

 private:
  files::RandomAccessFile file_;
  NpyHeader header_;
};

/// A folder of .npy files: "a/b.npy" is the tensor "a/b". Links in it, to files and to folders, are passed over, so
/// that a folder of strangers reads nothing outside itself; so are all other files.
class NpyFolder final : public TensorFile {
 public:
  explicit NpyFolder(const std::filesystem::path& folder) {
    std::error_code problem;
    std::filesystem::recursive_directory_iterator entry(folder, problem);
    for (std::size_t seen = 0; !problem && entry != std::filesystem::recursive_directory_iterator();
         entry.increment(problem)) {
      require(++seen <= most_entries, "has more than ", most_entries, " entries");
      if (entry->symlink_status().type() != std::filesystem::file_type::regular) continue;
      std::string name = entry->path().lexically_relative(folder).generic_string();
      if (!name.ends_with(".npy")) continue;
      name.resize(name.size() - std::string_view(".npy").size());
      paths_.emplace(std::move(name), entry->path());
    }
    require(!problem, "cannot be read: ", problem.message());
    require(!paths_.empty(), "is a folder without a .npy file");
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, path] : paths_) names.push_back(name);
    return names;
  }
  bool contains(std::string_view name) const override { return paths_.contains(name); }
  TensorType type(std::string_view name) const override {
    return of(name, [](const NpyFile& file) { return file.type(""); });
  }
  Tensor read(std::string_view name) const override {
    return of(name, [](const NpyFile& file) { return file.read(""); });
  }

 private:
  static constexpr std::size_t most_entries = std::size_t{1} << 16;

  /// Opens the file anew each time, as a folder may have more files than a process may hold open.
  template <class Act>
  std::invoke_result_t<Act, const NpyFile&> of(std::string_view name, Act act) const {
    const auto found = paths_.find(name);
    require(found != paths_.end(), "has no tensor '", name, "'");
    try {
      return act(NpyFile(found->second));
    } catch (const Error& error) {
      fail("tensor '", name, "' ", error.what());
    }
  }

  std::map<std::string, std::filesystem::path, std::less<>> paths_;
};

/// A .npz file: a zip archive whose members "name.npy" are .npy files.
class NpzFile final : public TensorFile {
 public:
  explicit NpzFile(const std::filesystem::path& path) : zip_(path) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [member, entry] : zip_.entries())
      if (member.ends_with(suffix) && member != std::string(about_name) + suffix)
        names.push_back(member.substr(0, member.size() - suffix.size()));
    return names;
  }
  bool contains(std::string_view name) const override { return zip_.entries().contains(std::string(name) + suffix); }
  TensorType type(std::string_view name) const override { return header(entry(name), name).type; }
  Tensor read(std::string_view name) const override {
    const auto& member = entry(name);
    const NpyHeader start = header(member, name);
    Tensor tensor(start.type);
    zip_.read(member, start.bytes, tensor.bytes());
    return npy_tensor(start, std::move(tensor));
  }

 private:
  static inline const std::string suffix = ".npy";

  const ZipReader::Entry& entry(std::string_view name) const {
    const auto found = zip_.entries().find(std::string(name) + suffix);
    require(found != zip_.entries().end(), "has no tensor '", name, "'");
    return found->second;
  }
  NpyHeader header(const ZipReader::Entry& entry, std::string_view name) const {
    try {
      const NpyHeader start = parse_npy_header([&](std::span<std::byte> bytes) { zip_.read_start(entry, bytes); });
      require(entry.size - start.bytes == start.type.bytes(), "has ", entry.size - start.bytes, " bytes of elements, ",
              start.type, " wants ", start.type.bytes());
      return start;
    } catch (const Error& error) {
      fail("tensor '", name, "' ", error.what());
    }
  }

  ZipReader zip_;
};

void save_npy(files::OutputFile& file, const Tensor& tensor) {
  file.write(npy_header(tensor.type()));
  file.write(tensor.bytes());
}

void save_npz(files::OutputFile& file, const NamedTensors& tensors, std::string_view about) {
  ZipWriter zip(file);
  if (!about.empty()) {
    const std::string head = npy_header({DType::u8, {static_cast<std::int64_t>(about.size())}});
    zip.add(std::string(about_name) + ".npy", std::as_bytes(std::span(head)), std::as_bytes(std::span(about)));
  }
  for (const auto& [name, tensor] : tensors) {
    const std::string head = npy_header(tensor.type());
    zip.add(name + ".npy", std::as_bytes(std::span(head)), tensor.bytes());
    raw::release_after_use(tensor.bytes());
  }
  zip.finish();
}

using files::FileKind;

FileKind kind_of(const std::filesystem::path& path) {
  if (files::has_extension(path, ".npy")) return FileKind::npy;
  if (files::has_extension(path, ".npz")) return FileKind::zip;
  require(files::has_extension(path, ".h5") || files::has_extension(path, ".hdf5"),
          "is not called .npy, .npz, .h5 or .hdf5");
  return FileKind::hdf5;
}

/// Names the file in what `act` throws.
template <class Act>
auto named(const std::string& path, Act act) {
  try {
    return act();
  } catch (const Error& error) {
    fail(path, ": ", error.what());
  }
}

/// Names the file in what its reader throws.
class NamedFile final : public TensorFile {
 public:
  NamedFile(std::string path, std::unique_ptr<TensorFile> file) : path_(std::move(path)), file_(std::move(file)) {}

  std::vector<std::string> names() const override { return file_->names(); }
  bool contains(std::string_view name) const override { return file_->contains(name); }
  TensorType type(std::string_view name) const override {
    return named(path_, [&] { return file_->type(name); });
  }
  Tensor read(std::string_view name) const override {
    return named(path_, [&] { return file_->read(name); });
  }

 private:
  std::string path_;
  std::unique_ptr<TensorFile> file_;
};

std::unique_ptr<TensorFile> open_unnamed(const std::filesystem::path& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return std::make_unique<NpyFolder>(path);
  files::require_regular_file(path);  // before anything is said of how it is called
  if (files::has_extension(path, ".safetensors")) return open_safetensors(path);
  if (is_gguf(path)) return open_gguf_tensors(path);
  const bool known = files::has_extension(path, ".npy") || files::has_extension(path, ".npz") ||
                     files::has_extension(path, ".h5") || files::has_extension(path, ".hdf5");
  require(known, "is not called .npy, .npz, .h5, .hdf5, .safetensors or .gguf, and is no folder of .npy files");
  const FileKind kind = kind_of(path);
  if (kind == FileKind::npy) return std::make_unique<NpyFile>(path);
  if (kind == FileKind::zip) return std::make_unique<NpzFile>(path);
  return open_hdf5_tensors(path);
}

}  // namespace

TensorType taken_as(const TensorType& found, DType wanted) {
  return {found.dtype == DType::u16 && is_float(wanted) ? DType::bf16 : found.dtype, found.shape};
}

Tensor taken_as(Tensor found, DType wanted) {
  const TensorType type = taken_as(found.type(), wanted);
  if (type == found.type()) return found;
  Tensor bits(type);
  std::ranges::copy(found.bytes(), bits.bytes().begin());
  return bits;
}

std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path) {
  return named(path.string(), [&]() -> std::unique_ptr<TensorFile> {
    return std::make_unique<NamedFile>(path.string(), open_unnamed(path));
  });
}

NamedTensors load_tensors(const std::filesystem::path& path, std::uint64_t most_bytes, const TensorCheck& check) {
  const auto file = open_tensors(path);
  const auto names = file->names();
  std::vector<DType> dtypes;
  std::uint64_t bytes = 0;
  for (const auto& name : names) {
    const TensorType type = file->type(name);
    dtypes.push_back(check ? check(name, type).dtype : type.dtype);
    const bool too_many = __builtin_add_overflow(bytes, type.bytes(), &bytes) || bytes > most_bytes;
    require(!too_many, path.string(), ": its tensors have more than ", most_bytes, " bytes");
  }
  NamedTensors tensors;
  for (std::size_t k = 0; k < names.size(); ++k) tensors.emplace(names[k], taken_as(file->read(names[k]), dtypes[k]));
  return tensors;
}

files::FileKind kind_of_tensors(const std::filesystem::path& path) {
  return named(path.string(), [&] { return kind_of(path); });
}

void save_tensors(files::OutputFile& file, const NamedTensors& tensors, std::string_view about) {
  const std::string name = file.name().string();
  const FileKind kind = kind_of_tensors(name);
  require(kind != FileKind::npy || tensors.size() == 1, name, ": a .npy file holds one tensor, given ", tensors.size());
  if (kind == FileKind::npy)
    save_npy(file, tensors.begin()->second);
  else if (kind == FileKind::zip)
    save_npz(file, tensors, about);
  else
    named(name, [&] { save_hdf5_tensors(file.part(), tensors, about); });
  file.commit();
}

void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors) {
  files::OutputFile file(path, {.kind = kind_of_tensors(path)});
  save_tensors(file, tensors);
}

}  // namespace plumb::ir::formats
