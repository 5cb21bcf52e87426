// Error model of affine grids: a unit for each term of |theta|, as coordinates are at most 1.
#include "ir/ops/affine_grid.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::AffineGrid&) {
  return {.rounding = [](const Node& node) {
    const Real theta = node.in[0];
    const ir::Shape& shape = theta.shape();
    const auto terms = static_cast<double>(shape[2]);
    // Coordinates are at most 1, each good to 2 units.
    const Real magnitudes = sum(abs(theta), {2});
    ir::Shape lines{shape[0]};
    lines.resize(node.y().shape().size() - 1, 1);
    lines.push_back(shape[1]);
    return both((terms + 4) * node.unit() * reshaped(magnitudes, lines));
  }};
}

}  // namespace plumb::parity::bounds
