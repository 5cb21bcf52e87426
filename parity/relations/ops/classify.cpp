// Symmetries of the predicates of floats: every axis.
#include "ir/ops/classify.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Classify&, ir::Types in, ir::Types out) {
  return {.axes = elementwise(in, out[0].shape)};
}

}  // namespace plumb::parity::relations
