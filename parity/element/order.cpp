// Elements by their size.
#include "parity/element/order.hpp"

#include <algorithm>
#include <numeric>

#include "parity/element/lines.hpp"

namespace plumb::parity::element {

std::vector<std::int64_t> first_in_order(const Call& call, const Position& at, std::size_t axis, bool descending,
                                         std::int64_t count) {
  const std::size_t axes[] = {axis};
  const std::vector<Real> line = reals_of(call, at, axes);
  std::vector<std::int64_t> places(line.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  std::partial_sort(places.begin(), places.begin() + count, places.end(), [&](std::int64_t a, std::int64_t b) {
    const Real x = line[static_cast<std::size_t>(descending ? b : a)];
    const Real y = line[static_cast<std::size_t>(descending ? a : b)];
    return comes_before(x, y) || (!comes_before(y, x) && a < b);
  });
  places.resize(static_cast<std::size_t>(count));
  return places;
}

}  // namespace plumb::parity::element
