// Exactness of convolution of lines: sums of products.
#include "ir/ops/convolve.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Convolve& op, ir::Types in, ir::Types out) { return product(op, in, out); }

}  // namespace plumb::parity::exact
