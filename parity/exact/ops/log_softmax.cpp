// Log-softmax is never exact: exponentials and logarithms are rounded.
#include "ir/ops/log_softmax.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::LogSoftmax&, ir::Types, ir::Types) {
  return rounds("exponentials and logarithms are rounded");
}

}  // namespace plumb::parity::exact
