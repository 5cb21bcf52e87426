#pragma once

// The names that values of a graph go by, and how names of others resemble them.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/formats/graph_file.hpp"

namespace plumb::parity::foreign {

/// All names of a file's values: the graph's own ("label", "label:1"), what the model calls its results, and aliases.
class Names {
 public:
  explicit Names(const ir::formats::GraphFile& file);

  /// By name, the values called so: one, or a source and the result that hands it on. Ascending.
  const std::map<std::string, std::vector<ir::Value>, std::less<>>& all() const { return all_; }
  /// The values that have exactly this name; none where it is unknown.
  std::vector<ir::Value> find(std::string_view name) const;
  /// Whether the name is the graph's own or a result's, not an alias.
  bool is_own(std::string_view name) const { return !aliases_.contains(name); }
  /// The names of values that nodes compute.
  const std::vector<std::string>& computed() const { return computed_; }

 private:
  std::map<std::string, std::vector<ir::Value>, std::less<>> all_;
  std::map<std::string, ir::Value, std::less<>> aliases_;
  std::vector<std::string> computed_;
};

/// The name in small letters, with '/' for '.' and ':', without a final ":0".
std::string normalised(std::string_view name);

/// The text that all of these normalised names begin with, up to and with a '/'; "" for none.
std::string shared_prefix(const std::vector<std::string>& names);

/// did_you_mean for names that others chose: "" where the name or the list is so long that the search would take long.
std::string nearest(std::string_view name, const std::vector<std::string>& names);

}  // namespace plumb::parity::foreign
