// The truth of a graph as it was written, carried on beside the graph in another dtype that runs.
#include "parity/verify/written/written_truth.hpp"

#include <algorithm>

#include "ir/passes/widen.hpp"
#include "parity/core/segment.hpp"

namespace plumb::parity::verify {

WrittenTruth::WrittenTruth(const cases::Written& written, const ir::Graph& runs, ir::Executor& reference,
                           KeptTruths* kept)
    : written_(written),
      reference_(reference),
      kept_(kept),
      truths_(written.graph.value_count()),
      last_readers_(written.graph.value_count()) {
  const auto& nodes = written.graph.nodes();
  for (std::size_t m = 0; m < nodes.size(); ++m) {
    for (const auto* const values : {&nodes[m].inputs, &nodes[m].outputs})
      for (const ir::Value v : *values) last_readers_[v] = m;
    std::size_t begin = runs.nodes().size(), end = 0;
    for (const ir::Value v : nodes[m].outputs) {
      begin = std::min(begin, *runs.producer(v));
      end = std::max(end, *runs.producer(v));
    }
    begins_.push_back(begin);
    ends_.push_back(end);
  }
}

void WrittenTruth::carry_to(std::size_t n) {
  for (; evaluated_ < begins_.size() && begins_[evaluated_] <= n; ++evaluated_) evaluate(evaluated_);
}

/// Operands are lent without copies, and given back whatever comes of it: others may be reading them.
void WrittenTruth::evaluate(std::size_t m) {
  const ir::Graph& graph = written_.graph;
  const ir::Node& node = graph.nodes()[m];
  const auto has_truth = [&](ir::Value v) { return graph.is_source(v) || truths_[v].has_value(); };
  if (!problem_.empty() || !ir::passes::why_no_truth(graph, node).empty()) return;
  if (!std::ranges::all_of(node.inputs, has_truth)) return;
  if (auto kept = kept_ != nullptr ? kept_->of(node) : std::nullopt) {
    for (std::size_t k = 0; k < kept->size(); ++k) truths_[node.outputs[k]] = std::move((*kept)[k]);
    return;
  }
  const core::Segment alone = core::segment_of(graph, m);
  ir::Feeds fed;
  for (std::size_t i = 0; i < alone.fed.size(); ++i) {
    const ir::Value v = alone.fed[i];
    fed.emplace(alone.graph.inputs()[i],
                graph.is_source(v) ? ir::passes::widen(ir::fed(graph, written_.feeds, v)) : std::move(*truths_[v]));
  }
  core::Evaluated evaluated;
  try {
    evaluated = core::evaluate_widened(reference_, alone, fed);
  } catch (const ir::Error& error) {
    problem_ = error.what();
  }
  for (std::size_t i = 0; i < alone.fed.size(); ++i)
    if (!graph.is_source(alone.fed[i])) truths_[alone.fed[i]] = std::move(fed.at(alone.graph.inputs()[i]));
  for (std::size_t k = 0; k < evaluated.outputs.size(); ++k) {
    if (kept_ != nullptr) kept_->keep(node.outputs[k], evaluated.outputs[k]);
    truths_[node.outputs[k]] = std::move(evaluated.outputs[k]);
  }
}

const ir::Tensor* WrittenTruth::find(ir::Value v) const {
  return v < truths_.size() && truths_[v] ? &*truths_[v] : nullptr;
}

void WrittenTruth::release(std::size_t n) {
  for (; released_ < evaluated_ && ends_[released_] <= n; ++released_) {
    const ir::Node& node = written_.graph.nodes()[released_];
    for (const auto* const values : {&node.inputs, &node.outputs})
      for (const ir::Value v : *values)
        if (last_readers_[v] <= released_) truths_[v].reset();
  }
}

}  // namespace plumb::parity::verify
