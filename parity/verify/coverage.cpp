#include "parity/verify/coverage.hpp"

#include <algorithm>

#include "ir/cost.hpp"

namespace plumb::parity::verify {
namespace {

/// A node that was to be judged, rather than filtered out, left to another kernel, or without elements.
bool is_asked(const cases::NodeResult& node) {
  return (node.verdict != core::Verdict::skipped || node.lacks_truth) && node.type.shape.elements() > 0;
}

/// Whether the graph computes anything, so that its constants are not what is to be verified of it.
bool computes(const cases::CaseResult& result, const NodeIs& is_given) {
  return std::ranges::any_of(result.nodes, [&](const cases::NodeResult& node) { return !is_given(node.node); });
}

bool is_verified(const cases::NodeResult& node, bool candidate_is_host) {
  using enum core::Verdict;
  const bool is_on_device = node.placement != ir::Placement::cpu || candidate_is_host;
  const bool is_judged =
      node.verdict == passed || node.verdict == failed || node.verdict == xfailed || node.verdict == xpassed;
  return is_on_device && is_judged;
}

double share(double part, double all) { return all > 0 ? part / all : 1; }

}  // namespace

void leave_out_constants(cases::CaseResult& result, const NodeIs& is_given) {
  const auto is_compared = [&](const cases::NodeResult& node) { return !is_given(node.node) && is_asked(node); };
  if (!computes(result, is_given) || std::ranges::any_of(result.nodes, is_compared)) return;
  for (cases::NodeResult& node : result.nodes)
    if (is_given(node.node) && node.verdict == core::Verdict::passed) {
      node.verdict = core::Verdict::skipped;
      node.why = "given by the graph";
    }
}

core::Coverage coverage_of(const cases::CaseResult& result, bool candidate_is_host, const NodeIs& is_given,
                           const std::function<const core::Segment&(std::size_t node)>& segment) {
  double flops = 0, all_flops = 0, elements = 0, all_elements = 0;
  const bool has_others = computes(result, is_given);
  for (const cases::NodeResult& node : result.nodes) {
    if (!is_asked(node) || (has_others && is_given(node.node))) continue;
    double of_group = 0;  // counted once, with the first output of its last node
    if (node.output == 0)
      for (const ir::Node& one : segment(node.node).graph.nodes())
        of_group += ir::cost_of(segment(node.node).graph, one).flops;
    all_flops += of_group;
    all_elements += static_cast<double>(node.type.shape.elements());
    if (!is_verified(node, candidate_is_host)) continue;
    flops += of_group;
    elements += static_cast<double>(node.telling.informative);
  }
  return {share(flops, all_flops), share(elements, all_elements)};
}

}  // namespace plumb::parity::verify
