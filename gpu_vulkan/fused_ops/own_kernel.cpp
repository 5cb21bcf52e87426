// Lowers a registered op to the one dispatch of its author's shader.
#include "gpu_vulkan/fused_ops/own_kernel.hpp"

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/schema.hpp"

namespace plumb::gpu_vulkan::fused_ops {

void lower(const OwnKernel& op, plan::Lowering& node) {
  node.needs_its_types();
  std::vector<plan::Slot> reads, writes;
  for (std::size_t i = 0; i < node.inputs(); ++i) reads.push_back(node.in(i));
  for (std::size_t k = 0; k < node.outputs(); ++k) writes.push_back(node.out(k));
  node.is_called(op.op.of->name);
  node.dispatch({.shader = {op.kernel, {}, 0, op.words},
                 .reads = std::move(reads),
                 .writes = std::move(writes),
                 .push = op.push,
                 .groups = op.groups});
}

}  // namespace plumb::gpu_vulkan::fused_ops

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::gpu_vulkan::fused_ops::OwnKernel>();
