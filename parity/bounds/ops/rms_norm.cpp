// Error model of RMS norm: that of norms, without a mean.
#include "ir/ops/rms_norm.hpp"

#include "parity/bounds/norm_terms.hpp"

namespace plumb::parity::bounds {
namespace {

Norm norm_of(const ir::ops::RmsNorm& op, const Node& node) {
  Norm norm = line_norm(node, op.axis, op.epsilon, op.has_scale, op.has_bias);
  norm.centred = false;
  return norm;
}

}  // namespace

Model error_model(const ir::ops::RmsNorm& op) {
  Model model{.rounding = [op](const Node& node) { return norm_errors(node, norm_of(op, node)).y; },
              .carried = [op](const Node& node,
                              const Errors& errors) { return through_norm(node, norm_of(op, node), errors); }};
  model.line = LineAxes{op.axis};
  return model;
}

}  // namespace plumb::parity::bounds
