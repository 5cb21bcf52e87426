// Lowers layer norm without a residual.
#include "gpu_vulkan/kernels/norms/layer_norm.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::LayerNorm& op, plan::Lowering& node) { kernels::norms::lower_layer_norm(op, false, node); }

}  // namespace plumb::gpu_vulkan
