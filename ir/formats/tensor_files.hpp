// Named tensors in .npy, .npz and HDF5 files, read without trust and written whole; .safetensors files, GGUF files and
// folders of .npy files are only read.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor.hpp"

namespace plumb::ir::files {
class OutputFile;
enum class FileKind;
}  // namespace plumb::ir::files

namespace plumb::ir::formats {

/// A file of named tensors, opened for reading. The file is taken as hostile: what its
/// headers promise is checked before anything is allocated. All members throw Error.
class TensorFile {
 public:
  virtual ~TensorFile() = default;

  virtual std::vector<std::string> names() const = 0;
  virtual bool contains(std::string_view name) const = 0;
  /// The type of a tensor, without its numbers.
  virtual TensorType type(std::string_view name) const = 0;
  virtual Tensor read(std::string_view name) const = 0;
};

/// Opens .npy (one tensor, called ""), .npz, .h5 or .hdf5, .safetensors, .gguf (blocks as u8 [.., row bytes], views of
/// the file), and a folder of .npy files, whose tensors are called as their files, below the folder and without ".npy"
/// ("a/b"); links in it are passed over. Throws Error with the file's name.
std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path);

using NamedTensors = std::map<std::string, Tensor, std::less<>>;

/// The type that a tensor in a file is taken as where one of dtype `wanted` is asked for: u16 is the bits of bf16 where
/// a float is wanted.
TensorType taken_as(const TensorType& found, DType wanted);
Tensor taken_as(Tensor found, DType wanted);

/// The type that a tensor of this name and type is taken as. Throws Error where the tensor is not wanted.
using TensorCheck = std::function<TensorType(std::string_view name, const TensorType& type)>;

/// All tensors of a file. Throws Error before anything is allocated when they have more than `most_bytes` together, or
/// `check` refuses one.
NamedTensors load_tensors(const std::filesystem::path& path, std::uint64_t most_bytes, const TensorCheck& check = {});

/// Writes a file of the kind that the extension says, whole or not at all, over any that is there. A .npy holds one
/// tensor. Throws Error with the file's name.
void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors);

/// Where a file keeps what it says of itself: a member of an archive, as bytes, which readers of tensors pass over, and
/// an attribute of an HDF5 file. A .npy has no room for it.
inline constexpr std::string_view about_name = "plumb.json";

/// Writes them into a file that was opened earlier, of the kind that its name says, and commits it. `about`, where it
/// is not empty, is a JSON text.
void save_tensors(files::OutputFile& file, const NamedTensors& tensors, std::string_view about = "");

/// The kind of file that a name of a tensor file stands for. Throws Error, with the name, where it stands for none.
files::FileKind kind_of_tensors(const std::filesystem::path& path);

}  // namespace plumb::ir::formats
