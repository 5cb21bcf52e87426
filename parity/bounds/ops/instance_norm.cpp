// Error model of instance norm, as group norm of one channel a group.
#include "ir/ops/instance_norm.hpp"

#include "parity/bounds/norm_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::InstanceNorm& op) {
  Model model{.rounding = [op](const Node& node) {
    return grouped_norm_error(node, node.in[0].shape()[1], op.epsilon, node.in[1], node.in[2]);
  }};
  model.line = LineAxes{2};
  return model;
}

}  // namespace plumb::parity::bounds
