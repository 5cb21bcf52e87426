// Lowers the packing of numbers: an invocation packs a block.
#include "ir/ops/quantize_blocks.hpp"

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::QuantizeBlocks& op, plan::Lowering& node) {
  node.needs_its_types();
  node.needs_its_sizes();
  struct Block {
    std::uint32_t blocks, node;
  };
  constexpr std::uint32_t threads = 64;
  const ir::kernels::packed::Layout block = ir::kernels::packed::layout(op.format);
  const std::int64_t blocks = node.in_type(0).shape.elements() / block.elements;
  node.dispatch({
      .shader = {ir::cat("quantize_blocks.", node.in_type(0).dtype),
                 {{"invocations", threads},
                  {"format", op.format},
                  {"block_bytes", static_cast<std::uint32_t>(block.bytes)}}},
      .reads = {node.in(0)},
      .writes = {node.out(0), node.faults()},
      .push = Block{static_cast<std::uint32_t>(blocks), node.node_number()},
      .groups = plan::groups_for(blocks, threads),
  });
}

}  // namespace plumb::gpu_vulkan
