// Error model of convolution: sums of products over all taps, and the bias as one term more.
#include "ir/ops/conv.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

std::int64_t taps_of(const ir::Shape& w) {
  std::int64_t taps = 1;
  for (std::size_t axis = 1; axis < w.size(); ++axis) taps *= w[axis];
  return taps;
}

}  // namespace

Model error_model(const ir::ops::Conv& op) {
  Model model{.rounding =
                  [op](const Node& node) {
                    return dot(node, product_terms(node, taps_of(node.in[1].shape()) + (op.has_bias ? 1 : 0)));
                  },
              .carried = through_products};
  model.line = LineAxes{2};
  return model;
}

}  // namespace plumb::parity::bounds
