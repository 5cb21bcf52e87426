#include "ir/ops/conv_transpose.hpp"

#include "gpu_vulkan/window_axes.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ConvTranspose& op, Lowering& node) {
  node.needs_its_types();
  const auto &x = node.in_type(0).shape, &w = node.in_type(1).shape;
  const WindowAxes axes = window_axes(op.axes(x, w), x, node);
  struct Block {
    std::uint32_t elements, group, channels, filters;
    AdjointSteps steps;
    WindowAxes axes;
  };
  constexpr std::uint32_t threads = 64;
  const auto& [dtype, shape] = node.out_type(0);
  node.dispatch({
      .shader = {ir::cat("conv_transpose.", dtype), {threads, op.has_bias}},
      .reads = {node.in(0), node.in(1), node.in(op.has_bias ? 2 : 0)},
      .writes = {node.out(0)},
      .push = Block{word(shape.elements()), word(op.group), word(x[1] / op.group), word(w[1]), AdjointSteps(axes),
                    axes},
      .groups = groups_for(shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
