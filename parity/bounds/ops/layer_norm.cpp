// Error model of layer norm and of the mean and inverse deviation that it may give besides.
#include "ir/ops/layer_norm.hpp"

#include "parity/bounds/norm_terms.hpp"

namespace plumb::parity::bounds {
namespace {

Norm norm_of(const ir::ops::LayerNorm& op, const Node& node) {
  return line_norm(node, op.axis, op.epsilon, op.has_scale, op.has_bias);
}

}  // namespace

Model error_model(const ir::ops::LayerNorm& op) {
  Model model{.rounding =
                  [op](const Node& node) {
                    const NormErrors errors = norm_errors(node, norm_of(op, node));
                    return node.output == 0 ? errors.y : node.output == 1 ? errors.mean : errors.inverse;
                  },
              .carried = [op](const Node& node,
                              const Errors& errors) { return through_norm(node, norm_of(op, node), errors); }};
  model.line = LineAxes{op.axis};
  return model;
}

}  // namespace plumb::parity::bounds
