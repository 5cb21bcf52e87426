// Holds flags that choose nodes against graphs.
#include "parity/cli/flags/node_choices.hpp"

#include <algorithm>

#include "ir/formats/regular_expression.hpp"

namespace plumb::parity::cli::flags {

std::vector<std::size_t> matching_nodes(const ir::Graph& graph, const std::string& pattern) {
  const ir::formats::RegularExpression expression(pattern, "--nodes");
  std::vector<std::size_t> matching;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    if (expression.is_in(graph.nodes()[n].label)) matching.push_back(n);
  ir::require(!matching.empty(), "no node matches --nodes '", pattern, "'");
  return matching;
}

void NodeChoices::add(std::function<bool(const ir::Node&)> takes, std::string objection) {
  choices_.push_back({std::move(takes), std::move(objection)});
}

void NodeChoices::add_labels(const std::string& text, const char* flag) {
  if (text.empty()) return;
  add([chosen = ir::formats::RegularExpression(text, flag)](const ir::Node& node) { return chosen.is_in(node.label); },
      ir::cat("no node matches ", flag, " '", text, "'"));
}

void NodeChoices::look_at(std::span<const std::string> paths, const verify::GraphReader& read) {
  for (const std::string& path : paths) try {
      if (std::ranges::all_of(choices_, &Choice::is_met)) return;
      const ir::formats::GraphFile file = read(path);
      for (Choice& one : choices_) one.is_met |= std::ranges::any_of(file.graph.nodes(), one.takes);
      has_nodes_ |= !file.graph.nodes().empty();
    } catch (const ir::Error&) {
      // The fault of this file is reported when it is verified.
    }
}

void NodeChoices::require_met() const {
  if (!has_nodes_) return;
  for (const Choice& one : choices_) ir::require(one.is_met, one.objection);
}

}  // namespace plumb::parity::cli::flags
