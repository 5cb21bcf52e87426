// Error model of quantising and dequantising in reals, where elements are not judged as choices: what results change by
// as quotients move to either side.
#include "ir/ops/fake_quantize.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {

Model error_model(const ir::ops::FakeQuantize&) {
  return {.rounding =
              [](const Node& node) {
                Errors of_quotient(node.in.size());
                of_quotient[0] = 3 * node.unit() * abs(node.in[0]);
                return both(finite_or_zero(by_difference(node, of_quotient)) + 2 * node.unit() * abs(node.y()));
              },
          .carried = by_difference};
}

}  // namespace plumb::parity::bounds
