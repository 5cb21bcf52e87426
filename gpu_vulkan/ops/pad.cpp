// Lowers padding to an index map: every element of the result is one of x, or the fill value.
#include "ir/ops/pad.hpp"

#include "gpu_vulkan/kernels/copy/index_map.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Pad& op, plan::Lowering& node) {
  kernels::copy::index_map(op.map(node.in_type(0), node.out_type(0).shape), node);
}

}  // namespace plumb::gpu_vulkan
