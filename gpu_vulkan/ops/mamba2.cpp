// Lowers the scan to the kernel of all whose states decay by factors that are given.
#include "ir/ops/mamba2.hpp"

#include "gpu_vulkan/kernels/scans/decayed_scan.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Mamba2& op, plan::Lowering& node) {
  ir::TensorTypes types;
  for (std::size_t i = 0; i < node.inputs(); ++i) types.push_back(node.in_type(i));
  kernels::scans::lower_decayed_scan(op.scan(types), node);
}

}  // namespace plumb::gpu_vulkan
