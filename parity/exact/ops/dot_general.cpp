// Exactness of dot-general: sums of products.
#include "ir/ops/dot_general.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::DotGeneral& op, ir::Types in, ir::Types out) { return product(op, in, out); }

}  // namespace plumb::parity::exact
