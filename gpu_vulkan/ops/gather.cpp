#include "ir/ops/gather.hpp"

#include "gpu_vulkan/divisor.hpp"
#include "gpu_vulkan/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Gather& op, Lowering& node) {
  node.needs_its_sizes();
  const auto lines = ir::along(node.in_type(0).shape, op.axis);
  const std::size_t row_bytes = static_cast<std::size_t>(lines.inner) * ir::info(node.in_type(0).dtype).bytes;
  const std::size_t width = word_width(row_bytes);
  const auto words = static_cast<std::int64_t>(node.out_type(0).bytes() / width);
  const auto inner = static_cast<std::int64_t>(row_bytes / width), count = node.in_type(1).shape.elements();
  struct Block {
    std::uint32_t words, inner, count, extent;
    Divisor by_inner, by_count;
    std::uint32_t node;
  };
  constexpr std::uint32_t threads = 128;
  const std::uint32_t index_words = node.in_type(1).dtype == ir::DType::i64 ? 2 : 1;
  node.dispatch({
      .shader = {word_variant("gather", width, node), {threads, index_words}},
      .reads = {node.in(0), node.in(1)},
      .writes = {node.out(0), node.faults()},
      .push = Block{std::uint32_t(words), std::uint32_t(inner), std::uint32_t(count), std::uint32_t(lines.length),
                    Divisor(inner), Divisor(count), node.node_number()},
      .groups = groups_for(words, threads),
  });
}

}  // namespace plumb::gpu_vulkan
