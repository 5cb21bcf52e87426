// Error model of products whose rows have matrices of their own: that of a product, with the bias as one term more.
// Rows without a matrix are exactly 0.
#include "ir/ops/grouped_matmul.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {

Model error_model(const ir::ops::GroupedMatmul& op) {
  return {.rounding =
              [op](const Node& node) {
                return dot(node, product_terms(node, node.in[0].shape()[1] + (op.has_bias ? 1 : 0)));
              },
          .carried = through_products};
}

}  // namespace plumb::parity::bounds
