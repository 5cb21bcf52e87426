// Exactness of random numbers: those of a normal distribution round, all others are exact by their class.
#include "ir/ops/random.hpp"

#include "parity/exact/make_rule.hpp"

namespace plumb::parity::exact {

Rule rule(const ir::ops::Random&, ir::Types, ir::Types) { return rounds("logarithm, root and cosine are rounded"); }

}  // namespace plumb::parity::exact
