// Lowers one-hot: an invocation writes one element, on or off.
#include "ir/ops/one_hot.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::OneHot& op, plan::Lowering& node) {
  struct Block {
    std::array<std::uint32_t, 2> by_depth, by_inner;
    std::uint32_t count, depth, inner;
  };
  node.needs_its_sizes();
  const ir::TensorType& y = node.out_type(0);
  const ir::Lines lines = ir::along(y.shape, op.axis);
  const kernels::common::Divisor by_depth(lines.length), by_inner(lines.inner);
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {kernels::copy::word_variant("one_hot", ir::info(y.dtype).bytes, node),
                 {{"invocations", threads}, {"index_words", kernels::indexing::index_words(node.in_type(0).dtype)}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0)},
      .push = Block{.by_depth = {by_depth.multiplier, by_depth.shift},
                    .by_inner = {by_inner.multiplier, by_inner.shift},
                    .count = static_cast<std::uint32_t>(y.shape.elements()),
                    .depth = static_cast<std::uint32_t>(lines.length),
                    .inner = static_cast<std::uint32_t>(lines.inner)},
      .groups = plan::groups_for(y.shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
