// Error model of batch norm: roundings of the scaled difference, and of x - mean times the factor; of kernels that are
// not ours those of x times the factor and of what is added to it, too.
#include "ir/ops/batch_norm.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::BatchNorm& op) {
  return {.rounding =
              [op](const Node& node) {
                const double u = node.unit();
                const Real x = node.in[0], y = node.y();
                const auto channel = [&](std::size_t i) { return along(node.in[i], op.axis, x.shape()); };
                const Real factor = abs(channel(1)) / sqrt(channel(4) + op.epsilon);
                const Bound usual =
                    both(u * (6 * abs(y - channel(2)) + 2 * abs(y)) + u * (factor * abs(x - channel(3))));
                if (!node.arithmetic.is_foreign) return usual;
                // Engines fold it into x · factor + (bias - mean · factor), of which each part is rounded by itself.
                return usual + both(u * (factor * (abs(x) + 2 * abs(channel(3))) + abs(channel(2))));
              },
          .carried = by_difference};
}

}  // namespace plumb::parity::bounds
