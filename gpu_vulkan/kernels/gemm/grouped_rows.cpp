// Sorts rows by expert in one workgroup: the host decides how many chunks and tiles there are at most.
#include "gpu_vulkan/kernels/gemm/grouped_rows.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/sums.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

void publish_tile(const common::ElementTile& tile, bool has_bias, ir::DType dtype, plan::Lowering& node) {
  ir::Sum sum{
      .of = ir::SumName::product, .unit = ir::SumUnit::either, .levels = {common::chain(tile.depth), common::chain()}};
  if (has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  common::publish(std::move(sum), dtype, node);
}

GroupedRows group_rows(std::size_t expert, std::int64_t experts, std::int64_t height, plan::Lowering& node) {
  constexpr std::uint32_t threads = 256;
  constexpr std::int64_t most_cells = std::int64_t{1} << 20;
  const std::int64_t rows = node.in_type(expert).shape[0], groups = experts + 1;  // the last has no expert
  const std::int64_t most_chunks = std::clamp<std::int64_t>(most_cells / groups, 1, threads);
  const std::int64_t chunk = common::pieces(rows, most_chunks), chunks = common::pieces(rows, chunk);
  node.needs(groups * chunks < std::int64_t{1} << 29, "there are ", experts, " experts, 2^29 or more");
  // Each group that has rows has one tile that is not full, at most.
  const std::int64_t tiles = (rows + std::min(groups, rows) * (height - 1)) / height;
  const auto scratch = [&](std::int64_t words) {
    return node.scratch(static_cast<std::size_t>(words) * sizeof(std::uint32_t));
  };
  const GroupedRows made{.tiles = scratch(3 * tiles), .sorted = scratch(rows), .count = tiles};
  struct Block {
    std::uint32_t count, index_words, groups, chunk, chunks, height, tiles, node;
  };
  node.dispatch({
      .shader = {"grouped_rows", {{"invocations", threads}}},
      .reads = {node.in(expert)},
      .writes = {scratch(groups * chunks), made.sorted, made.tiles, node.faults()},
      .push = Block{.count = plan::word(rows),
                    .index_words = node.in_type(expert).dtype == ir::DType::i64 ? 2u : 1u,
                    .groups = plan::word(groups),
                    .chunk = plan::word(chunk),
                    .chunks = plan::word(chunks),
                    .height = plan::word(height),
                    .tiles = plan::word(tiles),
                    .node = node.node_number()},
  });
  return made;
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
