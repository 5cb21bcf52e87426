// Matrix products of f32 by register tiles and vec4 loads, with split-K where there are few tiles and a large K.
#include <algorithm>

#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

using ir::DType;

namespace {

using common::BlockTile;

constexpr std::array<BlockTile, 3> vec4_tiles = {{
    {.rows = 128, .columns = 128, .depth = 16, .blocks = {2, 4}},
    {.rows = 64, .columns = 64, .depth = 16, .blocks = {1, 2}},
    {.rows = 32, .columns = 32, .depth = 32, .blocks = {1, 1}},
}};

bool fits(const BlockTile& t, const device::DeviceFacts& facts) {
  return t.invocations() <= facts.max_invocations && t.shared_bytes() <= facts.shared_memory;
}

/// Whether any but the smallest tiles would leave enough workgroups.
bool has_many_tiles(const Gemm& p, const device::DeviceFacts& facts) {
  const auto good = [&](const BlockTile& t) {
    return fits(t, facts) && tiles(p, t.rows, t.columns) >= plan::enough_tiles;
  };
  return std::any_of(vec4_tiles.begin(), vec4_tiles.end() - 1, good);
}

void dispatch_vec4(const Gemm& p, const GemmSlots& slots, plan::Lowering& node, const BlockTile& t) {
  const Fixed fixed = fixed_of(p, t.depth);
  dispatch(p, slots, node,
           {"matmul_wide", t.constants().then({{"TRANSPOSED_OPERANDS", transposed(p)},
                                               {"FIXED_K", fixed.k},
                                               {"LDA", fixed.lda},
                                               {"LDB", fixed.ldb},
                                               {"k_aligned", fixed.k_aligned}})},
           tiles(p, t.rows, t.columns));
}

/// Split-K, for a product of few tiles and a large K: workgroups share K.
struct Vec4SplitK {
  const BlockTile* tile = nullptr;
  std::int64_t slices = 1;
};

/// So many keep a device busy while each waits for memory.
constexpr std::int64_t enough_invocations = plan::enough_tiles * 256;
constexpr std::int64_t least_slice = 128;  ///< the least part of K that is worth a second kernel

Vec4SplitK vec4_split_k_of(const Gemm& p, const device::DeviceFacts& facts) {
  if (p.batch.elements() != 1 || has_many_tiles(p, facts)) return {};
  const BlockTile& middle = vec4_tiles[1];
  const bool is_small = p.m < middle.rows || p.n < middle.columns || !fits(middle, facts);
  Vec4SplitK split{is_small ? &vec4_tiles.back() : &middle};
  const std::int64_t invocations = tiles(p, split.tile->rows, split.tile->columns) * split.tile->invocations();
  while (split.slices < 8 && split.slices * invocations < enough_invocations && p.k % (8 * split.slices) == 0 &&
         p.k / (2 * split.slices) >= least_slice)
    split.slices *= 2;
  return split;
}

void emit_vec4(const Gemm& p, const GemmSlots& slots, plan::Lowering& node) {
  const auto option = [&](const BlockTile& t) {
    return plan::TileOption{.name = common::tile_name(t.rows, t.columns, t.depth),
                            .elements = std::int64_t{t.rows} * t.columns,
                            .groups = tiles(p, t.rows, t.columns),
                            .fits = fits(t, node.facts())};
  };
  node.adds(with_epilogue(p, {.unit = ir::SumUnit::either, .levels = {common::chain()}}));
  dispatch_vec4(p, slots, node, common::take_tile(node, "matmul_wide", size_of(p), vec4_tiles, option));
}

void emit_split_k(const Gemm& p, const GemmSlots& slots, plan::Lowering& node, const Vec4SplitK& split) {
  const auto& [tile, slices] = split;
  const plan::Slot sums = node.scratch(sizeof(float) * static_cast<std::size_t>(slices * p.m * p.n));
  node.uses_tile(common::tile_name(tile->rows, tile->columns, tile->depth));
  node.adds(with_epilogue(p, {.unit = ir::SumUnit::either, .levels = {common::chain(), common::chain(slices)}}));
  dispatch_vec4(split_k(p, slices), {slots.a, slots.b, slots.a, sums, DType::f32, DType::f32}, node, *tile);
  add_split_k(p, slots, sums, slices, node);
}

std::optional<std::string> refuse_vec4(const Gemm& p, const GemmSlots& slots, const plan::Lowering& node) {
  if (slots.operands != DType::f32) return ir::cat("operands are ", slots.operands, ", it takes f32");
  if (!allows_vec4_loads(p, 4)) return "lines of its operands are no multiples of 4 elements";
  if (vec4_tiles.back().shared_bytes() > node.facts().shared_memory) return "too little shared memory";
  return std::nullopt;
}

}  // namespace

plan::Attempt attempt_vec4(const Gemm& p, const GemmSlots& slots, plan::Lowering& node) {
  if (const auto why = refuse_vec4(p, slots, node)) return plan::Refusal{*why};
  return plan::Emission{[&] { emit_vec4(p, slots, node); }};
}

plan::Attempt attempt_split_k(const Gemm& p, const GemmSlots& slots, plan::Lowering& node) {
  if (const auto why = refuse_vec4(p, slots, node)) return plan::Refusal{*why};
  if (!node.options().tile.empty()) return plan::Refusal{"a tile was asked for"};
  const Vec4SplitK split = vec4_split_k_of(p, node.facts());
  if (split.slices == 1) return plan::Refusal{"there are enough tiles, or too small a K to split"};
  return plan::Emission{[&, split] { emit_split_k(p, slots, node, split); }, ir::cat("tiled_wide_split", split.slices)};
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
