#include "ir/ops/rms_norm.hpp"

#include "parity/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

Norm norm_of(const ir::ops::RmsNorm& op, const Node& node) {
  const ir::Shape shape = node.in[0].shape();
  Norm norm{.x = node.in[0], .centred = false, .epsilon = op.epsilon, .y = node.out[0]};
  for (std::size_t axis = shape.axis(op.axis); axis < shape.size(); ++axis)
    norm.axes.push_back(static_cast<std::int64_t>(axis));
  if (op.has_scale) norm.scale = node.in[1];
  if (op.has_bias) norm.bias = node.in.back();
  return norm;
}

}  // namespace

Model error_model(const ir::ops::RmsNorm& op) {
  return {.rounding = [op](const Node& node) { return norm_errors(node, norm_of(op, node)).y; },
          .carried = [op](const Node& node,
                          const Errors& errors) { return through_norm(node, norm_of(op, node), errors); }};
}

}  // namespace plumb::parity::bounds
