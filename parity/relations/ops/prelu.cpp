// Symmetries of PReLU: every axis, slopes alongside, and scaling with x.
#include "ir/ops/prelu.hpp"

#include "parity/relations/axes.hpp"

namespace plumb::parity::relations {
Symmetries symmetries(const ir::ops::Prelu&, ir::Types in, ir::Types out) {
  return {.axes = elementwise(in, out[0].shape), .homogeneous = {{.operands = {0}}}};
}

}  // namespace plumb::parity::relations
