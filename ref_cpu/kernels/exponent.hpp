#pragma once

#include <cmath>
#include <cstdint>

#include "ref_cpu/kernels/fold.hpp"

namespace plumb::ref_cpu::kernels {

/// The exponent of the largest |item(k)|, 0 <= k < count; 0 of zeros, and beside NaN and infinity.
template <class C, class Item>
int exponent_of_largest(std::int64_t count, const Item& item) {
  const C peak = fold(
      0, count, C{0}, [&](std::int64_t k) { return std::abs(item(k)); }, [](C a, C b) { return a > b ? a : b; });
  return peak > 0 && std::isfinite(peak) ? std::ilogb(peak) : 0;
}

}  // namespace plumb::ref_cpu::kernels
