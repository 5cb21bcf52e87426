// Symmetries of convolution, shared with its transpose: filters are axis 0 of w, summed channels axis 1.
#include "ir/ops/conv.hpp"

#include "parity/relations/convolution.hpp"

namespace plumb::parity::relations {

Symmetries symmetries(const ir::ops::Conv& op, ir::Types in, ir::Types) { return of_convolution(op, in, 0, 1); }

}  // namespace plumb::parity::relations
