// Error model of PReLU, whose own rounding its class says: only operands' errors are carried on.
#include "ir/ops/prelu.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Prelu&) { return {.carried = by_difference, .decides_ties = true}; }

}  // namespace plumb::parity::bounds
