// Failures and the largest ratios have maps.
#include "parity/cases/kept_maps.hpp"

#include <algorithm>
#include <cmath>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::cases {
namespace {

compare::RatioMap& map_of(NodeResult& node) {
  if (!node.gates_total) return node.local.map;
  return node.converted ? node.converted->map : node.total.map;
}

bool is_bad(const NodeResult& node) { return node.verdict == core::Verdict::failed || !node.gated().agrees(); }

/// The outputs that are not bad, those with the largest ratios first; of equals the one that comes first.
std::vector<NodeResult*> by_ratio(std::vector<NodeResult>& nodes) {
  const auto ratio = [](const NodeResult* node) {
    const double of = node->gated().ratio();
    return std::isnan(of) ? 0 : of;
  };
  std::vector<NodeResult*> sorted;
  for (NodeResult& node : nodes)
    if (!is_bad(node)) sorted.push_back(&node);
  std::ranges::stable_sort(sorted, [&](const NodeResult* a, const NodeResult* b) { return ratio(a) > ratio(b); });
  return sorted;
}

}  // namespace

void keep_maps(std::vector<NodeResult>& nodes, KeepMaps kept) {
  if (kept == KeepMaps::none) return;
  for (NodeResult& node : nodes)
    if (node.gates_total) node.local.map = {};
  if (kept == KeepMaps::all) return;
  const auto bad = static_cast<std::size_t>(std::ranges::count_if(nodes, is_bad));
  const std::size_t left = worst_maps - std::min(worst_maps, bad);
  std::vector<NodeResult*> rest = by_ratio(nodes);
  // Where nothing is off there is nothing to see.
  for (std::size_t n = 0; n < rest.size(); ++n)
    if (n >= left || !(rest[n]->gated().ratio() > 0)) map_of(*rest[n]) = {};
}

}  // namespace plumb::parity::cases
