// Error model of casts: one rounding, which the truth has made before of integers that f64 does not hold.
#include "ir/ops/cast.hpp"

#include "ir/ops/binary.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// An integer of 64 bits minus the f64 nearest to it. The f64 beyond the largest integer, cast back, is the largest
/// integer: the rest is off by 1 there, and no tie depends on it.
Real lost(const Node& node) {
  ExpressionBuilder& builder = node.builder;
  const Real back = builder.apply(ir::ops::Cast{ir::DType::i64}, {node.y()});
  const Real rest = builder.apply(ir::ops::Binary{ir::ops::BinaryFunction::subtract}, {node.in[0], back});
  return builder.apply(ir::ops::Cast{ir::DType::f64}, {rest});
}

}  // namespace

/// Alone a cast is one rounding, which its class says. Between two ops of a fused kernel it
/// rounds, or is left out.
Model error_model(const ir::ops::Cast&) {
  return {.rounding =
              [](const Node& node) {
                const double to = ir::unit_roundoff(node.type().dtype);
                const bool narrows = to > ir::unit_roundoff(node.in_types[0].dtype);
                return both(narrows ? to * abs(node.y()) : node.builder.constant(0));
              },
          .carried = moved,
          .decides_ties = true,
          .lost = lost};
}

}  // namespace plumb::parity::bounds
