// Lists the candidates for a matrix product in order of preference; has the tiled kernel that takes every dtype.
#include "gpu_vulkan/kernels/gemm/gemm.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"
#include "gpu_vulkan/kernels/gemm/gemv.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {
namespace {

using ir::DType;

using common::ElementTile;

constexpr std::array<ElementTile, 4> element_tiles = {{
    {.rows = 128, .columns = 128, .depth = 8, .elements = {8, 8}},
    {.rows = 64, .columns = 64, .depth = 16, .elements = {4, 4}},
    {.rows = 32, .columns = 32, .depth = 16, .elements = {4, 4}},
    {.rows = 32, .columns = 32, .depth = 8, .elements = {4, 4}},
}};
/// For many tiny products.
constexpr ElementTile smallest_tile = {.rows = 8, .columns = 8, .depth = 16, .elements = {1, 1}};

void emit_tiled(const Gemm& p, const GemmSlots& slots, plan::Lowering& node) {
  const std::size_t element = std::max<std::size_t>(4, ir::info(slots.operands).bytes);
  const auto option = [&](const ElementTile& t) {
    return plan::TileOption{.name = common::tile_name(t.rows, t.columns, t.depth),
                            .elements = std::int64_t{t.rows} * t.columns,
                            .groups = tiles(p, t.rows, t.columns),
                            .fits = t.invocations() <= node.facts().max_invocations &&
                                    t.shared_bytes(element) <= node.facts().shared_memory};
  };
  const bool tiny = p.m <= smallest_tile.rows && p.n <= smallest_tile.columns;
  const ElementTile& t =
      tiny ? smallest_tile
           : common::take_tile(node, ir::cat("matmul.", slots.operands), size_of(p), element_tiles, option);
  node.uses_tile(common::tile_name(t.rows, t.columns, t.depth));
  common::publish(with_epilogue(p, {.unit = ir::SumUnit::either, .levels = common::in_chunks()}), slots.operands, node);
  dispatch(p, slots, node, {"matmul." + variant(slots), t.constants()}, tiles(p, t.rows, t.columns));
}

}  // namespace

void lower_gemm(const Gemm& product, const GemmSlots& slots, plan::Lowering& node) {
  using device::KernelFamily;
  std::vector<plan::Candidate> candidates = gemv_candidates(product, slots, node);
  const auto add = [&](std::string_view name, KernelFamily family, auto attempt) {
    candidates.push_back({std::string(name), family, [&, attempt] { return attempt(product, slots, node); }});
  };
  if (product.sums_in_f16) add("coopmat_f16acc16", KernelFamily::coopmat, attempt_summed_in_f16);
  add(cooperative_name(slots.operands), KernelFamily::coopmat, attempt_cooperative);
  add("tiled_wide_split", KernelFamily::split_k, attempt_split_k);
  add("tiled_wide", KernelFamily::tiled_wide, attempt_vec4);
  candidates.push_back(
      {"tiled", KernelFamily::tiled, [&] { return plan::Emission{[&] { emit_tiled(product, slots, node); }}; }});
  node.choose(candidates);
}

void lower_gemm(const Gemm& product, plan::Lowering& node) {
  node.needs_its_types();
  const GemmSlots slots{node.in(0),
                        node.in(1),
                        node.in(product.has_c ? 2 : 0),
                        node.out(0),
                        node.in_type(0).dtype,
                        node.out_type(0).dtype};
  lower_gemm(product, slots, node);
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
