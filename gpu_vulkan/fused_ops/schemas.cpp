// Schemas of the ops that only passes make.
#include "gpu_vulkan/fused_ops/added_norm.hpp"
#include "gpu_vulkan/fused_ops/fused_conv.hpp"
#include "gpu_vulkan/fused_ops/region.hpp"
#include "gpu_vulkan/fused_ops/viewed_attention.hpp"
#include "ir/schema.hpp"

namespace plumb::ir {

template const OpSchema& schema<gpu_vulkan::fused_ops::AddedNorm>();
template const OpSchema& schema<gpu_vulkan::fused_ops::FusedConv>();
template const OpSchema& schema<gpu_vulkan::fused_ops::Region>();
template const OpSchema& schema<gpu_vulkan::fused_ops::ViewedAttention>();

}  // namespace plumb::ir
