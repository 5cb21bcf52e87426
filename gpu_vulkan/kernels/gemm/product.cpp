#include "gpu_vulkan/kernels/gemm/product.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/gemm/product_kernels.hpp"
#include "gpu_vulkan/kernels/gemm/product_vector.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {
namespace {

using ir::DType;

/// A workgroup's tile, and the part of it that each of its invocations computes.
struct Tile {
  std::uint32_t rows, columns, depth, rows_each, columns_each;

  std::uint32_t invocations() const { return rows / rows_each * (columns / columns_each); }
  std::size_t shared_bytes(std::size_t element) const { return (rows + columns + 2) * depth * element; }
};

constexpr std::array<Tile, 4> tile_sizes = {
    {{128, 128, 8, 8, 8}, {64, 64, 16, 4, 4}, {32, 32, 16, 4, 4}, {32, 32, 8, 4, 4}}};
constexpr Tile smallest_tile = {8, 8, 16, 1, 1};  ///< for many tiny products

void emit_tiled(const Product& p, const ProductSlots& slots, plan::Lowering& node) {
  const std::size_t element = std::max<std::size_t>(4, ir::info(slots.operands).bytes);
  const auto option = [&](const Tile& t) {
    return plan::TileOption{.name = tile_name(t.rows, t.columns, t.depth),
                            .elements = std::int64_t{t.rows} * t.columns,
                            .groups = tiles(p, t.rows, t.columns),
                            .fits = t.invocations() <= node.facts().max_invocations &&
                                    t.shared_bytes(element) <= node.facts().shared_memory};
  };
  const bool tiny = p.m <= smallest_tile.rows && p.n <= smallest_tile.columns;
  const Tile& t = tiny ? smallest_tile : take_tile(p, node, ir::cat("matmul.", slots.operands), tile_sizes, option);
  node.uses_tile(tile_name(t.rows, t.columns, t.depth));
  common::publish(with_epilogue(p, {.unit = ir::SumUnit::either, .levels = common::in_chunks()}), slots.operands, node);
  dispatch(p, slots, node,
           {"matmul." + variant(slots),
            {{"invocations", t.invocations()},
             {"rows", t.rows},
             {"columns", t.columns},
             {"depth", t.depth},
             {"rows_each", t.rows_each},
             {"columns_each", t.columns_each}}},
           tiles(p, t.rows, t.columns));
}

}  // namespace

void lower_product(const Product& product, const ProductSlots& slots, plan::Lowering& node) {
  using device::KernelFamily;
  std::vector<plan::Candidate> candidates = vector_candidates(product, slots, node);
  const auto add = [&](std::string_view name, KernelFamily family, auto attempt) {
    candidates.push_back({std::string(name), family, [&, attempt] { return attempt(product, slots, node); }});
  };
  if (product.sums_in_f16) add("coopmat_f16acc16", KernelFamily::coopmat, attempt_summed_in_f16);
  add(cooperative_name(slots.operands), KernelFamily::coopmat, attempt_cooperative);
  add("tiled_wide_split", KernelFamily::split_k, attempt_split);
  add("tiled_wide", KernelFamily::tiled_wide, attempt_wide);
  candidates.push_back(
      {"tiled", KernelFamily::tiled, [&] { return plan::Emission{[&] { emit_tiled(product, slots, node); }}; }});
  node.choose(candidates);
}

void lower_product(const Product& product, plan::Lowering& node) {
  node.needs_its_types();
  const ProductSlots slots{node.in(0),
                           node.in(1),
                           node.in(product.has_c ? 2 : 0),
                           node.out(0),
                           node.in_type(0).dtype,
                           node.out_type(0).dtype};
  lower_product(product, slots, node);
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
