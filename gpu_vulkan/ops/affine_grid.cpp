// Lowers affine grids: an invocation makes one coordinate from its position and a row of theta.
#include "ir/ops/affine_grid.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::AffineGrid& op, plan::Lowering& node) {
  node.needs_its_types();
  struct Block {
    std::uint32_t elements;
    std::array<std::uint32_t, 3> extent{1, 1, 1};
  };
  const auto& [dtype, grid] = node.out_type(0);
  Block block{static_cast<std::uint32_t>(grid.elements())};
  const std::size_t rank = op.output_shape.size();
  for (std::size_t k = 0; k < rank; ++k) block.extent[k] = static_cast<std::uint32_t>(op.output_shape[rank - 1 - k]);
  constexpr std::uint32_t threads = 64;
  kernels::common::publish(
      {.unit = ir::SumUnit::either, .levels = {kernels::common::chain()}, .epilogue = {ir::SumStep::translation}},
      dtype, node);
  node.dispatch({
      .shader = {ir::cat("affine_grid.", dtype),
                 {{"invocations", threads},
                  {"axes", static_cast<std::uint32_t>(rank)},
                  {"align_corners", op.align_corners}}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = block,
      .groups = plan::groups_for(grid.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
