// Exactness of matrix products: sums of products.
#include "ir/ops/matmul.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Matmul& op, ir::Types in, ir::Types out) { return product(op, in, out); }

}  // namespace plumb::parity::exact
