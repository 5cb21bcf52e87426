// Factors of the states are exponentials.
#include "ir/ops/selective_scan.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::SelectiveScan&, ir::Types, ir::Types) { return rounds("factors of states are exponentials"); }

}  // namespace plumb::parity::exact
