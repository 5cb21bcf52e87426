// One of the experts of a token, or its weight: the best groups by the sum of their two largest routing values or by
// the largest, and the best experts of these.
#include "ir/ops/group_limited_gate.hpp"

#include <algorithm>

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

using Numbered = std::pair<Real, std::int64_t>;

/// The `count` largest, the largest first, and of equals the one with the lower number.
void leave_largest(std::vector<Numbered>& all, std::int64_t count) {
  const auto cut = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(all.begin(), cut, all.end(), [](const Numbered& a, const Numbered& b) {
    return comes_before(b.first, a.first) || (!comes_before(a.first, b.first) && a.second < b.second);
  });
  all.erase(cut, all.end());
}

}  // namespace

Number element(const ir::ops::GroupLimitedGate& op, const Call& call) {
  const std::int64_t token = call.at(0), size = call.in(0)[1] / op.num_groups;
  std::vector<std::vector<Numbered>> groups(static_cast<std::size_t>(op.num_groups));
  std::vector<Numbered> scored, experts;
  for (std::int64_t g = 0; g < op.num_groups; ++g) {
    auto& group = groups[static_cast<std::size_t>(g)];
    for (std::int64_t e = g * size; e < (g + 1) * size; ++e)
      group.emplace_back(call.real(op.has_routing ? 1 : 0, {token, e}), e);
    const bool is_sum = op.group_score == ir::ops::GroupScore::top2_sum;
    std::vector<Numbered> best = group;
    leave_largest(best, is_sum ? 2 : 1);
    scored.emplace_back(is_sum ? best[0].first + best[1].first : best[0].first, g);
  }
  leave_largest(scored, op.top_groups);
  for (const Numbered& one : scored) {
    const auto& group = groups[static_cast<std::size_t>(one.second)];
    experts.insert(experts.end(), group.begin(), group.end());
  }
  leave_largest(experts, op.top_k);
  const std::int64_t own = experts[static_cast<std::size_t>(call.at(1))].second;
  if (call.output() == 0) return {Real(own)};
  Real weight = call.real(0, {token, own});
  if (op.normalize && op.top_k > 1) {
    Sum sum;
    for (const Numbered& one : experts) sum.add(call.real(0, {token, one.second}));
    weight = weight / (sum.total() + Real(1e-20));
  }
  return {weight * Real(call.attribute(op.scale))};
}

}  // namespace plumb::parity::element
