// Lowers overlap-add as a gather: an invocation adds all windows that cover its sample, so that no atomics are needed.
#include "ir/ops/overlap_add.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::OverlapAdd& op, plan::Lowering& node) {
  node.needs_its_types();
  const ir::Shape& x = node.in_type(0).shape;
  const auto& [dtype, shape] = node.out_type(0);
  const std::int64_t windows = x[x.size() - 2];
  const std::int64_t hop = windows > 1 ? op.hop : op.length;  // a hop that is not taken may be of any size
  struct Block {
    std::array<std::uint32_t, 2> by_length, by_hop;
    std::uint32_t elements, length, windows, size, hop;
  };
  const kernels::common::Divisor by_length(op.length), by_hop(hop);
  constexpr std::uint32_t threads = 128;
  kernels::common::publish({.of = ir::SumName::windows, .levels = kernels::common::in_chunks()}, dtype, node);
  node.dispatch({
      .shader = {ir::cat("overlap_add.", dtype), {{"invocations", threads}}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = Block{.by_length = {by_length.multiplier, by_length.shift},
                    .by_hop = {by_hop.multiplier, by_hop.shift},
                    .elements = plan::word(shape.elements()),
                    .length = plan::word(op.length),
                    .windows = plan::word(windows),
                    .size = plan::word(x.back()),
                    .hop = plan::word(hop)},
      .groups = plan::groups_for(shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
