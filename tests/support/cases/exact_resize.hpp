#pragma once

#include <optional>
#include <vector>

#include "ir/ops/resize.hpp"
#include "tests/support/rational.hpp"

namespace plumb::testing {

/// One axis of a resize, exactly.
struct ExactAxis {
  std::int64_t n, m;
  Rational scale, roi_begin = 0, roi_end = 1;
};

/// Where output i lies in x, by the formulas of ops.md 9 in rational arithmetic.
inline Rational exact_source(ir::ops::ResizeCoordinate how, const ExactAxis& axis, std::int64_t i) {
  using enum ir::ops::ResizeCoordinate;
  const Rational n = axis.n, m = axis.m, half(1, 2), length = axis.scale * n;
  const Rational in_pixels = (Rational(i) + half) / axis.scale, steps = axis.m - 1;
  switch (how) {
    case half_pixel:
      return in_pixels - half;
    case half_pixel_symmetric:
      return n / 2 * (Rational(1) - m / length) + in_pixels - half;
    case pytorch_half_pixel:
      return axis.m > 1 ? in_pixels - half : 0;
    case align_corners:
      return length == Rational(1) ? 0 : Rational(i) * (n - 1) / (length - 1);
    case asymmetric:
      return Rational(i) / axis.scale;
    case tf_half_pixel_for_nn:
      return in_pixels;
    case tf_crop_and_resize:
      break;
  }
  const Rational crop = axis.roi_end - axis.roi_begin;
  return axis.m > 1 ? (n - 1) * (axis.roi_begin + Rational(i) * crop / steps)
                    : (axis.roi_begin + axis.roi_end) * (n - 1) / 2;
}

/// Whether u lies outside of an image that ends there.
inline bool is_outside(const ExactAxis& axis, const Rational& u) { return u < Rational(0) || Rational(axis.n - 1) < u; }

/// The element nearest to u.
inline std::int64_t exact_nearest(ir::ops::NearestMode mode, const ExactAxis& axis, const Rational& u) {
  const Rational half(1, 2);
  const std::int64_t candidates[] = {(u - half).ceil(), (u + half).floor(), u.floor(), u.ceil()};
  return std::clamp<std::int64_t>(candidates[static_cast<std::size_t>(mode)], 0, axis.n - 1);
}

/// The weights of all elements for a source u.
inline std::vector<Rational> exact_weights(const ir::ops::Resize& op, const ExactAxis& axis, const Rational& u) {
  const bool is_cubic = op.mode == ir::ops::ResizeMode::cubic;
  const Rational a = Rational::of(op.cubic_coeff_a), f = op.antialias && axis.scale < Rational(1) ? axis.scale : 1;
  const Rational radius = is_cubic ? 2 : 1;
  std::vector<Rational> all(static_cast<std::size_t>(axis.n));
  Rational sum;
  for (std::int64_t j = (u - radius / f).floor(); j <= (u + radius / f).ceil(); ++j) {
    const Rational t = abs(Rational(j) - u) * f;
    if (radius <= t || (op.exclude_outside && (j < 0 || j >= axis.n))) continue;
    Rational w = Rational(1) - t;
    if (is_cubic && t <= Rational(1)) w = ((a + 2) * t - (a + 3)) * t * t + 1;
    if (is_cubic && Rational(1) < t) w = ((a * t - a * 5) * t + a * 8) * t - a * 4;
    sum = sum + w;
    Rational& element = all[static_cast<std::size_t>(std::clamp<std::int64_t>(j, 0, axis.n - 1))];
    element = element + w;
  }
  if (op.antialias || op.exclude_outside)
    for (Rational& w : all) w = w / sum;
  return all;
}

}  // namespace plumb::testing
