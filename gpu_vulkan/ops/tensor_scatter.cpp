// Lowers rows that are written into a cache to a copy of the rows, behind one of the cache where somebody else reads
// it.
#include "ir/ops/tensor_scatter.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// Each workgroup looks at all start indices before it writes over the cache: of more than so many a copy is made.
constexpr std::int64_t most_checked = 4096;

bool begin_as_cache(bool has_faults, std::int64_t batch, plan::Lowering& node) {
  if (!has_faults || batch <= most_checked) return kernels::copy::begin_as_operand(node);
  kernels::copy::copy_operand(ir::cat("there are more than ", most_checked, " write_indices to check"), node);
  return false;
}

}  // namespace

void lower(const ir::ops::TensorScatter& op, plan::Lowering& node) {
  node.needs_its_sizes();
  const ir::TensorType &cache = node.in_type(0), &update = node.in_type(1);
  if (update.shape.elements() == 0) return node.alias(0, 0);
  const bool is_circular = op.mode == ir::ops::TensorScatterMode::circular;
  const std::int64_t batch = cache.shape[0];
  const bool is_in_place = begin_as_cache(op.has_write_indices && !is_circular, batch, node);

  const ir::Lines into = ir::along(cache.shape, op.axis), from = ir::along(update.shape, op.axis);
  const std::size_t row_bytes = static_cast<std::size_t>(from.inner) * ir::info(cache.dtype).bytes;
  const std::size_t width = kernels::copy::word_width(row_bytes);
  const auto words = static_cast<std::int64_t>(row_bytes / width);
  const std::int64_t count = from.outer * from.length * words;
  struct Block {
    std::array<std::uint32_t, 2> by_words, by_updated, by_groups;
    std::uint32_t count, node, words, updated, rows, batch;
  };
  const kernels::common::Divisor by_words(words), by_updated(from.length), by_groups(from.outer / batch);
  constexpr std::uint32_t threads = 128;
  const std::size_t indices = op.has_write_indices ? 2 : 1;  // any buffer where none is read
  const std::uint32_t index_words = op.has_write_indices ? kernels::indexing::index_words(node.in_type(2).dtype) : 0u;
  node.dispatch({
      .shader = {kernels::copy::word_variant("tensor_scatter", width, node),
                 {{"invocations", threads},
                  {"index_words", index_words},
                  {"is_circular", is_circular},
                  {"is_in_place", is_in_place}}},
      .reads = {node.in(1), node.in(indices)},
      .writes = {node.out(0), node.faults()},
      .push = Block{.by_words = {by_words.multiplier, by_words.shift},
                    .by_updated = {by_updated.multiplier, by_updated.shift},
                    .by_groups = {by_groups.multiplier, by_groups.shift},
                    .count = plan::word(count),
                    .node = node.node_number(),
                    .words = plan::word(words),
                    .updated = plan::word(from.length),
                    .rows = plan::word(into.length),
                    .batch = plan::word(batch)},
      .groups = plan::groups_for(count, threads),
  });
}

}  // namespace plumb::gpu_vulkan
