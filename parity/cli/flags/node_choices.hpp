#pragma once

// Flags that choose nodes, held against the graphs of a command line before anything is run.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "parity/verify/verify.hpp"

namespace plumb::parity::cli::flags {

/// The nodes of a graph, by their places, whose labels match --nodes. Throws Error where none does, and where the text
/// is no regular expression.
std::vector<std::size_t> matching_nodes(const ir::Graph& graph, const std::string& pattern);

/// Choices of nodes, each of which has to take a node of some graph: a word that takes none was misspelt.
class NodeChoices {
 public:
  /// `objection`: the error where it takes no node.
  void add(std::function<bool(const ir::Node&)> takes, std::string objection);
  /// A regular expression over labels as the text of a flag, unless it is empty. Throws Error when it is none.
  void add_labels(const std::string& text, const char* flag);

  std::size_t size() const { return choices_.size(); }

  /// Reads graphs, until every choice has taken a node.
  void look_at(std::span<const std::string> paths, const verify::GraphReader& read);
  /// Throws Error where a choice took no node. Graphs that cannot be read, and those without nodes, are no proof of it.
  void require_met() const;

 private:
  struct Choice {
    std::function<bool(const ir::Node&)> takes;
    std::string objection;
    bool is_met = false;
  };
  std::vector<Choice> choices_;
  bool has_nodes_ = false;
};

}  // namespace plumb::parity::cli::flags
