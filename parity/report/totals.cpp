// Report lines on the total error of graphs that ran in another dtype than they were written in.
#include "parity/report/totals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::parity::report {
namespace {

std::string size_of(const compare::Comparison& error) {
  return error.n == 0 ? "is not known" : fmt::format("rel_l2 {:.2e}", error.rel_l2);
}

}  // namespace

std::string totals_text(const cases::CaseResult& result) {
  constexpr std::size_t most = 8;
  std::string text;
  if (!result.subject.file || !result.subject.dtype) return text;
  const ir::Graph& graph = result.subject.file->graph;
  const auto is_result = [&](const cases::NodeResult& node) {
    if (!node.converted || node.is_of_plain_run || ir::unit_roundoff(node.type.dtype) == 0) return false;
    const auto& outputs = graph.nodes()[node.node].outputs;
    return std::ranges::find(graph.results(), outputs[node.output]) != graph.results().end();
  };
  std::size_t count = 0;
  for (const cases::NodeResult& node : result.nodes)
    if (is_result(node) && count++ < most)
      text += fmt::format("total of {}: {} against the graph as it was, {} against it in {}\n", node.name(),
                          size_of(node.total), size_of(*node.converted), ir::info(*result.subject.dtype).name);
  if (count > most) text += fmt::format("... totals of {} more results\n", count - most);
  return text;
}

}  // namespace plumb::parity::report
