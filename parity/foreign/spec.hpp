#pragma once

// Reads how a user names a candidate: "[NAME=]KIND[:...]" (library.md A).

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::parity::foreign {

enum class Kind { vulkan, cpu, file, exec, py, tvmffi, plugin, onnxruntime };

constexpr auto enum_names(Kind) {
  return std::array<std::string_view, 8>{"vulkan", "cpu", "file", "exec", "py", "tvmffi", "plugin", "onnxruntime"};
}

/// A candidate as it was named. Parts that its kind does not have are empty.
struct Spec {
  std::string name;  ///< [a-z0-9_-]{1,32}
  Kind kind = Kind::vulkan;
  std::string text = {};  ///< all that follows the kind and its colon

  std::string path = {};       ///< the file or folder of file, py, tvmffi, plugin and onnxruntime
  std::string prefix = {};     ///< file: what the names of its tensors begin with
  std::string function = {};   ///< py: the function; tvmffi: the symbol
  std::string arguments = {};  ///< vulkan: the device; exec: the command; plugin: what is passed through
  std::vector<std::pair<std::string, std::string>> options = {};  ///< onnxruntime: KEY=VALUE, in their order

  /// "KIND:TEXT", or "KIND" alone.
  std::string whole() const;
};

/// Reads one --candidate. Throws Error that says what was wanted, and require_trusted_library's for a library.
Spec parse_spec(std::string_view given);

/// Throws Error unless the path of a library contains a slash, so that it is never searched for, and is a regular file
/// that not everybody may replace: neither it nor its folder (unless sticky) may be writable by all. A link is
/// followed, and its own folder is held to that, too.
void require_trusted_library(const std::filesystem::path& path);

}  // namespace plumb::parity::foreign
