// Softmax is never exact: exponentials and a division are rounded.
#include "ir/ops/softmax.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Softmax&, ir::Types, ir::Types) { return rounds("exponentials and a division are rounded"); }

}  // namespace plumb::parity::exact
