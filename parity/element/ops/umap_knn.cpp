// One of the nearest neighbours of a point, or its distance.
#include "ir/ops/umap_knn.hpp"

#include <algorithm>

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::UmapKnn&, const Call& call) {
  const std::int64_t i = call.at(0), n = call.in(0)[0];
  const auto slot = static_cast<std::size_t>(call.at(1));
  std::vector<std::pair<Real, std::int64_t>> others;
  for (std::int64_t j = 0; j < n; ++j) {
    const Real distance = call.real(0, {i, j});
    if (j != i && !std::isnan(distance.value)) others.emplace_back(distance, j);
  }
  const bool is_chosen = slot < others.size();
  if (!is_chosen)
    return call.output() == 1 ? Number(Real(-1)) : Number(Real(std::numeric_limits<long double>::infinity()));
  std::ranges::nth_element(others, others.begin() + static_cast<std::ptrdiff_t>(slot),
                           [](const auto& a, const auto& b) {
                             return less(a.first, b.first) || (!less(b.first, a.first) && a.second < b.second);
                           });
  const std::int64_t j = others[slot].second;
  return call.output() == 1 ? Number(Real(j)) : call.number(0, Position{i, j});
}

}  // namespace plumb::parity::element
