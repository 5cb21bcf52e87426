// Symmetries of fused multiply-add: every axis, linearity in either factor with the term, exchange of the factors.
#include "ir/ops/fma.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Fma& op, ir::Types in, ir::Types out) {
  return {.axes = elementwise(in, out[0].shape),
          .homogeneous = {{.operands = {0, 2}, .linear = true}, {.operands = {1, 2}, .linear = true}},
          .exchange = Exchange{op}};
}

}  // namespace plumb::parity::relations
