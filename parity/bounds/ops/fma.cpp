// Error model of fused multiply-add, which rounds once by its class: only operands' errors are carried on.
#include "ir/ops/fma.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Fma&) { return {.carried = by_difference}; }

}  // namespace plumb::parity::bounds
