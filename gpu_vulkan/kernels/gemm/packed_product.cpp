// Lowers products with packed weights tile by tile; weights are decoded on their way into shared memory.
#include "gpu_vulkan/kernels/gemm/packed_product.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/gemm/grouped_rows.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

namespace packed = ir::kernels::packed;

void lower_packed(const PackedProduct& product, plan::Lowering& node) {
  node.needs_its_types();
  node.needs_its_sizes();
  const auto& [format, block_size, has_scales, has_zero_points] = product.packing;
  const ir::DType dtype = product.x_scales ? node.out_type(0).dtype : node.in_type(0).dtype;
  const ir::Shape& y = node.out_type(0).shape;
  const bool is_grouped = product.expert.has_value();
  const std::int64_t experts = is_grouped ? node.in_type(1).shape[0] : 1;
  const std::int64_t n = y.back(), m = y.elements() / n, k = node.in_type(0).shape.back();
  const ir::DType scales = packed::has_real_scales(format) ? node.in_type(2).dtype : ir::DType::f32;
  node.needs(scales != ir::DType::f64, "scales are f64, which shaders do not round to f32");
  node.needs(experts * n * k < std::int64_t{1} << 32, "shaders count no more than 2^32 weights");
  constexpr std::uint32_t bindings = 9;
  node.needs(node.facts().max_storage_buffers >= bindings, node.facts().name, " has fewer than ", bindings,
             " buffers for a shader");
  const common::ElementTile tile = tile_for(is_grouped ? m / std::max<std::int64_t>(experts, 1) : m);
  publish_tile(tile, product.has_bias, dtype, node);
  GroupedRows rows{.tiles = node.in(0), .sorted = node.in(0), .count = common::pieces(m, tile.rows)};
  if (is_grouped) rows = group_rows(*product.expert, experts, tile.rows, node);
  struct Block {
    std::uint32_t m, n, k, scales_of_row;
    common::Divisor by_block;
    std::uint32_t row_tiles;
  };
  const std::int64_t block = std::clamp<std::int64_t>(packed::scale_block(format, block_size, k), 1, k + 1);
  node.dispatch({
      .shader = {ir::cat("packed_matmul.", dtype),
                 tile.constants().then({{"format", format},
                                        {"scale_type", scales},
                                        {"has_zero_points", has_zero_points},
                                        {"has_bias", product.has_bias},
                                        {"weight_dtype", product.weight_dtype},
                                        {"is_unrounded", node.out_type(0).dtype != dtype},
                                        {"is_grouped", is_grouped},
                                        {"block_bytes", plan::word(packed::layout(format).bytes)},
                                        {"has_x_scales", product.x_scales.has_value()}})},
      .reads = {node.in(0), node.in(1), node.in(has_scales ? 2 : 1), node.in(has_zero_points ? 3 : 1),
                node.in(product.has_bias ? node.inputs() - 1 : 0), rows.tiles, rows.sorted,
                node.in(product.x_scales.value_or(0))},
      .writes = {node.out(0)},
      .push =
          Block{plan::word(m), plan::word(n), plan::word(k), plan::word(packed::scales_of_row(format, block_size, k)),
                common::Divisor(block), plan::word(rows.count)},
      .groups = plan::groups_for(rows.count * common::pieces(n, tile.columns)),
  });
  node.is_called(ir::cat(is_grouped ? "grouped" : "packed", tile.rows));
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
