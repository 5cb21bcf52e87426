// Exactness of transposed convolution: sums of products.
#include "ir/ops/conv_transpose.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::ConvTranspose& op, ir::Types in, ir::Types out) { return product(op, in, out); }

}  // namespace plumb::parity::exact
