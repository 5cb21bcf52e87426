#include "ir/ops/cast.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
/// Alone a cast is one rounding, which its class says. Between two ops of a fused kernel it
/// rounds, or is left out.
Model error_model(const ir::ops::Cast&) {
  return {.rounding =
              [](const Node& node) {
                const double to = ir::unit_roundoff(node.type().dtype);
                const bool narrows = to > ir::unit_roundoff(node.in_types[0].dtype);
                return both(narrows ? to * abs(node.y()) : node.builder.constant(0));
              },
          .carried = moved};
}

}  // namespace plumb::parity::bounds
