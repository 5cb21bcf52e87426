// The weighted sum of the taps around the point of the image that the grid names.
#include "ir/ops/grid_sample.hpp"

#include <algorithm>

#include "parity/element/call.hpp"
#include "parity/element/kernels.hpp"

namespace plumb::parity::element {
namespace {

using ir::ops::SampleMode;
using ir::ops::SamplePadding;

/// u as mirrors at both ends show it.
Real reflected(Real u, Real low, Real high) {
  const Real width = high - low;
  if (width.value == 0) return low;
  const Real there = u - low;
  const long double turns = std::floor(there.value / width.value);
  const Real within = there - Real(turns) * width;
  // At a mirror both sides show the same.
  return std::fmod(turns, 2) == 0 ? low + within : high - within;
}

/// Where a tap is read, of n elements; -1 where it counts as 0.
std::int64_t place_of(const ir::ops::GridSample& op, long double j, std::int64_t n) {
  const auto last = static_cast<long double>(n - 1);
  if (op.padding == SamplePadding::zeros && (j < 0 || j > last)) return -1;
  if (op.padding == SamplePadding::reflection && (j < 0 || j > last)) {
    const long double low = op.align_corners ? 0 : -0.5L, high = op.align_corners ? last : last + 0.5L;
    j = std::trunc(reflected(Real(j), Real(low), Real(high)).value);
  }
  return static_cast<std::int64_t>(std::clamp(j, 0.0L, last));
}

Taps taps_around(const ir::ops::GridSample& op, Real g, std::int64_t n) {
  const Real extent(n), last(n - 1), one(1), half(0.5L);
  Real u = op.align_corners ? (g + one) / Real(2) * last : ((g + one) * extent - one) / Real(2);
  if (op.mode == SampleMode::nearest) u = apply_steps([](long double v) { return std::nearbyint(v); }, u);
  if (op.mode != SampleMode::cubic && op.padding != SamplePadding::zeros) {
    if (op.padding == SamplePadding::reflection && (u.value < 0 || u.value > last.value))
      u = op.align_corners ? reflected(u, Real(0), last) : reflected(u, -half, last + half);
    u = minimum(maximum(u, Real(0)), last);
  }
  Taps taps;
  if (op.mode == SampleMode::nearest) {
    // A mirror may leave it half way; what is left is cut off.
    if (const std::int64_t place = place_of(op, std::trunc(u.value), n); place >= 0) taps.push_back({place, one});
    return taps;
  }
  const bool is_cubic = op.mode == SampleMode::cubic;
  const int reach = is_cubic ? 3 : 2;
  for (int step = -reach; step <= reach; ++step) {
    const long double j = std::floor(u.value) + static_cast<long double>(step);
    const Real t = abs(Real(j) - u), weight = is_cubic ? keys_weight(t, Real(-0.75L)) : linear_weight(t);
    if (weight.value == 0 && weight.off == 0) continue;
    if (const std::int64_t place = place_of(op, j, n); place >= 0) taps.push_back({place, weight});
  }
  return taps;
}

}  // namespace

Number element(const ir::ops::GridSample& op, const Call& call) {
  const std::size_t axes = call.in(0).size() - 2;
  Position in_grid = {call.at(0)};
  in_grid.insert(in_grid.end(), call.at().begin() + 2, call.at().end());
  in_grid.push_back(0);
  std::vector<Taps> taps;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    in_grid.back() = static_cast<std::int64_t>(axes - 1 - axis);
    const Real g = call.real(1, in_grid);
    if (std::isnan(g.value)) return g;
    // The taps of an infinite coordinate depend on how far away counts as outside.
    if (std::isinf(g.value)) throw NoAnswer{};
    taps.push_back(taps_around(op, g, call.in(0)[2 + axis]));
  }
  return weighted(call, {call.at(0), call.at(1)}, taps);
}

}  // namespace plumb::parity::element
