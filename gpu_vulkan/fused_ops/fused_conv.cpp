// Lowers a convolution with residual and clamp, which a pass makes, to the convolution kernels with an epilogue.
#include "gpu_vulkan/fused_ops/fused_conv.hpp"

#include "gpu_vulkan/kernels/conv/convolution.hpp"
#include "ir/schema.hpp"

namespace plumb::gpu_vulkan::fused_ops {

void lower(const FusedConv& op, plan::Lowering& node) {
  kernels::conv::Epilogue epilogue{.low = op.low, .high = op.high};
  if (op.has_residual) epilogue.residual = node.in(node.inputs() - 1);
  kernels::conv::lower_conv(op, epilogue, node);
}

}  // namespace plumb::gpu_vulkan::fused_ops

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::gpu_vulkan::fused_ops::FusedConv>();
