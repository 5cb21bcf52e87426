// Error model of dot-general: sums of products over the contracted axes.
#include "ir/ops/dot_general.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::DotGeneral& op) {
  return {.rounding =
              [op](const Node& node) {
                const ir::Shape& a = node.in[0].shape();
                std::int64_t k = 1;
                for (const std::int64_t axis : op.a_contract) k *= a[a.axis(axis)];
                return dot(node, product_terms(node, k));
              },
          .carried = through_products};
}

}  // namespace plumb::parity::bounds
