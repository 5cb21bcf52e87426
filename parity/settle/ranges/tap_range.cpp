// Looks at single elements of resampled tensors whose taps are not finite, or nearly so.
#include "parity/settle/ranges/tap_range.hpp"

#include <algorithm>
#include <cmath>

#include "ir/executor.hpp"
#include "ir/kernels/resize_taps.hpp"
#include "ir/passes/widen.hpp"
#include "parity/core/float_format.hpp"
#include "parity/element/terms/terms.hpp"
#include "parity/settle/ranges/nearby_grids.hpp"

namespace plumb::parity::settle {
namespace {

using ir::ops::GridSample;
using ir::ops::SampleMode;
using ir::ops::SamplePadding;

/// A coordinate within the image that sees what `g` sees, where coordinates are mirrored or clamped before they have
/// taps.
double inside(const GridSample& op, double g, double extent) {
  if (op.mode != SampleMode::linear || op.padding == SamplePadding::zeros || !std::isfinite(g)) return g;
  if (op.padding == SamplePadding::reflection) {
    const double turned = std::fmod(std::abs(g + 1), 4);
    g = std::min(turned, 4 - turned) - 1;
  }
  const double last = op.align_corners ? 1 : 1 - 1 / extent;
  return std::clamp(g, -last, last);
}

}  // namespace

std::optional<TapRange> TapRange::of(const Subject& subject, std::size_t k) {
  const ir::Graph& graph = subject.segment.graph;
  if (graph.nodes().size() != 1 || k != 0) return std::nullopt;
  const ir::Op& op = graph.nodes().front().op;
  const bool samples = op.is<GridSample>() && op.as<GridSample>().mode != SampleMode::nearest;
  const bool resizes = op.is<ir::ops::Resize>() && op.as<ir::ops::Resize>().mode != ir::ops::ResizeMode::nearest;
  return samples || resizes ? std::optional(TapRange(subject)) : std::nullopt;
}

TapRange::TapRange(const Subject& subject)
    : reference_(&subject.reference), op_(subject.segment.graph.nodes().front().op) {
  const ir::Graph& graph = subject.segment.graph;
  const ir::Node& node = graph.nodes().front();
  x_type_ = graph.type(node.inputs[0]);
  y_ = graph.type(node.outputs[0]).shape;
  for (const ir::Value v : node.inputs) in_.push_back(ir::passes::widen(subject.inputs[v]));
  has_infinity_ = !std::ranges::all_of(in_[0].as<double>(), [](double x) { return std::isfinite(x); });
}

TapRange::Nearby TapRange::sampled_around(const GridSample& op, double least_shift) const {
  const std::size_t axes = x_type_.shape.size() - 2;
  const double unit = ir::unit_roundoff(core::compute_dtype(x_type_.dtype));
  const auto count = static_cast<std::size_t>(y_.elements());
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Nearby nearby{std::vector(count, false), std::vector(count, infinite), std::vector(count, -infinite)};
  ir::Tensor grid = in_[1];
  for (std::size_t p = 0; p < grid.as<double>().size(); ++p) {
    double& g = grid.as<double>()[p];
    g = inside(op, g, static_cast<double>(x_type_.shape[x_type_.shape.size() - 1 - p % axes]));
  }
  // A source position is good to 4u of the extent, as often as the grid's own number is large.
  const auto step = [&, given = in_[1].as<double>()](std::size_t p) {
    return std::max(8 * unit * (std::abs(given[p]) + 1), least_shift);
  };
  for_each_nearby_grid(grid, axes, step, [&](const ir::Tensor& moved) {
    const ir::Tensor seen = ir::run_op(*reference_, op_, {in_[0], moved}).at(0);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = seen.as<double>()[i];
      if (!std::isfinite(value)) nearby.touches[i] = true;
      if (std::isfinite(value)) nearby.least[i] = std::min(nearby.least[i], value);
      if (std::isfinite(value)) nearby.most[i] = std::max(nearby.most[i], value);
    }
  });
  return nearby;
}

bool TapRange::resizes_to(const ir::ops::Resize& op, std::size_t i, double truth) const {
  const std::vector<std::int64_t> at = element::terms::position_of(static_cast<std::int64_t>(i), y_);
  std::vector<std::vector<std::pair<std::int64_t, double>>> taps(at.size());
  for (std::size_t axis = 0; axis < at.size(); ++axis) taps[axis] = {{at[axis], 1.0}};
  double grown = 1;
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const std::size_t axis = y_.axis(op.axes[k]);
    const auto all = ir::kernels::resize_taps(op, k, x_type_.dtype, x_type_.shape[axis]);
    const auto place = static_cast<std::size_t>(at[axis]);
    if (all.is_outside(at[axis])) return false;
    taps[axis].clear();
    double weights = 0;
    for (auto t = static_cast<std::size_t>(all.first[place]); t < static_cast<std::size_t>(all.first[place + 1]); ++t) {
      taps[axis].emplace_back(all.index[t], all.weight[t]);
      weights += std::abs(all.weight[t]);
    }
    grown *= std::max(1.0, weights);
  }
  std::vector<std::int64_t> counts, number(at.size(), 0), in_x(at.size());
  for (const auto& one : taps) counts.push_back(static_cast<std::int64_t>(one.size()));
  double largest = 0;
  bool meets_zero = false;
  do {
    double weight = 1;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const auto& [element, of_axis] = taps[axis][static_cast<std::size_t>(number[axis])];
      in_x[axis] = element;
      weight *= of_axis;
    }
    const double x = in_[0].as<double>()[static_cast<std::size_t>(element::terms::index_of(in_x, x_type_.shape))];
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
    meets_zero |= weight == 0 && !std::isfinite(x);
  } while (element::terms::step(number, counts));
  const bool may_overflow =
      !(largest * grown * (1 + 0x1p-16) < core::float_format(core::compute_dtype(x_type_.dtype)).overflow());
  return meets_zero || (std::isfinite(truth) && may_overflow);
}

bool TapRange::explains(std::size_t i, double truth, double got, double certain) const {
  if (std::isnan(truth) && !std::isfinite(got)) return false;
  const bool is_lost = std::isfinite(truth) ? !std::isfinite(got) : std::isnan(got);
  if (op_.is<ir::ops::Resize>())
    return is_lost && (std::isinf(truth) || resizes_to(op_.as<ir::ops::Resize>(), i, truth));
  const auto& op = op_.as<GridSample>();
  if (!has_infinity_) return false;
  if (is_lost && !std::isfinite(truth)) return true;
  if (is_lost) {
    // Weights grow as the square of a distance, which f64 has to resolve.
    if (!touched_) touched_ = std::make_shared<Nearby>(sampled_around(op, 0x1p-20));
    return touched_->touches[i];
  }
  if (std::isfinite(truth) || !std::isfinite(got)) return false;
  if (!within_) within_ = std::make_shared<Nearby>(sampled_around(op, 0));
  return got >= within_->least[i] - certain && got <= within_->most[i] + certain;
}

}  // namespace plumb::parity::settle
