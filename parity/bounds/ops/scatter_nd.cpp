// Error model of scatter-nd, by how many updates hit each slice.
#include "ir/ops/scatter_nd.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {

Model error_model(const ir::ops::ScatterNd& op) {
  ir::ops::ScatterNd adding = op;
  adding.reduction = ir::kernels::ScatterReduction::add;
  return scatter_model(op, 2, adding);
}

}  // namespace plumb::parity::bounds
