// Symmetries of transposed convolution, shared with convolution: filters are axis 1 of w, summed channels axis 0.
#include "ir/ops/conv_transpose.hpp"

#include "parity/relations/convolution.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::ConvTranspose& op, ir::Types in, ir::Types) {
  return of_convolution(op, in, 1, 0);
}

}  // namespace plumb::parity::relations
