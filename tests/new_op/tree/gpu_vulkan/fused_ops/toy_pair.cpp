#include "gpu_vulkan/fused_ops/toy_pair.hpp"

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/schema.hpp"

namespace plumb::gpu_vulkan::fused_ops {

void lower(const ToyPair&, plan::Lowering& node) { node.alias(0, 0); }

}  // namespace plumb::gpu_vulkan::fused_ops

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::gpu_vulkan::fused_ops::ToyPair>();
