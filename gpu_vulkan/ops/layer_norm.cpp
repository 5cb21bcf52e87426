#include "ir/ops/layer_norm.hpp"

#include "gpu_vulkan/fused_ops/added_norm.hpp"
#include "gpu_vulkan/kernels/norms/normalize.hpp"

namespace plumb::gpu_vulkan {
namespace {

void lower_norm(const ir::ops::LayerNorm& op, bool has_residual, plan::Lowering& node) {
  const std::size_t last = node.inputs() - (has_residual ? 2 : 1);
  const ir::Shape& x = node.in_type(0).shape;
  const std::vector<std::int64_t> none(x.size(), 0);
  kernels::norms::lower_normalize(
      {.name = "layer_norm",
       .shape = x,
       .first = x.axis(op.axis),
       .epsilon = op.epsilon,
       .has_scale = op.has_scale,
       .has_bias = op.has_bias,
       .scale_strides = op.has_scale ? ir::broadcast_strides(node.in_type(1).shape, x) : none,
       .bias_strides = op.has_bias ? ir::broadcast_strides(node.in_type(last).shape, x) : none,
       .has_statistics = true,
       .has_residual = has_residual},
      node);
}

}  // namespace

void lower(const ir::ops::LayerNorm& op, plan::Lowering& node) { lower_norm(op, false, node); }

void fused_ops::lower(const AddedNorm& op, plan::Lowering& node) { lower_norm(op, true, node); }

}  // namespace plumb::gpu_vulkan
