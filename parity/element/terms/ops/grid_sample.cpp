// The taps around a point of a grid. Written by hand: weights move with a source position, by as much as the contract
// states.
#include "ir/ops/grid_sample.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {
namespace {

using ir::ops::SampleMode;
using ir::ops::SamplePadding;

/// The part of an image's element along one axis in a result: its weight, and how fast that changes with the source
/// position, its size alone.
struct AxisTap {
  double weight = 0, slope = 0;
};

/// `u` as the mirrors at both ends show it.
double mirrored(double u, double low, double high) {
  if (u >= low && u <= high) return u;
  if (high == low) return low;
  const double period = 2 * (high - low), phase = std::fmod(std::abs(u - low), period);
  return low + std::min(phase, period - phase);
}

double keys(double distance) {
  const double t = std::abs(distance), a = -0.75;
  if (t <= 1) return (a + 2) * t * t * t - (a + 3) * t * t + 1;
  return t < 2 ? a * (t * t * t - 5 * t * t + 8 * t - 4) : 0;
}

double slope_of_keys(double distance) {
  const double t = std::abs(distance), a = -0.75;
  if (t <= 1) return std::abs(3 * (a + 2) * t * t - 2 * (a + 3) * t);
  return t < 2 ? std::abs(a * (3 * t * t - 10 * t + 8)) : 0;
}

/// The taps of one axis of so many elements around coordinate g, whose source is off by `off`. Elements that the source
/// may just touch have a slope though their weight is 0.
std::map<std::int64_t, AxisTap> axis_taps(const ir::ops::GridSample& op, double g, double extent, double off) {
  const double last = extent - 1, low = op.align_corners ? 0 : -0.5, high = op.align_corners ? last : extent - 0.5;
  const bool is_linear = op.mode == SampleMode::linear, is_mirrored = op.padding == SamplePadding::reflection;
  double u = op.align_corners ? (g + 1) / 2 * last : ((g + 1) * extent - 1) / 2;
  if (is_linear && is_mirrored) u = mirrored(u, low, high);
  if (is_linear && op.padding != SamplePadding::zeros) u = std::clamp(u, 0.0, last);
  std::map<std::int64_t, AxisTap> taps;
  for (double j = std::floor(u) - 2; j <= std::floor(u) + 3; ++j) {
    const double t = j - u;
    const bool is_near = std::abs(t) < 1 + off;
    const AxisTap one =
        is_linear ? AxisTap{std::max(0.0, 1 - std::abs(t)), is_near ? 1.0 : 0.0} : AxisTap{keys(t), slope_of_keys(t)};
    if (one.weight == 0 && one.slope == 0) continue;
    const double shown = is_mirrored ? std::trunc(mirrored(j, low, high)) : j;
    if (op.padding == SamplePadding::zeros && !(shown >= 0 && shown <= last)) continue;
    AxisTap& all = taps[static_cast<std::int64_t>(std::clamp(shown, 0.0, last))];
    all.weight += one.weight;
    all.slope += one.slope;
  }
  return taps;
}

}  // namespace

/// The taps around the source of a point. A source position is good to four roundoffs of the extent and of what the
/// grid says (ops.md 9); weights are good to four.
std::optional<Walker> walker(const ir::ops::GridSample& op, std::span<const Operand> operands, const ir::Shape& y) {
  if (op.mode == SampleMode::nearest) return std::nullopt;
  const Operand x = operands[0], grid = operands[1];
  const std::size_t axes = x.shape.size() - 2;
  return [=](std::int64_t index, ElementSum& sum) {
    const std::vector<std::int64_t> at = position_of(index, y);
    std::int64_t point = at[0];
    for (std::size_t a = 0; a < axes; ++a) point = point * y[2 + a] + at[2 + a];
    std::vector<std::vector<std::pair<std::int64_t, AxisTap>>> taps;
    std::vector<double> off;  // in unit roundoffs
    std::vector<std::int64_t> counts, number(axes, 0), in_x(at.begin(), at.begin() + 2);
    in_x.resize(2 + axes);
    sum.is_rounded = true;
    for (std::size_t a = 0; a < axes; ++a) {
      const double g = grid.values[static_cast<std::size_t>(point) * axes + axes - 1 - a];
      // A linear sample infinitely far away is one of the padding, or the last element, wherever exactly its source is.
      const bool is_beyond = std::isinf(g) && op.mode == SampleMode::linear && op.padding != SamplePadding::reflection;
      if (!std::isfinite(g) && !is_beyond) return sum.add(g);
      if (is_beyond && op.padding == SamplePadding::zeros) return;
      const auto extent = static_cast<double>(x.shape[2 + a]);
      off.push_back(is_beyond ? 0 : 4 * extent * (std::abs(g) + 1));
      const auto on_axis = axis_taps(op, g, extent, off.back() * 0x1p-23);
      taps.emplace_back(on_axis.begin(), on_axis.end());
      counts.push_back(static_cast<std::int64_t>(on_axis.size()));
    }
    if (std::ranges::count(counts, 0) > 0) return;
    do {
      double weight = 1;
      for (std::size_t a = 0; a < axes; ++a) {
        const auto& [element, tap] = taps[a][static_cast<std::size_t>(number[a])];
        in_x[2 + a] = element;
        weight *= tap.weight;
      }
      const double value = x.values[static_cast<std::size_t>(index_of(in_x, x.shape))];
      if (weight != 0) {
        sum.add(weight, value);
        sum.off.push_back(4 * std::abs(weight * value));
      }
      if (weight == 0 && !std::isfinite(value)) continue;  // absent (verdict.md V36)
      for (std::size_t moved = 0; moved < axes; ++moved) {
        double change = off[moved] * taps[moved][static_cast<std::size_t>(number[moved])].second.slope;
        for (std::size_t a = 0; a < axes; ++a)
          if (a != moved) change *= std::abs(taps[a][static_cast<std::size_t>(number[a])].second.weight);
        sum.moved += change * std::abs(value);
      }
    } while (step(number, counts));
  };
}

}  // namespace plumb::parity::element::terms
