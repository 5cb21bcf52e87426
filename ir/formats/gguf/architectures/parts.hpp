#pragma once

// A model that may lie in several files (ops.md J.1).

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ir/formats/gguf/gguf.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// All files of a model, and its tensors. Metadata are those of the first.
class Parts {
 public:
  struct Part {
    Gguf file;
    std::string name;  ///< in the folder
  };
  struct Tensor {
    const Part* part;
    const TensorInfo& tensor;
  };

  /// Opens a model by its first file, "m.gguf" or "m-00001-of-00003.gguf". Throws Error where a file is missing, or
  /// does not belong to the others.
  explicit Parts(const std::filesystem::path& path);
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  const Gguf& first() const { return parts_.front().file; }
  std::size_t count() const { return parts_.size(); }
  /// The folder of all files, links resolved.
  const std::filesystem::path& folder() const { return folder_; }

  std::size_t tensors() const { return tensors_.size(); }
  auto begin() const { return tensors_.begin(); }
  auto end() const { return tensors_.end(); }
  const Tensor* find(std::string_view name) const;

 private:
  void open(const std::filesystem::path& path);
  void open_others(const std::filesystem::path& path, std::int64_t count);
  void list_tensors();

  std::filesystem::path folder_;
  std::vector<Part> parts_;
  std::vector<Tensor> tensors_;  ///< file by file
  std::map<std::string_view, std::size_t> names_;
};

}  // namespace plumb::ir::formats::gguf::architectures
