// Factors of the states are exponentials.
#include "ir/ops/mamba2.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Mamba2&, ir::Types, ir::Types) { return rounds("factors of states are exponentials"); }

}  // namespace plumb::parity::exact
