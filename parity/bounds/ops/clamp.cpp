// Error model of clamps: they only carry on what their operands have wrong.
#include "ir/ops/clamp.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Clamp&) { return {.carried = by_difference}; }

}  // namespace plumb::parity::bounds
