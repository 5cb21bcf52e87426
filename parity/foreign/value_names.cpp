// Values that a candidate is asked for, and their names as a model has them, which its reader may have given to others
// or made labels of.
#include "parity/foreign/value_names.hpp"

#include <algorithm>
#include <set>

#include "ir/formats/result_names.hpp"

namespace plumb::parity::foreign {

bool is_same_graph(const ir::Graph& a, const ir::Graph& b) {
  return a.inputs() == b.inputs() && a.params() == b.params() && a.results() == b.results() &&
         std::ranges::equal(a.nodes(), b.nodes(), {}, &ir::Node::label, &ir::Node::label) &&
         structural_hash(a) == structural_hash(b);
}

std::vector<ir::Value> asked_for(const ir::Graph& graph, const ir::Capture& capture, Taps taps) {
  std::vector<ir::Value> values;
  std::set<ir::Value> seen;
  const auto add = [&](ir::Value value) {
    if (!graph.is_source(value) && seen.insert(value).second) values.push_back(value);
  };
  for (const ir::Value value : capture.wanted) add(value);
  if (taps == Taps::results) return values;
  for (const ir::Node& node : graph.nodes())
    for (const ir::Value value : node.outputs)
      if (capture.is_of_interest(value)) add(value);
  return values;
}

ValueNames::ValueNames(const ir::Graph& graph, const ir::formats::GraphFile* model) : graph_(graph), model_(model) {
  if (model == nullptr) return;
  for (std::size_t k = 0; k < graph.results().size(); ++k)
    names_.try_emplace(graph.results()[k], ir::formats::result_name(graph, k));
  for (const auto& [name, value] : model->aliases) {
    aliases_[value].push_back(name);
    // A node's further outputs have labels with a number in the graph, which no model knows.
    const auto producer = graph.producer(value);
    if (producer && graph.nodes()[*producer].outputs.front() != value) names_.try_emplace(value, name);
  }
}

std::string ValueNames::name(ir::Value value) const {
  const auto found = names_.find(value);
  return found != names_.end() ? found->second : graph_.name(value);
}

std::vector<std::string> ValueNames::also(ir::Value value) const {
  const auto found = aliases_.find(value);
  if (found == aliases_.end()) return {};
  std::vector<std::string> others = found->second;
  std::erase(others, name(value));
  return others;
}

std::optional<ir::Value> ValueNames::find(std::string_view name) const {
  if (model_ != nullptr) {
    const auto alias = model_->aliases.find(name);
    if (alias != model_->aliases.end()) return alias->second;
  }
  const auto computed = ir::formats::find_computed(graph_, name);
  return computed ? computed : graph_.find(name);
}

}  // namespace plumb::parity::foreign
