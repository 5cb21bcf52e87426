// Lowers layer norm of a sum, which the residual pass makes, to the layer-norm kernels with a residual operand.
#include "gpu_vulkan/fused_ops/added_norm.hpp"

#include "gpu_vulkan/kernels/norms/layer_norm.hpp"
#include "ir/schema.hpp"

namespace plumb::gpu_vulkan::fused_ops {

void lower(const AddedNorm& op, plan::Lowering& node) { kernels::norms::lower_layer_norm(op, true, node); }

}  // namespace plumb::gpu_vulkan::fused_ops

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::gpu_vulkan::fused_ops::AddedNorm>();
