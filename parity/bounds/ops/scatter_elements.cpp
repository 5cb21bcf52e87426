// Error model of scatter-elements, by how many updates hit each target.
#include "ir/ops/scatter_elements.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {

Model error_model(const ir::ops::ScatterElements& op) {
  ir::ops::ScatterElements adding = op;
  adding.reduction = ir::kernels::ScatterReduction::add;
  return scatter_model(op, 2, adding);
}

}  // namespace plumb::parity::bounds
