// The taps of an element that is resampled. Written by hand: the roundings of a weight are those that the contract
// counts, and its last bit is that of an evaluation in f64.
#include "ir/ops/resize.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {
namespace {

using ir::ops::ResizeCoordinate;

/// One axis that is resampled: extents of x and y, and how many elements of y stand for how many of x.
struct ResizedAxis {
  double n, m, y, x, roi_begin = 0, roi_end = 0;
};

/// One quotient, of whole numbers where no scale is given: it is whole where the source is.
double source_of(ResizeCoordinate how, const ResizedAxis& axis, double i) {
  const auto& [n, m, y, x, a, b] = axis;
  const double length = y * n, half_pixel = ((2 * i + 1) * x - y) / (2 * y);
  if (how == ResizeCoordinate::half_pixel) return half_pixel;
  if (how == ResizeCoordinate::half_pixel_symmetric) return (y * (n - 1) + (2 * i + 1 - m) * x) / (2 * y);
  if (how == ResizeCoordinate::pytorch_half_pixel) return m > 1 ? half_pixel : 0;
  if (how == ResizeCoordinate::align_corners) return length == x ? 0 : i * (n - 1) * x / (length - x);
  if (how == ResizeCoordinate::asymmetric) return i * x / y;
  if (how == ResizeCoordinate::tf_half_pixel_for_nn) return (2 * i + 1) * x / (2 * y);
  return m > 1 ? (a * (m - 1 - i) + b * i) * (n - 1) / (m - 1) : (a + b) * (n - 1) / 2;
}

double weight_at(const ir::ops::Resize& op, double distance) {
  const double t = std::abs(distance), a = op.cubic_coeff_a;
  if (op.mode == ir::ops::ResizeMode::linear) return std::max(0.0, 1 - t);
  if (t <= 1) return (a + 2) * t * t * t - (a + 3) * t * t + 1;
  return t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a : 0;
}

/// The weights of elements of x for a source, those that are clamped to the same element together.
std::map<std::int64_t, double> weights_of(const ir::ops::Resize& op, const ResizedAxis& axis, double source) {
  const double radius = op.mode == ir::ops::ResizeMode::cubic ? 2 : 1,
               f = op.antialias ? std::min(axis.y / axis.x, 1.0) : 1;
  std::map<std::int64_t, double> weights;
  double all = 0;
  for (double j = std::ceil(source - radius / f); j <= std::floor(source + radius / f); ++j) {
    if (!(std::abs(j - source) * f < radius)) continue;
    const bool is_outside = j < 0 || j > axis.n - 1;
    const double weight = op.exclude_outside && is_outside ? 0 : weight_at(op, (j - source) * f);
    weights[static_cast<std::int64_t>(std::clamp(j, 0.0, axis.n - 1))] += weight;
    all += weight;
  }
  if (op.antialias || op.exclude_outside)
    for (auto& [element, weight] : weights) weight /= all;
  return weights;
}

}  // namespace

/// The taps of all axes. Each axis' weight is rounded, and so is its product with the sum over the axes before.
std::optional<Walker> walker(const ir::ops::Resize& op, std::span<const Operand> operands, const ir::Shape& y) {
  if (op.mode == ir::ops::ResizeMode::nearest) return std::nullopt;
  const Operand x = operands[0];
  const bool crops = op.coordinate == ResizeCoordinate::tf_crop_and_resize;
  return [=](std::int64_t index, ElementSum& sum) {
    const std::vector<std::int64_t> at = position_of(index, y);
    std::vector<std::map<std::int64_t, double>> weights(y.size());
    for (std::size_t axis = 0; axis < y.size(); ++axis) weights[axis] = {{at[axis], 1.0}};
    for (std::size_t k = 0; k < op.axes.size(); ++k) {
      const std::size_t axis = y.axis(op.axes[k]);
      const auto n = static_cast<double>(x.shape[axis]), m = static_cast<double>(y[axis]);
      ResizedAxis of{n, m, m, n};
      if (!op.scales.empty()) {
        of.y = op.scales[k];
        of.x = 1;
      }
      if (!op.ratios.empty()) {
        of.y = static_cast<double>(op.ratios[k]);
        of.x = static_cast<double>(op.ratios[k + op.axes.size()]);
      }
      if (crops) {
        of.roi_begin = op.roi[k];
        of.roi_end = op.roi[k + op.axes.size()];
      }
      const double source = source_of(op.coordinate, of, static_cast<double>(at[axis]));
      if (crops && !(source >= 0 && source <= n - 1)) return sum.add(op.extrapolation_value);
      weights[axis] = weights_of(op, of, source);
    }
    std::vector<std::int64_t> counts, number(y.size(), 0), in_x(y.size());
    for (const auto& one : weights) counts.push_back(static_cast<std::int64_t>(one.size()));
    std::vector<std::vector<std::pair<std::int64_t, double>>> taps;
    for (const auto& one : weights) taps.emplace_back(one.begin(), one.end());
    const double roundings = 2 * static_cast<double>(op.axes.size()) - 1;
    sum.is_rounded = true;
    do {
      double weight = 1;
      for (std::size_t axis = 0; axis < y.size(); ++axis) {
        const auto& [element, of_axis] = taps[axis][static_cast<std::size_t>(number[axis])];
        in_x[axis] = element;
        weight *= of_axis;
      }
      if (weight == 0) continue;  // absent, whatever the element is (verdict.md V36)
      sum.add(weight, x.values[static_cast<std::size_t>(index_of(in_x, x.shape))]);
      sum.off.push_back(roundings * std::abs(sum.terms.back().value()));
    } while (step(number, counts));
  };
}

}  // namespace plumb::parity::element::terms
