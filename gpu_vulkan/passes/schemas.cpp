// Of the ops that only passes make.
#include "gpu_vulkan/passes/added_norm.hpp"
#include "gpu_vulkan/passes/fused_conv.hpp"
#include "gpu_vulkan/passes/viewed_attention.hpp"
#include "gpu_vulkan/region/region.hpp"
#include "ir/schema.hpp"

namespace plumb::ir {

template const OpSchema& schema<gpu_vulkan::AddedNorm>();
template const OpSchema& schema<gpu_vulkan::FusedConv>();
template const OpSchema& schema<gpu_vulkan::Region>();
template const OpSchema& schema<gpu_vulkan::ViewedAttention>();

}  // namespace plumb::ir
