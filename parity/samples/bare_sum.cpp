#include "parity/samples/bare_sum.hpp"

#include <algorithm>

#include "ir/passes/widen.hpp"

namespace plumb::parity::samples {

std::optional<elements::Summing> find_bare_sum(const elements::Subject& subject, std::size_t k) {
  const ir::Graph& graph = subject.segment.graph;
  if (graph.nodes().size() != 1 || k != 0) return std::nullopt;
  const auto is_real = [&](ir::Value v) { return ir::is_float(graph.type(v).dtype); };
  if (!std::ranges::all_of(graph.nodes().front().inputs, is_real)) return std::nullopt;
  ir::Feeds fed;
  for (std::size_t i = 0; i < subject.inputs.size(); ++i)
    fed.emplace(graph.inputs()[i], ir::passes::widen(subject.inputs[i]));
  return elements::summing_node(subject, fed);
}

double value_of(const terms::ElementSum& sum) {
  double total = 0;
  for (const terms::Product& term : sum.terms) total += term.value();
  total = total * sum.scale / sum.divisor;
  for (const terms::Product& term : sum.added) total += term.value();
  return total;
}

}  // namespace plumb::parity::samples
