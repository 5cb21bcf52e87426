// Error model of group norm, as that of all norms by groups of channels.
#include "ir/ops/group_norm.hpp"

#include "parity/bounds/norm_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::GroupNorm& op) {
  Model model{.rounding = [op](const Node& node) {
    return grouped_norm_error(node, op.num_groups, op.epsilon, op.has_scale ? std::optional(node.in[1]) : std::nullopt,
                              op.has_bias ? std::optional(node.in.back()) : std::nullopt);
  }};
  model.line = LineAxes{2};
  return model;
}

}  // namespace plumb::parity::bounds
