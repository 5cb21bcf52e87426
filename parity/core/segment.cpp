#include "parity/core/segment.hpp"

#include <algorithm>
#include <set>

#include "ir/ops/cast.hpp"
#include "ir/passes/inline_bodies.hpp"
#include "ir/passes/widen.hpp"

namespace plumb::parity::core {
namespace {

/// Adds to `nodes` the node and those of its operands' producers that have to be computed again.
void collect(const ir::Graph& graph, std::size_t node, const Available& available, std::set<std::size_t>& nodes) {
  if (!nodes.insert(node).second) return;
  for (const ir::Value v : graph.nodes()[node].inputs)
    if (!available(v)) collect(graph, *graph.producer(v), available, nodes);
}

/// Whether a node rounds what it is given to a narrower float.
bool narrows(const ir::Graph& graph, const ir::Node& node) {
  const auto units = [&](ir::Value v) { return ir::unit_roundoff(graph.type(v).dtype); };
  const auto widest = [&](const std::vector<ir::Value>& values) {
    double least = 1;
    for (const ir::Value v : values) least = std::min(least, units(v));
    return least;
  };
  return std::ranges::any_of(node.outputs, [&](ir::Value v) { return units(v) > widest(node.inputs); });
}

JudgedOutput judged_of(const Segment& segment) {
  std::vector<ir::ErrorClass> classes;
  JudgedOutput judged;
  for (const ir::Node& node : segment.graph.nodes()) classes.push_back(node.op.error_class());
  judged.error_class = chained(classes);
  // The truth of f32 -> f16 -> f32 does not round in the middle, as an executor does.
  for (const ir::Node& node : segment.graph.nodes()) {
    const bool is_last = std::ranges::find(segment.outputs, node.outputs[0]) != segment.outputs.end();
    if (!is_last && narrows(segment.graph, node)) judged.error_class = ir::ErrorClass::comp;
  }
  return judged;
}

Evaluated run(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds,
              const std::vector<ir::Value>& outputs) {
  const auto executable = executor.compile(graph, {}, {outputs});
  auto results = executable->run(feeds);
  Evaluated evaluated;
  for (const ir::NodeReport& report : executable->nodes()) evaluated.nanoseconds += report.nanoseconds.value_or(0);
  for (const ir::Value v : outputs) evaluated.outputs.push_back(std::move(results.at(v)));
  return evaluated;
}

}  // namespace

Segment segment_of(const ir::Graph& graph, std::size_t node, const Available& available) {
  std::set<std::size_t> nodes;
  collect(graph, node, available, nodes);
  Segment segment;
  std::map<ir::Value, ir::Value> renumbered;
  for (const std::size_t n : nodes)
    for (const ir::Value v : graph.nodes()[n].inputs)
      if (available(v) && !renumbered.contains(v)) {
        renumbered.emplace(v, segment.graph.input(ir::cat("value ", v), graph.type(v)));
        segment.fed.push_back(v);
      }
  for (const std::size_t n : nodes) {
    const ir::Node& original = graph.nodes()[n];
    std::vector<ir::Value> inputs;
    for (const ir::Value v : original.inputs) inputs.push_back(renumbered.at(v));
    const auto outputs = segment.graph.add_all(original.label, original.op, inputs);
    // A value that was fed is not computed: several outputs of a node may be kept and others not.
    for (std::size_t k = 0; k < outputs.size(); ++k) renumbered.emplace(original.outputs[k], outputs[k]);
    if (n == node) segment.outputs = outputs;
  }
  for (const ir::Value v : segment.outputs) segment.graph.returns(v);
  // An op whose author gave it a body is judged as the nodes of that.
  if (ir::passes::has_bodies(segment.graph)) segment.graph = ir::passes::inline_bodies(segment.graph);
  segment.judged = judged_of(segment);
  return segment;
}

Segment segment_of(const ir::Graph& graph, std::size_t node) {
  return segment_of(graph, node, [](ir::Value) { return true; });
}

Segment stored_in(const Segment& segment, const std::map<std::size_t, ir::DType>& dtypes) {
  const ir::Graph& was = segment.graph;
  Segment made{.graph = was.sources(), .fed = segment.fed, .outputs = segment.outputs, .judged = {}};
  for (const ir::Node& node : was.nodes()) made.graph.place(node.label, node.op, node.inputs, node.outputs);
  for (std::size_t k = 0; k < made.outputs.size(); ++k) {
    ir::Value& output = made.outputs[k];
    if (const auto dtype = dtypes.find(k); dtype != dtypes.end())
      output = made.graph.add(ir::cat(made.graph.name(output), " as ", dtype->second), ir::ops::Cast{dtype->second},
                              {output});
    made.graph.returns(output);
  }
  made.judged = judged_of(made);
  return made;
}

ir::Feeds feeds_of(const Segment& segment, const Lookup& fed) {
  ir::Feeds feeds;
  for (std::size_t i = 0; i < segment.fed.size(); ++i) feeds.emplace(segment.graph.inputs()[i], fed(segment.fed[i]));
  return feeds;
}

Evaluated evaluate(ir::Executor& executor, const Segment& segment, const Lookup& fed) {
  return run(executor, segment.graph, feeds_of(segment, fed), segment.outputs);
}

Evaluated evaluate_widened(ir::Executor& executor, const Segment& segment, const ir::Feeds& fed) {
  return run(executor, ir::passes::widen(segment.graph), fed, segment.outputs);
}

Evaluated evaluate_widened(ir::Executor& executor, const Segment& segment, const Lookup& fed) {
  return evaluate_widened(executor, segment, feeds_of(segment, fed));
}

}  // namespace plumb::parity::core
