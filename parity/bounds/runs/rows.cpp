// Which numbers of a row that may be off may be the k-th largest of it.
#include "parity/bounds/runs/rows.hpp"

#include <numeric>

namespace plumb::parity::bounds::runs {

std::vector<std::int64_t> candidates_among(const Between& x, std::span<const std::int64_t> among, double least,
                                           double most, bool is_open) {
  std::vector<std::int64_t> found;
  is_open |= least != most;
  for (const std::int64_t candidate : among) {
    const auto j = static_cast<std::size_t>(candidate);
    if (x.high[j] >= least && x.low[j] <= most) {
      found.push_back(candidate);
      is_open |= x.low[j] != x.high[j];
    }
  }
  std::ranges::sort(found);
  // Equal numbers of which none is off are told apart by the rule of the op.
  return is_open && found.size() > 1 ? found : std::vector<std::int64_t>{};
}

std::vector<std::int64_t> all_of(const Between& x) {
  std::vector<std::int64_t> all(x.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<std::int64_t> largest_of(const Between& x) {
  return candidates_among(x, all_of(x), *std::ranges::max_element(x.low), *std::ranges::max_element(x.high));
}

}  // namespace plumb::parity::bounds::runs
