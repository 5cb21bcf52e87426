// Error model of overlap-add: a sum of as many samples as windows overlap, with nothing multiplied.
#include "ir/ops/overlap_add.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::OverlapAdd& op) {
  return {.rounding =
              [op](const Node& node) {
                Terms terms = product_terms(node, op.terms(node.in_types[0].shape));
                terms.exact = true;  // nothing is multiplied
                return dot(node, terms);
              },
          .carried = through_products};
}

}  // namespace plumb::parity::bounds
