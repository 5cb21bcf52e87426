// The updates of each target of a scatter, sorted, so that those of an element are found by bisection.
#include "parity/element/terms/targets.hpp"

#include <algorithm>
#include <memory>

namespace plumb::parity::element::terms {

void Targets::settle() { std::ranges::sort(pairs_); }

Walker Targets::walker(Targets targets, const Operand& updates, const Operand& before) {
  targets.settle();
  const auto shared = std::make_shared<const Targets>(std::move(targets));
  return [=](std::int64_t index, ElementSum& sum) {
    if (!before.values.empty()) sum.add(before.values[static_cast<std::size_t>(index)]);
    const auto& pairs = shared->pairs_;
    auto at = std::ranges::lower_bound(pairs, std::pair<std::int64_t, std::int64_t>(index, -1));
    for (; at != pairs.end() && at->first == index; ++at) sum.add(updates.values[static_cast<std::size_t>(at->second)]);
  };
}

std::int64_t counted_from_0(double index, std::int64_t extent) {
  const auto whole = static_cast<std::int64_t>(index);
  return whole < 0 ? whole + extent : whole;
}

}  // namespace plumb::parity::element::terms
