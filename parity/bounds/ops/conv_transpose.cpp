// Error model of transposed convolution: sums of products over the taps that may meet one element.
#include "ir/ops/conv_transpose.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::ConvTranspose& op) {
  Model model{.rounding =
                  [op](const Node& node) {
                    const ir::Shape& w = node.in[1].shape();
                    std::int64_t taps = w[0] / op.group;
                    for (std::size_t axis = 2; axis < w.size(); ++axis) taps *= w[axis];
                    return dot(node, product_terms(node, taps + (op.has_bias ? 1 : 0)));
                  },
              .carried = through_products};
  model.line = LineAxes{2};
  return model;
}

}  // namespace plumb::parity::bounds
