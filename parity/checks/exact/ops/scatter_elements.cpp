// Exactness of scatter-elements: sums of updates, where it adds.
#include "ir/ops/scatter_elements.hpp"

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::ScatterElements& op, ir::Types in, ir::Types out) { return scattered(op, in, out); }

}  // namespace plumb::parity::checks::exact
