#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/tensor.hpp"

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

/// Opens .npy (one tensor, called ""), .npz, and .h5 or .hdf5. Throws Error with the
/// file's name.
std::unique_ptr<TensorFile> open_tensors(const std::filesystem::path& path);

using NamedTensors = std::map<std::string, Tensor, std::less<>>;

/// All tensors of a file. Throws Error before anything is allocated when they have more
/// than `most_bytes` together.
NamedTensors load_tensors(const std::filesystem::path& path, std::uint64_t most_bytes);

/// Writes a file of the kind that the extension says, atomically. A .npy holds one tensor.
void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace plumb::ir::formats
