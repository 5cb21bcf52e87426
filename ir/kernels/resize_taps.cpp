// Taps and weights of a resize. Where an output lies is a quotient whose remainder is exact, of whole numbers where the
// extents say the scale: what an element is taken for, at ties and at whole numbers, hangs on no rounding.
#include "ir/kernels/resize_taps.hpp"

#include <algorithm>
#include <numeric>

namespace plumb::ir::kernels {
namespace {

using ops::NearestMode;
using ops::ResizeCoordinate;
using ops::ResizeMode;

/// A place along an axis of x: rest/of behind element `below`, 0 <= rest < of.
struct Place {
  double below, rest, of;
};
constexpr Place origin{0, 0, 1};

/// The place of top/bottom, bottom not 0.
Place quotient(std::int64_t top, std::int64_t bottom) {
  if (bottom < 0) {
    top = -top;
    bottom = -bottom;
  }
  std::int64_t below = top / bottom, rest = top % bottom;
  if (rest < 0) {
    --below;
    rest += bottom;
  }
  return {static_cast<double>(below), static_cast<double>(rest), static_cast<double>(bottom)};
}

/// The place of a quotient of real numbers: what one double leaves of another is a double, and is not rounded.
Place quotient(double top, double bottom) {
  if (bottom < 0) {
    top = -top;
    bottom = -bottom;
  }
  double below = std::floor(top / bottom), rest = std::fma(-below, bottom, top);
  if (rest < 0) {
    --below;
    rest += bottom;
  }
  return {below, rest, bottom};
}

Place half_before(const Place& u) {
  const double half = u.of / 2;
  return u.rest >= half ? Place{u.below, u.rest - half, u.of} : Place{u.below - 1, u.rest + half, u.of};
}

/// One axis, with its numbers as they are computed with.
struct Axis {
  std::int64_t n, m;      ///< extents of x and y
  ops::Resize::Ratio of;  ///< the scale, unless `scale` is given
  std::optional<double> scale;
  double roi_begin, roi_end, a;

  /// Where output i lies in x.
  Place source(ResizeCoordinate how, std::int64_t i) const {
    if (how == ResizeCoordinate::pytorch_half_pixel && m == 1) return origin;
    if (how == ResizeCoordinate::tf_crop_and_resize) return cropped(static_cast<double>(i));
    return scale ? by_scale(how, i) : by_ratio(how, i);
  }

  Place by_ratio(ResizeCoordinate how, std::int64_t i) const {
    const auto [y, x] = of;
    // The length of x when it is resized, in lowest terms: n·y/x.
    const std::int64_t common = std::gcd(n, x), top = n / common * y, bottom = x / common;
    switch (how) {
      case ResizeCoordinate::half_pixel_symmetric:
        return quotient(y * (n - 1) + (2 * i + 1 - m) * x, 2 * y);
      case ResizeCoordinate::align_corners:
        return top == bottom ? origin : quotient(i * (n - 1) * bottom, top - bottom);
      case ResizeCoordinate::asymmetric:
        return quotient(i * x, y);
      case ResizeCoordinate::tf_half_pixel_for_nn:
        return quotient((2 * i + 1) * x, 2 * y);
      default:
        return quotient((2 * i + 1) * x - y, 2 * y);
    }
  }

  Place by_scale(ResizeCoordinate how, std::int64_t output) const {
    const double s = *scale, i = static_cast<double>(output), length = s * static_cast<double>(n);
    switch (how) {
      case ResizeCoordinate::half_pixel_symmetric: {
        // (n − 1)/2 + (i − (m − 1)/2)/s
        Place u = quotient(i - static_cast<double>(m - 1) / 2, s);
        u.below += static_cast<double>(n / 2);
        return n % 2 == 0 ? half_before(u) : u;
      }
      case ResizeCoordinate::align_corners:
        return length == 1 ? origin : quotient(i * static_cast<double>(n - 1), length - 1);
      case ResizeCoordinate::asymmetric:
        return quotient(i, s);
      case ResizeCoordinate::tf_half_pixel_for_nn:
        return quotient(i + 0.5, s);
      default:
        return half_before(quotient(i + 0.5, s));
    }
  }

  /// The region begins at output 0 and ends at the last; of a single output it is the middle that counts.
  Place cropped(double i) const {
    const auto last = static_cast<double>(n - 1), steps = static_cast<double>(m - 1);
    if (m == 1) return quotient((roi_begin + roi_end) * last, 2.0);
    return quotient((roi_begin * (steps - i) + roi_end * i) * last, steps);
  }

  bool is_outside(const Place& u) const {
    const auto last = static_cast<double>(n - 1);
    return !(u.below >= 0 && (u.below < last || (u.below == last && u.rest == 0)));
  }

  std::int64_t clamped(double j) const {
    const std::int64_t last = n - 1;
    return !(j > 0) ? 0 : j >= static_cast<double>(last) ? last : static_cast<std::int64_t>(j);
  }
};

double nearest(NearestMode mode, const Place& u) {
  switch (mode) {
    case NearestMode::round_prefer_floor:
      return 2 * u.rest > u.of ? u.below + 1 : u.below;
    case NearestMode::round_prefer_ceil:
      return 2 * u.rest >= u.of ? u.below + 1 : u.below;
    case NearestMode::floor:
      return u.below;
    case NearestMode::ceil:
      break;
  }
  return u.rest > 0 ? u.below + 1 : u.below;
}

double kernel(ResizeMode mode, double a, double t) {
  t = std::abs(t);
  if (mode == ResizeMode::linear) return std::max(0.0, 1 - t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/// By how much distances shrink, top/bottom: where antialiasing stretches the kernel, by the scale.
struct Shrinking {
  double top = 1, bottom = 1;

  Shrinking(const ops::Resize& op, const Axis& axis) {
    if (!op.antialias) return;
    if (axis.scale && *axis.scale < 1) top = *axis.scale;
    if (!axis.scale && axis.of.y < axis.of.x) {
      top = static_cast<double>(axis.of.y);
      bottom = static_cast<double>(axis.of.x);
    }
  }
};

/// Appends the taps around u; those that are clamped to the same element are one.
void add_taps(const ops::Resize& op, const Axis& axis, const Place& u, ResizeTaps& taps) {
  const Shrinking by(op, axis);
  const double reach = op.radius() * by.bottom / by.top, part = u.rest / u.of;
  const auto first = static_cast<std::int64_t>(std::ceil(part - reach));
  const auto last = static_cast<std::int64_t>(std::floor(part + reach));
  const std::size_t begin = taps.index.size();
  double sum = 0;
  for (std::int64_t k = first; k <= last; ++k) {
    const double distance = (static_cast<double>(k) * u.of - u.rest) * by.top / (u.of * by.bottom);
    if (!(std::abs(distance) < op.radius())) continue;
    const double j = u.below + static_cast<double>(k);
    const bool excluded = op.exclude_outside && (j < 0 || j > static_cast<double>(axis.n - 1));
    const double weight = excluded ? 0 : kernel(op.mode, axis.a, distance);
    sum += weight;
    const std::int64_t index = axis.clamped(j);
    if (taps.index.size() > begin && taps.index.back() == index) {
      taps.weight.back() += weight;
    } else {
      taps.index.push_back(index);
      taps.weight.push_back(weight);
    }
  }
  if (op.antialias || op.exclude_outside)
    for (std::size_t t = begin; t < taps.weight.size(); ++t) taps.weight[t] /= sum;
}

/// The k-th axis of an x with this dtype and extent there.
Axis axis_of(const ops::Resize& op, std::size_t k, DType dtype, std::int64_t extent) {
  const bool is_single = (dtypes::R | DType::c64).contains(dtype) && dtype != DType::f64;
  const auto attribute = [&](double x) { return is_single ? static_cast<double>(static_cast<float>(x)) : x; };
  const bool crops = op.coordinate == ResizeCoordinate::tf_crop_and_resize;
  return {.n = extent,
          .m = op.sizes[k],
          .of = op.ratio(k, extent),
          .scale = op.scales.empty() ? std::nullopt : std::optional(attribute(op.scales[k])),
          .roi_begin = crops ? attribute(op.roi[k]) : 0,
          .roi_end = crops ? attribute(op.roi[k + op.axes.size()]) : 0,
          .a = attribute(op.cubic_coeff_a)};
}

}  // namespace

bool ResizeTaps::has_outside() const { return std::ranges::adjacent_find(first) != first.end(); }

bool ResizeTaps::is_identity(std::int64_t extent) const {
  if (outputs() != extent || index.size() + 1 != first.size() || has_outside()) return false;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] != static_cast<std::int64_t>(i) || weight[i] != 1) return false;
  return true;
}

ResizeTaps resize_taps(const ops::Resize& op, std::size_t k, DType dtype, std::int64_t extent) {
  const Axis axis = axis_of(op, k, dtype, extent);
  ResizeTaps taps{.first = {0}, .index = {}, .weight = {}};
  for (std::int64_t i = 0; i < axis.m; ++i) {
    const Place u = axis.source(op.coordinate, i);
    const bool outside = op.coordinate == ResizeCoordinate::tf_crop_and_resize && axis.is_outside(u);
    if (!outside && op.mode == ResizeMode::nearest) {
      taps.index.push_back(axis.clamped(nearest(op.nearest_mode, u)));
      taps.weight.push_back(1);
    } else if (!outside) {
      add_taps(op, axis, u, taps);
    }
    taps.first.push_back(static_cast<std::int64_t>(taps.index.size()));
  }
  return taps;
}

}  // namespace plumb::ir::kernels
