// Lowers products of rows with the weights of their experts: rows are sorted by them, and a workgroup takes a tile of
// rows of one expert.
#include "ir/ops/grouped_matmul.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/gemm/grouped_rows.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::GroupedMatmul& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto& [dtype, x] = node.in_type(0);
  const std::int64_t experts = node.in_type(1).shape[0], n = node.out_type(0).shape[1];
  const auto tile = kernels::gemm::tile_for(x[0] / std::max<std::int64_t>(experts, 1));
  kernels::gemm::publish_tile(tile, op.has_bias, node.in_type(0).dtype, node);
  const auto rows = kernels::gemm::group_rows(2, experts, tile.rows, node);
  struct Block {
    std::uint32_t n, k, flags, row_tiles;
  };
  node.dispatch({
      .shader = {ir::cat("grouped_matmul.", dtype), tile.constants()},
      .reads = {node.in(0), node.in(1), node.in(op.has_bias ? 3 : 0), rows.tiles, rows.sorted},
      .writes = {node.out(0)},
      .push = Block{plan::word(n), plan::word(x[1]), (op.transpose_w ? 1u : 0u) | (op.has_bias ? 2u : 0u),
                    plan::word(rows.count)},
      .groups = plan::groups_for(rows.count * kernels::common::pieces(n, tile.columns)),
  });
  node.is_called(ir::cat("grouped", tile.rows));
}

}  // namespace plumb::gpu_vulkan
