// Lowers max unpooling in three stages, clear, bid and take, so that of equal targets the same input always wins.
#include "ir/ops/max_unpool.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::MaxUnpool& op, plan::Lowering& node) {
  node.needs_its_sizes();
  struct Block {
    std::uint32_t count, positions;
    std::array<std::uint32_t, 3> from_extent{1, 1, 1}, extent{1, 1, 1};
    std::uint32_t node;
  };
  const auto &x = node.in_type(0), &y = node.out_type(0);
  // Extents of y are at least as large, so these are counted in 32 bits, too.
  Block block{.count = 0, .positions = plan::word(op.indexed(x.shape).elements()), .node = node.node_number()};
  const std::size_t rank = op.inferred_shape.size();
  for (std::size_t i = 0; i < rank; ++i) {
    block.from_extent[3 - rank + i] = plan::word(op.inferred_shape[i]);
    block.extent[3 - rank + i] = plan::word(y.shape[2 + i]);
  }
  const plan::Slot winners = node.scratch(sizeof(std::uint32_t) * static_cast<std::size_t>(y.shape.elements()));
  const std::string shader = kernels::copy::word_variant("max_unpool", ir::info(x.dtype).bytes, node);
  constexpr std::uint32_t threads = 128;
  const auto dispatch = [&](std::uint32_t stage, std::int64_t count) {
    if (count == 0) return;
    block.count = plan::word(count);
    node.dispatch({
        .shader = {shader, {{"invocations", threads}, {"stage", stage}}},
        .reads = {node.in(0), node.in(1)},
        .writes = {node.out(0), winners, node.faults()},
        .push = block,
        .groups = plan::groups_for(count, threads),
    });
  };
  enum : std::uint32_t { clear, bid, take };
  dispatch(clear, y.shape.elements());
  dispatch(bid, x.shape.elements());
  dispatch(take, y.shape.elements());
}

}  // namespace plumb::gpu_vulkan
