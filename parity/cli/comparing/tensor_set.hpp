#pragma once

// Tensors by name, from whatever file or folder `plumb compare` is given.

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/formats/tensor_files.hpp"

namespace plumb::parity::cli {

/// FILE or FILE#PREFIX as a user names tensors.
struct TensorPlace {
  std::string path, prefix;

  std::string text() const { return prefix.empty() ? path : path + '#' + prefix; }
};

/// Takes what follows the last '#' as a prefix, unless a file is called so as a whole.
TensorPlace parse_place(const std::string& given);

/// The tensors of a file (.npz, .npy, .h5, .safetensors, .gguf, or .pb with one TensorProto) or folder (.npy and .pb,
/// which go by their own name or else by their path without ".pb"), of those below a prefix alone, without it.
class TensorSet {
 public:
  /// Throws Error, naming the file, where it cannot be read, or nothing is below the prefix.
  explicit TensorSet(const TensorPlace& place);

  /// In the order of the nodes, where the file says it, else as numbers and letters go.
  const std::vector<std::string>& names() const { return names_; }
  bool has_graph_order() const { return !order_.empty(); }
  ir::TensorType type(const std::string& name) const;
  ir::Tensor read(const std::string& name) const;
  /// Where the node of a tensor is in the order of its graph; nothing where the file does not say it.
  std::optional<std::int64_t> order(const std::string& name) const;

 private:
  void add_file(const std::filesystem::path& path);
  void add_proto(const std::filesystem::path& path, const std::string& otherwise);
  void add_folder(const std::filesystem::path& folder);
  void keep_below(const TensorPlace& place);

  std::unique_ptr<ir::formats::TensorFile> file_;
  std::map<std::string, ir::Tensor, std::less<>> protos_;
  std::map<std::string, std::string, std::less<>> stored_;  ///< names in file_, by those without the prefix
  std::map<std::string, std::int64_t, std::less<>> order_;  ///< by names as they are stored
  std::vector<std::string> names_;
};

}  // namespace plumb::parity::cli
