// Lowers products with packed weights tile by tile; weights are decoded on their way into shared memory.
#include "gpu_vulkan/kernels/gemm/packed_product.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/gemm/grouped_rows.hpp"
#include "gpu_vulkan/kernels/gemm/packed_vector.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

namespace packed = ir::kernels::packed;

namespace {

void emit_tiles(const PackedProduct& product, const PackedExtents& p, const common::ElementTile& tile,
                plan::Lowering& node) {
  const auto& [format, block_size, has_scales, has_zero_points] = product.packing;
  const bool is_grouped = product.expert.has_value();
  publish_tile(tile, product.has_bias, p.dtype, node);
  const GroupedRows rows = tiled_rows(product, p, tile.rows, node);
  struct Block {
    std::uint32_t m, n, k, scales_of_row;
    common::Divisor by_block;
    std::uint32_t row_tiles;
  };
  node.dispatch({
      .shader = {ir::cat("packed_matmul.", p.dtype),
                 tile.constants().then({{"format", format},
                                        {"scale_type", p.scales},
                                        {"has_zero_points", has_zero_points},
                                        {"has_bias", product.has_bias},
                                        {"weight_dtype", product.weight_dtype},
                                        {"is_unrounded", node.out_type(0).dtype != p.dtype},
                                        {"is_grouped", is_grouped},
                                        {"block_bytes", plan::word(packed::layout(format).bytes)},
                                        {"has_x_scales", product.x_scales.has_value()}})},
      .reads = {node.in(0), node.in(1), node.in(has_scales ? 2 : 1), node.in(has_zero_points ? 3 : 1),
                node.in(product.has_bias ? node.inputs() - 1 : 0), rows.tiles, rows.sorted,
                node.in(product.x_scales.value_or(0))},
      .writes = {node.out(0)},
      .push = Block{plan::word(p.m), plan::word(p.n), plan::word(p.k),
                    plan::word(packed::scales_of_row(format, block_size, p.k)), by_scale_block(product, p.k),
                    plan::word(rows.count)},
      .groups = plan::groups_for(rows.count * common::pieces(p.n, tile.columns)),
  });
}

}  // namespace

GroupedRows tiled_rows(const PackedProduct& product, const PackedExtents& extents, std::int64_t height,
                       plan::Lowering& node) {
  if (product.expert) return group_rows(*product.expert, extents.experts, height, node);
  return {.tiles = node.in(0), .sorted = node.in(0), .count = common::pieces(extents.m, height)};
}

common::Divisor by_scale_block(const PackedProduct& product, std::int64_t k) {
  const std::int64_t block = packed::scale_block(product.packing.format, product.packing.block_size, k);
  return common::Divisor(std::clamp<std::int64_t>(block, 1, k + 1));
}

void lower_packed(const PackedProduct& product, plan::Lowering& node) {
  node.needs_its_types();
  node.needs_its_sizes();
  const bool is_grouped = product.expert.has_value();
  const ir::Shape& y = node.out_type(0).shape;
  const PackedExtents p{
      .m = y.elements() / y.back(),
      .n = y.back(),
      .k = node.in_type(0).shape.back(),
      .experts = is_grouped ? node.in_type(1).shape[0] : 1,
      .dtype = product.x_scales ? node.out_type(0).dtype : node.in_type(0).dtype,
      .scales = packed::has_real_scales(product.packing.format) ? node.in_type(2).dtype : ir::DType::f32};
  node.needs(p.scales != ir::DType::f64, "scales are f64, which shaders do not round to f32");
  node.needs(p.experts * p.n * p.k < std::int64_t{1} << 32, "shaders count no more than 2^32 weights");
  constexpr std::uint32_t bindings = 9;
  node.needs(node.facts().max_storage_buffers >= bindings, node.facts().name, " has fewer than ", bindings,
             " buffers for a shader");
  const common::ElementTile tile = tile_for(is_grouped ? p.m / std::max<std::int64_t>(p.experts, 1) : p.m);
  const auto by_tiles = [&] { return plan::Emission{[&] { emit_tiles(product, p, tile, node); }}; };
  node.choose(
      {{"packed_vector", device::KernelFamily::vector_wide, [&] { return attempt_packed_vector(product, p, node); }},
       {ir::cat(is_grouped ? "grouped" : "packed", tile.rows), device::KernelFamily::tiled, by_tiles}});
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
