#include "ir/ops/conv.hpp"

#include "gpu_vulkan/convolution.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Conv& op, Lowering& node) { lower_conv(op, {}, node); }

}  // namespace plumb::gpu_vulkan
