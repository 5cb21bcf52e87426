#include "ir/ops/reverse_sequence.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// Where along an axis an element lies, as glsl finds it.
struct Along {
  std::uint32_t extent, inner;
  std::array<std::uint32_t, 2> by_extent, by_inner;
};

Along along(const ir::Lines& lines, std::int64_t run) {
  const kernels::common::Divisor by_extent(lines.length), by_inner(lines.inner / run);
  return {.extent = static_cast<std::uint32_t>(lines.length),
          .inner = static_cast<std::uint32_t>(lines.inner / run),
          .by_extent = {by_extent.multiplier, by_extent.shift},
          .by_inner = {by_inner.multiplier, by_inner.shift}};
}

}  // namespace

void lower(const ir::ops::ReverseSequence& op, plan::Lowering& node) {
  struct Block {
    std::uint32_t count, node;
    Along time, batch;
  };
  node.needs_its_sizes();
  const ir::TensorType& x = node.in_type(0);
  const ir::Lines time = ir::along(x.shape, op.time_axis), batch = ir::along(x.shape, op.batch_axis);
  // Elements inside both axes stay together: they move in words as wide as can be.
  const auto bytes = static_cast<std::int64_t>(ir::info(x.dtype).bytes);
  const std::size_t width =
      kernels::copy::word_width(static_cast<std::size_t>(std::min(time.inner, batch.inner) * bytes));
  const std::int64_t run = static_cast<std::int64_t>(width) / bytes, count = x.shape.elements() / run;
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {kernels::copy::word_variant("reverse_sequence", width, node),
                 {{"invocations", threads}, {"index_words", kernels::indexing::index_words(node.in_type(1).dtype)}}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0), node.faults()},
      .push = Block{static_cast<std::uint32_t>(count), node.node_number(), along(time, run), along(batch, run)},
      .groups = plan::groups_for(count, threads),
  });
}

}  // namespace plumb::gpu_vulkan
