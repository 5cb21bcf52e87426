// Error model of scatter-add, by how many updates hit each target.
#include "ir/ops/scatter_add.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {

Model error_model(const ir::ops::ScatterAdd& op) { return scatter_model(op, 0, op); }

}  // namespace plumb::parity::bounds
