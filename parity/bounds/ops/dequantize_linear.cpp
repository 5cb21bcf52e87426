// Error model of dequantising: the product is rounded once in what it is computed in. Codes of 32 bits may be rounded
// before it.
#include "ir/ops/dequantize_linear.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {

Model error_model(const ir::ops::DequantizeLinear&) {
  return {.rounding =
              [](const Node& node) {
                const int roundings = node.in_types[0].dtype == ir::DType::i32 ? 2 : 1;
                return both(roundings * node.unit() * abs(node.y()));
              },
          .carried =
              [](const Node& node, const Errors& errors) {
                std::vector<Real> operands = node.in;
                operands[1] = *errors[1];  // codes and zero points have no errors of their own
                return abs(node.apply(operands));
              }};
}

}  // namespace plumb::parity::bounds
