#pragma once

// Which nodes of a graph are judged.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/formats/regular_expression.hpp"
#include "ir/graph.hpp"

namespace plumb::parity::cases {

/// Nodes by their labels and ops. It is made of the text of --filter wherever one is expected.
class NodeFilter {
 public:
  /// `labels`: a regular expression over labels; empty for all. Throws Error where it is none.
  NodeFilter(std::string_view labels = "");  // NOLINT(google-explicit-constructor): options are written by their texts
  NodeFilter(const char* labels) : NodeFilter(std::string_view(labels)) {}  // NOLINT(google-explicit-constructor)
  NodeFilter(const std::string& labels)
      : NodeFilter(std::string_view(labels)) {}  // NOLINT(google-explicit-constructor)

  /// Leaves out nodes whose labels match. Throws Error where it is no regular expression.
  void skip(std::string_view labels);
  /// Leaves out nodes of all ops but those that a glob names, of which there is one at least: "conv*".
  void take_ops(std::span<const std::string> globs);

  bool takes(const ir::Node& node) const;
  bool takes_all() const { return takes_all_; }

 private:
  ir::formats::RegularExpression labels_;
  std::optional<ir::formats::RegularExpression> skipped_;
  std::optional<std::vector<std::string>> ops_;  ///< globs
  bool takes_all_;
};

}  // namespace plumb::parity::cases
