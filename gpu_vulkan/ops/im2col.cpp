// Lowers im2col as a gather: an invocation copies one element of a column.
#include "ir/ops/im2col.hpp"

#include "gpu_vulkan/kernels/conv/window_axes.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Im2col& op, plan::Lowering& node) {
  node.needs_its_sizes();
  const auto windows = op.axes(node.in_type(0).shape);
  ir::Shape positions;
  for (const ir::kernels::Window& window : windows) positions.push_back(window.positions());
  struct Block {
    std::uint32_t elements;
    kernels::conv::WindowAxes axes;
  };
  constexpr std::uint32_t threads = 128;
  const auto& [dtype, shape] = node.out_type(0);
  node.dispatch({
      .shader = {kernels::copy::word_variant("im2col", ir::info(dtype).bytes, node), {{"invocations", threads}}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = Block{static_cast<std::uint32_t>(shape.elements()), kernels::conv::window_axes(windows, positions, node)},
      .groups = plan::groups_for(shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
