// Exactness of gru: its functions round.
#include "ir/ops/gru.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Gru&, ir::Types, ir::Types) { return rounds("functions of gates and states are rounded"); }

}  // namespace plumb::parity::exact
