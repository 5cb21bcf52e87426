// Lowers a plain convolution, one without a fused epilogue, to the convolution kernels.
#include "ir/ops/conv.hpp"

#include "gpu_vulkan/kernels/conv/convolution.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Conv& op, plan::Lowering& node) { kernels::conv::lower_conv(op, {}, node); }

}  // namespace plumb::gpu_vulkan
