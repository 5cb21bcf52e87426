// Error model of col2im: a sum of as many elements as a window has taps, with nothing multiplied.
#include "ir/ops/col2im.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Col2im& op) {
  std::int64_t taps = 1;
  for (const std::int64_t k : op.kernel_shape) taps *= k;
  return {.rounding =
              [taps](const Node& node) {
                Terms terms = product_terms(node, taps);
                terms.exact = true;  // nothing is multiplied
                return dot(node, terms);
              },
          .carried = through_products};
}

}  // namespace plumb::parity::bounds
