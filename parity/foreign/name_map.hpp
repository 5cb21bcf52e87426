#pragma once

// A file that says which of another implementation's tensors is which value of the graph (library.md A).

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::parity::foreign {

/// One line of a map: ours = theirs. Both have one '*', or neither has.
struct MapRule {
  std::string ours, theirs;
  std::vector<std::int64_t> transpose = {};  ///< axes of theirs in the order of ours; empty where they are the same
  std::size_t line = 0;

  bool has_star() const { return ours.find('*') != std::string::npos; }
  /// The name of theirs for a name of ours; nothing where the rule is not about that name.
  std::optional<std::string> theirs_of(std::string_view name) const;
};

struct NameMap {
  std::string file;
  std::vector<MapRule> rules;
};

/// From TOML with schema = "plumb-map/1". Throws Error "FILE:LINE: ..." for anything that is not understood.
NameMap parse_map(std::string_view text, std::string file);

/// From a file of at most 1 MiB.
NameMap read_map(const std::filesystem::path& path);

}  // namespace plumb::parity::foreign
