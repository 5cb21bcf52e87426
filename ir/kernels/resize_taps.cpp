#include "ir/kernels/resize_taps.hpp"

#include <algorithm>

namespace plumb::ir::kernels {
namespace {

using ops::NearestMode;
using ops::ResizeCoordinate;
using ops::ResizeMode;

/// One axis, with its numbers as they are computed with.
struct Axis {
  double n, m;  ///< extents of x and y
  double scale, roi_begin, roi_end, a;

  /// Where output i lies in x.
  double source(ResizeCoordinate how, double i) const {
    const double length = scale * n;
    switch (how) {
      case ResizeCoordinate::half_pixel:
        return (i + 0.5) / scale - 0.5;
      case ResizeCoordinate::half_pixel_symmetric:
        return n / 2 * (1 - m / length) + (i + 0.5) / scale - 0.5;
      case ResizeCoordinate::pytorch_half_pixel:
        return m > 1 ? (i + 0.5) / scale - 0.5 : 0;
      case ResizeCoordinate::align_corners:
        return length == 1 ? 0 : i * (n - 1) / (length - 1);
      case ResizeCoordinate::asymmetric:
        return i / scale;
      case ResizeCoordinate::tf_crop_and_resize:
        break;
    }
    return m > 1 ? roi_begin * (n - 1) + i * (roi_end - roi_begin) * (n - 1) / (m - 1)
                 : 0.5 * (roi_begin + roi_end) * (n - 1);
  }

  std::int64_t clamped(double j) const {
    const auto last = static_cast<std::int64_t>(n) - 1;
    return !(j > 0) ? 0 : j >= static_cast<double>(last) ? last : static_cast<std::int64_t>(j);
  }
};

double nearest(NearestMode mode, double u) {
  switch (mode) {
    case NearestMode::round_prefer_floor:
      return std::ceil(u - 0.5);
    case NearestMode::round_prefer_ceil:
      return std::floor(u + 0.5);
    case NearestMode::floor:
      return std::floor(u);
    case NearestMode::ceil:
      break;
  }
  return std::ceil(u);
}

double kernel(ResizeMode mode, double a, double t) {
  t = std::abs(t);
  if (mode == ResizeMode::linear) return std::max(0.0, 1 - t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/// Appends the taps around u; those that are clamped to the same element are one.
void add_taps(const ops::Resize& op, const Axis& axis, double u, ResizeTaps& taps) {
  const double stretch = op.antialias ? std::min(axis.scale, 1.0) : 1, reach = op.radius() / stretch;
  const double low = std::ceil(u - reach);
  const auto count = static_cast<std::int64_t>(std::floor(u + reach) - low) + 1;
  const std::size_t begin = taps.index.size();
  double sum = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const double j = low + static_cast<double>(k);
    if (!(std::abs(j - u) * stretch < op.radius())) continue;
    const bool excluded = op.exclude_outside && (j < 0 || j > axis.n - 1);
    const double weight = excluded ? 0 : kernel(op.mode, axis.a, (j - u) * stretch);
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

}  // namespace

bool ResizeTaps::has_outside() const { return std::ranges::adjacent_find(first) != first.end(); }

bool ResizeTaps::is_identity(std::int64_t extent) const {
  if (outputs() != extent || index.size() + 1 != first.size() || has_outside()) return false;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] != static_cast<std::int64_t>(i) || weight[i] != 1) return false;
  return true;
}

ResizeTaps resize_taps(const ops::Resize& op, std::size_t k, DType dtype, std::int64_t extent) {
  const bool is_single = (dtypes::R | DType::c64).contains(dtype) && dtype != DType::f64;
  const auto attribute = [&](double x) { return is_single ? static_cast<double>(static_cast<float>(x)) : x; };
  const bool crops = op.coordinate == ResizeCoordinate::tf_crop_and_resize;
  const Axis axis = {.n = static_cast<double>(extent),
                     .m = static_cast<double>(op.sizes[k]),
                     .scale = op.scales.empty() ? op.scale(k, extent) : attribute(op.scales[k]),
                     .roi_begin = crops ? attribute(op.roi[k]) : 0,
                     .roi_end = crops ? attribute(op.roi[k + op.axes.size()]) : 0,
                     .a = attribute(op.cubic_coeff_a)};
  ResizeTaps taps{.first = {0}, .index = {}, .weight = {}};
  for (std::int64_t i = 0; i < op.sizes[k]; ++i) {
    const double u = axis.source(op.coordinate, static_cast<double>(i));
    const bool outside = crops && !(u >= 0 && u <= axis.n - 1);
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
