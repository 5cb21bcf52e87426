// Lowers transposed convolution as a gather: an invocation adds every tap that meets its element of the result.
#include "ir/ops/conv_transpose.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/conv/window_axes.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ConvTranspose& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto &x = node.in_type(0).shape, &w = node.in_type(1).shape;
  const kernels::conv::WindowAxes axes = kernels::conv::window_axes(op.axes(x, w), x, node);
  struct Block {
    std::uint32_t elements, group, channels, filters;
    kernels::conv::AdjointSteps steps;
    kernels::conv::WindowAxes axes;
  };
  constexpr std::uint32_t threads = 64;
  const auto& [dtype, shape] = node.out_type(0);
  ir::Sum sum{.unit = ir::SumUnit::either, .levels = kernels::common::in_chunks()};
  if (op.has_bias) sum.epilogue = {ir::SumStep::bias};
  kernels::common::publish(std::move(sum), dtype, node);
  node.dispatch({
      .shader = {ir::cat("conv_transpose.", dtype), {{"invocations", threads}, {"has_bias", op.has_bias}}},
      .reads = {node.in(0), node.in(1), node.in(op.has_bias ? 2 : 0)},
      .writes = {node.out(0)},
      .push = Block{plan::word(shape.elements()), plan::word(op.group), plan::word(x[1] / op.group), plan::word(w[1]),
                    kernels::conv::AdjointSteps(axes), axes},
      .groups = plan::groups_for(shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
