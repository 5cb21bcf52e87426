// Symmetries of mean-variance norm: every axis; those of the statistics may be permuted, but not cut.
#include "ir/ops/mean_variance_norm.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::MeanVarianceNorm& op, ir::Types in, ir::Types) {
  std::vector<AxisSymmetry> axes;
  for (std::size_t a = 0; a < in[0].shape.size(); ++a) {
    axes.push_back(along(in, a));
    for (const std::int64_t axis : op.axes) axes.back().independent &= in[0].shape.axis(axis) != a;
  }
  return {.axes = axes};
}

}  // namespace plumb::parity::relations
