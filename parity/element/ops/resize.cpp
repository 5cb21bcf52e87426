// The weighted sum of the taps that each axis has around the source of the position.
#include "ir/ops/resize.hpp"

#include <algorithm>
#include <limits>

#include "parity/element/call.hpp"
#include "parity/element/kernels.hpp"
#include "parity/element/stored.hpp"

namespace plumb::parity::element {
namespace {

using ir::ops::NearestMode;
using ir::ops::ResizeCoordinate;
using ir::ops::ResizeMode;

/// One axis that is resampled: extents of x and y, how many elements of y stand for how many of x, and region of
/// interest.
struct Resampled {
  std::int64_t n, m;
  Real y, x, begin, end;
};

/// One quotient, which is exact where it is a whole number or a tie.
Real source_of(ResizeCoordinate how, const Resampled& axis, std::int64_t place) {
  const Real i(place), n(axis.n), m(axis.m), one(1), two(2), &y = axis.y, &x = axis.x, steps = m - one;
  const Real centre = two * i + one, half_pixel = (centre * x - y) / (two * y), length = y * n;
  switch (how) {
    case ResizeCoordinate::half_pixel:
      return half_pixel;
    case ResizeCoordinate::half_pixel_symmetric:
      return ((n - one) * y + (centre - m) * x) / (two * y);
    case ResizeCoordinate::pytorch_half_pixel:
      return axis.m > 1 ? half_pixel : Real(0);
    case ResizeCoordinate::align_corners:
      return equal(length, x) ? Real(0) : i * (n - one) * x / (length - x);
    case ResizeCoordinate::asymmetric:
      return i * x / y;
    case ResizeCoordinate::tf_half_pixel_for_nn:
      return centre * x / (two * y);
    case ResizeCoordinate::tf_crop_and_resize:
      break;
  }
  if (axis.m > 1) return ((steps - i) * axis.begin + i * axis.end) * (n - one) / steps;
  return (axis.begin + axis.end) * (n - one) / two;
}

Real nearest_to(NearestMode mode, Real u) {
  const auto floor = [](long double v) { return std::floor(v); };
  const auto ceil = [](long double v) { return std::ceil(v); };
  switch (mode) {
    case NearestMode::round_prefer_floor:
      return apply_steps(ceil, u - Real(0.5L));
    case NearestMode::round_prefer_ceil:
      return apply_steps(floor, u + Real(0.5L));
    case NearestMode::floor:
      return apply_steps(floor, u);
    case NearestMode::ceil:
      return apply_steps(ceil, u);
  }
  throw NoAnswer{};
}

Taps taps_of(const ir::ops::Resize& op, const Call& call, const Resampled& axis, Real u) {
  if (!(std::fabs(u.value) < 0x1p40L)) throw NoAnswer{};
  if (op.mode == ResizeMode::nearest)
    return {{std::clamp<std::int64_t>(static_cast<std::int64_t>(nearest_to(op.nearest_mode, u).value), 0, axis.n - 1),
             Real(1)}};
  const bool is_cubic = op.mode == ResizeMode::cubic;
  const Real a = call.attribute(op.cubic_coeff_a), f = op.antialias ? minimum(axis.y / axis.x, Real(1)) : Real(1);
  const long double reach = (is_cubic ? 2 : 1) / f.value + 1;
  if (!(reach < 0x1p20L)) throw NoAnswer{};
  Taps taps;
  Sum all;
  for (long double j = std::floor(u.value - reach); j <= std::ceil(u.value + reach); ++j) {
    // At the radius weights are 0, so that it does not matter on which side of it a tap is.
    const Real t = abs((Real(j) - u) * f), weight = is_cubic ? keys_weight(t, a) : linear_weight(t);
    const bool is_outside = j < 0 || j > static_cast<long double>(axis.n - 1);
    if (op.exclude_outside && is_outside) continue;
    all.add(weight);
    const std::int64_t place = std::clamp<std::int64_t>(static_cast<std::int64_t>(j), 0, axis.n - 1);
    // The weights of one element add up: infinity times their sum is not the sum of its products with each.
    if (!taps.empty() && taps.back().place == place)
      taps.back().weight = taps.back().weight + weight;
    else
      taps.push_back({place, weight});
  }
  if (taps.empty()) return {{0, Real(std::numeric_limits<long double>::quiet_NaN())}};  // all are outside: 0/0
  if (!op.antialias && !op.exclude_outside) return taps;
  const Real total = all.total();
  for (Tap1& tap : taps) tap.weight = tap.weight / total;
  return taps;
}

}  // namespace

Number element(const ir::ops::Resize& op, const Call& call) {
  const std::size_t rank = call.at().size();
  const bool crops = op.coordinate == ResizeCoordinate::tf_crop_and_resize;
  std::vector<Taps> taps;
  for (const std::int64_t place : call.at()) taps.push_back({{place, Real(1)}});
  bool is_extrapolated = false;
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const std::size_t axis = axis_of(op.axes[k], rank);
    const std::int64_t n = call.in(0)[axis], m = call.out()[axis];
    Resampled of{n, m, Real(m), Real(n), {}, {}};
    if (!op.scales.empty()) {
      of.y = call.attribute(op.scales[k]);
      of.x = Real(1);
    }
    if (!op.ratios.empty()) {
      of.y = Real(op.ratios[k]);
      of.x = Real(op.ratios[k + op.axes.size()]);
    }
    if (crops) {
      of.begin = call.attribute(op.roi[k]);
      of.end = call.attribute(op.roi[k + op.axes.size()]);
    }
    const Real u = source_of(op.coordinate, of, call.at(axis));
    if (crops && (less(u, Real(0)) || less(Real(n - 1), u)))
      is_extrapolated = true;
    else
      taps[axis] = taps_of(op, call, of, u);
  }
  if (is_extrapolated) {
    const Number value{Real(call.attribute(op.extrapolation_value))};
    return ir::is_float(call.dtype_out()) ? value : stored_as(ir::DType::f64, call.dtype_out(), value);
  }
  if (op.mode != ResizeMode::nearest) return weighted(call, {}, taps);
  Position in_x;
  for (const Taps& one : taps) in_x.push_back(one.front().place);
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element
