#include "ir/ops/grid_sample.hpp"

#include <cmath>

#include "ir/ops/pool.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// For each point of the grid at least the largest size among its cubic taps, four neighbours on each axis: infinite
/// elements count as 0, since a finite result has none among its taps (verdict.md V36).
Real largest_tap(const ir::ops::GridSample& op, const Node& node) {
  const Real x = node.in[0];
  const std::size_t axes = x.shape().size() - 2;
  // Between elements i and i + 1 the taps are i - 1 to i + 2, which the windows around both of these contain.
  const ir::ops::Pool windows{.kernel_shape = std::vector<std::int64_t>(axes, 5),
                              .pads = std::vector<std::int64_t>(2 * axes, 2)};
  const Real largest = node.builder.apply(windows, {finite_or_zero(abs(x))});
  // Outside of the image a window at its edge stands for what the padding leaves of the taps.
  ir::ops::GridSample between{ir::ops::SampleMode::linear, op.padding, op.align_corners};
  if (op.padding == ir::ops::SamplePadding::zeros) between.padding = ir::ops::SamplePadding::border;
  return node.builder.apply(between, {largest, node.in[1]});
}

}  // namespace

Model error_model(const ir::ops::GridSample& op) {
  Model model{.rounding = [op](const Node& node) {
    const double u = node.unit();
    const Real x = finite_or_zero(node.in[0]), grid = node.in[1];  // an infinite x is no tap of a finite result
    const Node seen{node.builder,  node.op,        {x, grid},       {node.apply({x, grid})}, node.output,
                    node.in_types, node.out_types, node.arithmetic, node.flushes_subnormals};
    // A source position is good to 4u of its extent, which is 8u of the grid's own unit, axis by axis.
    const Real off = 8 * u * (abs(finite_or_zero(grid)) + 1.0);
    Real moved_by = node.builder.constant(0);
    const auto axes = static_cast<std::size_t>(grid.shape().back());
    for (std::size_t axis = 0; axis < axes; ++axis) {
      std::vector<double> only(axes, 0.0);
      only[axis] = 1;
      moved_by = moved_by + by_difference(seen, {std::nullopt, off * node.builder.constant(only)});
    }
    if (op.mode == ir::ops::SampleMode::nearest) return both(moved_by);
    const auto dims = static_cast<double>(axes);
    if (op.mode == ir::ops::SampleMode::linear) {
      const double lost = 2 * std::exp2(dims) * node.flushed();  // each tap times its weight, and each partial sum
      return both(finite_or_zero(moved_by) + (std::exp2(dims) + 4) * u * node.apply({abs(x), grid}) + lost);
    }
    // The sizes of four weights add up to 1.375. Their polynomials cancel: by Horner's rule those of an axis are off by
    // 55u in all, of which 36u is that of a tap almost 2 away, whose own weight is almost 0.
    const double weights = std::pow(1.375, dims), off_by = dims * 55 * std::pow(1.375, dims - 1);
    const double lost = 2 * std::exp2(2 * dims) * node.flushed();
    return both(finite_or_zero(moved_by) +
                ((std::exp2(2 * dims) + 4) * weights + off_by) * u * largest_tap(op, seen) + lost);
  }};
  model.line = LineAxes{2};
  return model;
}

}  // namespace plumb::parity::bounds
