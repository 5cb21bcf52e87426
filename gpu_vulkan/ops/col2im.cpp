// Lowers col2im as a gather: an invocation adds all columns that meet its element, so that no atomics are needed.
#include "ir/ops/col2im.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/conv/window_axes.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Col2im& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto windows = op.axes();
  ir::Shape positions;
  for (const ir::kernels::Window& window : windows) positions.push_back(window.positions());
  const kernels::conv::WindowAxes axes = kernels::conv::window_axes(windows, positions, node);
  struct Block {
    std::uint32_t elements;
    kernels::conv::AdjointSteps steps;
    kernels::conv::WindowAxes axes;
  };
  constexpr std::uint32_t threads = 64;
  const auto& [dtype, shape] = node.out_type(0);
  kernels::common::publish({.of = ir::SumName::columns, .levels = kernels::common::in_chunks()}, dtype, node);
  node.dispatch({
      .shader = {ir::cat("col2im.", dtype), {{"invocations", threads}}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = Block{static_cast<std::uint32_t>(shape.elements()), kernels::conv::AdjointSteps(axes), axes},
      .groups = plan::groups_for(shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
