// Lowers sampling by a grid: an invocation interpolates one element over the taps of up to three spatial axes.
#include "ir/ops/grid_sample.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::GridSample& op, plan::Lowering& node) {
  node.needs_its_types();
  struct Block {
    std::uint32_t elements, channels, points;
    std::array<std::uint32_t, 3> extent{1, 1, 1};
  };
  const auto& x = node.in_type(0).shape;
  const auto& [dtype, y] = node.out_type(0);
  const std::size_t rank = x.size() - 2;
  Block block{plan::word(y.elements()), plan::word(x[1]), plan::word(y.elements() / (x[0] * x[1]))};
  for (std::size_t a = 0; a < rank; ++a) block.extent[3 - rank + a] = plan::word(x[2 + a]);
  constexpr std::uint32_t threads = 64;
  if (op.mode != ir::ops::SampleMode::nearest) {
    const std::int64_t taps = op.mode == ir::ops::SampleMode::linear ? 2 : 4;  // per axis
    kernels::common::publish({.of = ir::SumName::taps,
                              .unit = ir::SumUnit::either,
                              .levels = {kernels::common::chain(taps), kernels::common::chain()}},
                             dtype, node);
  }
  node.dispatch({
      .shader = {ir::cat("grid_sample.", dtype),
                 {{"invocations", threads},
                  {"axes", static_cast<std::uint32_t>(rank)},
                  {"mode", op.mode},
                  {"padding", op.padding},
                  {"align_corners", op.align_corners}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0)},
      .push = block,
      .groups = plan::groups_for(y.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
