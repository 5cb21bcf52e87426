#include "ir/ops/grid_sample.hpp"

#include "ir/ops/reduce.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::GridSample& op) {
  return {.rounding = [op](const Node& node) {
    const double u = node.unit();
    const Real x = node.in[0], grid = node.in[1];
    // A source position is good to 4u of its extent, which is 8u of the grid's own unit, axis by axis.
    const Real off = 8 * u * (abs(grid) + 1.0);
    Real moved_by = node.builder.constant(0);
    const auto axes = static_cast<std::size_t>(grid.shape().back());
    for (std::size_t axis = 0; axis < axes; ++axis) {
      std::vector<double> only(axes, 0.0);
      only[axis] = 1;
      moved_by = moved_by + by_difference(node, {std::nullopt, off * node.builder.constant(only)});
    }
    if (op.mode == ir::ops::SampleMode::nearest) return both(moved_by);
    double terms = 1, weights = 1;
    for (std::size_t axis = 2; axis < x.shape().size(); ++axis) {
      terms *= op.mode == ir::ops::SampleMode::linear ? 2 : 4;
      weights *= op.mode == ir::ops::SampleMode::linear ? 1 : 1.375;  // the sum of the cubic's weights' magnitudes
    }
    std::vector<std::int64_t> space;
    for (std::size_t axis = 2; axis < x.shape().size(); ++axis) space.push_back(static_cast<std::int64_t>(axis));
    const Real largest = node.builder.apply(ir::ops::Reduce{ir::ops::ReduceFunction::max, space, true}, {abs(x)});
    const Real magnitude = op.mode == ir::ops::SampleMode::linear ? node.apply({abs(x), grid}) : weights * largest;
    return both(moved_by + (terms + 4) * u * magnitude);
  }};
}

}  // namespace plumb::parity::bounds
