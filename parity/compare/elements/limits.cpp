// Scans of limits in vector lanes: the largest, and the elements that a bound on the truth leaves open.
#include <algorithm>
#include <limits>

#include "parity/compare/elements/kernels.hpp"
#include "parity/core/lanes.hpp"

namespace plumb::parity::compare::elements {

double largest_limit(std::span<const double> limits) {
  const core::f64x8 none = {};
  core::f64x8 most = {}, limit;
  std::size_t i = 0;
  for (; i + core::lanes <= limits.size(); i += core::lanes) {
    core::load(limit, &limits[i]);
    limit = limit < std::numeric_limits<double>::infinity() ? limit : none;
    core::raise(most, limit);
  }
  double largest = core::largest(most);
  for (; i < limits.size(); ++i)
    if (limits[i] < std::numeric_limits<double>::infinity()) largest = std::max(largest, limits[i]);
  return largest;
}

std::vector<std::size_t> not_clear(std::span<const double> limits, std::span<const double> off, double left) {
  constexpr std::size_t block = 1024;
  std::vector<std::size_t> found;
  for (std::size_t begin = 0; begin < limits.size(); begin += block) {
    const std::size_t end = std::min(begin + block, limits.size());
    std::size_t unclear = 0;
    for (std::size_t i = begin; i < end; ++i) unclear += off[i] <= limits[i] * left ? 0 : 1;
    for (std::size_t i = begin; unclear > 0 && i < end; ++i)
      if (!(off[i] <= limits[i] * left)) found.push_back(i);
  }
  return found;
}

const Kernels& compiled_kernels() {
  static constexpr Kernels all = {elements::compare,         elements::measure,    elements::largest_limit,
                                  elements::not_clear,       elements::tell,       elements::unit_sums,
                                  elements::multiply_chains, elements::add_chains, elements::add_roundings_of_products};
  return all;
}

}  // namespace plumb::parity::compare::elements
