#include <algorithm>
#include <array>
#include <bit>

#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "gpu_vulkan/kernels/conv/convolution_kernels.hpp"
#include "gpu_vulkan/kernels/gemm/cooperative.hpp"
#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"

namespace plumb::gpu_vulkan::kernels::conv {

using ir::DType;

namespace {

/// im2col.glsl: the bits of an invocation's positions, the last of which no tap has.
constexpr std::uint32_t bits_of_taps = 31;

/// Whether invocations share a tile evenly along K and along positions, as im2col.glsl has it.
bool shares_evenly(std::uint32_t invocations, std::uint32_t depth, std::uint32_t columns, std::uint32_t pack) {
  const std::uint32_t packs = columns / pack, side = std::min(packs, 32u);
  return packs % side == 0 && invocations % side == 0 && depth % (invocations / side) == 0;
}

/// Capacity of the table of taps. Convolutions with few taps have one capacity, so that they share pipelines.
std::uint32_t most_taps(const ConvBlock& block) {
  return std::bit_ceil(std::max(32u, static_cast<std::uint32_t>(block.taps())));
}
std::size_t bytes_of_taps(const ConvBlock& block) { return std::size_t{8} * most_taps(block); }

/// Specialization constants of large convolutions, which are worth a pipeline of their own; all 0 for small ones, which
/// share theirs.
struct ConstantK {
  std::uint32_t taps = 0, k = 0;
  bool k_aligned = false;  ///< K is a multiple of the tile's depth

  ConstantK(const Convolution& conv, std::uint32_t depth) {
    if (!conv.is_large()) return;
    const ConvBlock& block = conv.block;
    taps = static_cast<std::uint32_t>(block.taps());
    k = static_cast<std::uint32_t>(block.gemm_k());
    k_aligned = block.gemm_k() % depth == 0;
  }
};

std::int64_t tiles(const ConvBlock& block, std::uint32_t rows, std::uint32_t columns) {
  return block.group * common::pieces(block.filters, rows) * common::pieces(block.batch * block.axes.count(), columns);
}

std::optional<std::string> refuse_geometry(const ConvBlock& block) {
  const auto& kernel = block.axes.kernel;
  const std::uint64_t extents = std::uint64_t{kernel[0]} + kernel[1] + kernel[2];
  if (extents > bits_of_taps)
    return ir::cat("a kernel of ", kernel[0], " x ", kernel[1], " x ", kernel[2], " has extents of ", extents,
                   " together, it takes ", bits_of_taps);
  if (block.gemm_k() == 0) return "there is nothing to sum: K is 0";
  return std::nullopt;
}

/// A row of the table below: tiles of filters x positions.
struct ConvGemmTile {
  common::CooperativeTile tile;
  std::uint32_t fragments_k;        ///< matrices along K that are staged at a time
  std::int64_t min_workgroups = 0;  ///< for this tile to beat a smaller one

  std::uint32_t rows(const device::CooperativeShape& s) const { return tile.rows(s); }
  std::uint32_t columns(const device::CooperativeShape& s) const { return tile.columns(s); }
  std::uint32_t depth(const device::CooperativeShape& s) const { return fragments_k * s.k; }
  /// Tiles with lines of 8 elements more; what subgroups store lies where the filters were.
  std::size_t shared_bytes(const device::CooperativeShape& s) const {
    const std::size_t kept = std::size_t{4} * tile.subgroups.count() * s.m * s.n;
    return std::max(std::size_t{2} * rows(s) * (depth(s) + 8), kept) + std::size_t{2} * depth(s) * (columns(s) + 8);
  }
};

constexpr std::array<ConvGemmTile, 8> conv_gemm_tiles = {{
    {.tile = {.subgroups = {2, 2}, .matrices = {4, 2}}, .fragments_k = 2, .min_workgroups = 384},
    {.tile = {.subgroups = {1, 4}, .matrices = {4, 2}}, .fragments_k = 2, .min_workgroups = 384},
    {.tile = {.subgroups = {2, 2}, .matrices = {2, 3}}, .fragments_k = 4, .min_workgroups = 256},
    {.tile = {.subgroups = {2, 2}, .matrices = {2, 2}}, .fragments_k = 2, .min_workgroups = 384},
    {.tile = {.subgroups = {2, 2}, .matrices = {2, 2}}, .fragments_k = 4, .min_workgroups = 160},
    {.tile = {.subgroups = {2, 2}, .matrices = {2, 1}}, .fragments_k = 4, .min_workgroups = 300},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 1}}, .fragments_k = 4, .min_workgroups = 300},
    {.tile = {.subgroups = {4, 2}, .matrices = {1, 1}}, .fragments_k = 8},
}};

/// Whether the filters fill most of tiles of so many: of the first of a table. Others are for few filters.
bool fills(const ConvBlock& block, std::uint32_t rows) {
  return 4 * std::int64_t{block.filters} >= 3 * rows * common::pieces(block.filters, rows);
}

bool fits(const ConvGemmTile& f, const device::CooperativeShape& s, const ConvBlock& block,
          const device::DeviceFacts& facts) {
  const std::uint32_t invocations = f.tile.invocations(facts);
  return invocations <= common::most_invocations(facts) &&
         f.shared_bytes(s) + bytes_of_taps(block) <= facts.shared_memory &&
         shares_evenly(invocations, f.depth(s), f.columns(s), 2);
}

/// A row of the table below: tiles of filters x positions.
struct ConvWideTile {
  common::BlockTile tile;
  std::int64_t min_workgroups = 0;  ///< for this tile to beat a smaller one
};

constexpr std::array<ConvWideTile, 6> conv_wide_tiles = {{
    {.tile = {.rows = 128, .columns = 64, .depth = 8, .blocks = {2, 2}}, .min_workgroups = 384},
    {.tile = {.rows = 64, .columns = 128, .depth = 8, .blocks = {1, 4}}, .min_workgroups = 384},
    {.tile = {.rows = 64, .columns = 64, .depth = 16, .blocks = {1, 2}}, .min_workgroups = 384},
    {.tile = {.rows = 64, .columns = 32, .depth = 16, .blocks = {1, 1}}, .min_workgroups = 384},
    {.tile = {.rows = 64, .columns = 32, .depth = 32, .blocks = {1, 1}}, .min_workgroups = 96},
    {.tile = {.rows = 32, .columns = 32, .depth = 32, .blocks = {1, 1}}},
}};

bool fits(const common::BlockTile& t, const ConvBlock& block, const device::DeviceFacts& facts) {
  return t.invocations() <= facts.max_invocations && t.shared_bytes() + bytes_of_taps(block) <= facts.shared_memory &&
         shares_evenly(t.invocations(), t.depth, t.columns, 1);
}

std::optional<std::string> refuse_cooperative(const Convolution& conv, const device::CooperativeShape& s,
                                              const device::DeviceFacts& facts) {
  if (const auto refusal = refuse_geometry(conv.block)) return refusal;
  if (2 * conv.block.filters < s.m)
    return ir::cat("matrices of ", s.m, "x", s.n, "x", s.k, " would be mostly empty for ", conv.block.filters,
                   " filters");
  const auto any_fits = [&](const ConvGemmTile& f) { return fits(f, s, conv.block, facts); };
  if (facts.subgroup_size % s.n == 0 && std::ranges::any_of(conv_gemm_tiles, any_fits)) return std::nullopt;
  return ir::cat(facts.name, " has too little shared memory or too small workgroups for ", s.m, "x", s.n, "x", s.k);
}

void emit_cooperative(const Convolution& conv, const device::CooperativeShape& s, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const DType dtype = node.in_type(0).dtype;
  const std::string operands = s.c == DType::f16 ? "f16acc16" : ir::cat(dtype);
  const auto option = [&](const ConvGemmTile& f) {
    return plan::TileOption{
        .name = common::tile_name(f.rows(s), f.columns(s), f.depth(s)),
        .elements = std::int64_t{f.rows(s)} * f.columns(s),
        .groups = tiles(conv.block, f.rows(s), f.columns(s)),
        .min_workgroups = f.min_workgroups,
        .fits = fits(f, s, conv.block, facts) && (&f != &conv_gemm_tiles.front() || fills(conv.block, f.rows(s)))};
  };
  const ConvGemmTile& f =
      common::take_tile(node, ir::cat("conv_cooperative.", operands), size_of(conv.block), conv_gemm_tiles, option);
  node.adds(with_epilogue(
      conv, {.unit = ir::SumUnit::matrix, .accumulator = s.c, .levels = {common::unit(s.k), common::chain()}}));
  const ConstantK constant(conv, f.depth(s));
  const std::uint32_t invocations = f.tile.invocations(facts);
  const bool vec4_loads = conv.block.gemm_k() % 8 == 0;
  const bool hw_rte = dtype == DType::f16 && s.c == DType::f32 && facts.rounds_to_even_f16;
  dispatch(conv, node,
           {ir::cat("conv_cooperative.", operands, hw_rte ? "_rte" : ""),
            f.tile.constants(s, facts).then({{"fragments_k", f.fragments_k},
                                             {"invocations", invocations},
                                             {"VEC4_LOADS", vec4_loads},
                                             {"most_taps", most_taps(conv.block)},
                                             {"TAPS", constant.taps},
                                             {"FIXED_K", constant.k},
                                             {"k_aligned", constant.k_aligned},
                                             {"has_bias", conv.has_bias}}),
            facts.subgroup_size,
            {},
            plan::CooperativeKernel{.kind = plan::CooperativeKernel::Kind::convolution,
                                    .operands = dtype,
                                    .accumulator = s.c,
                                    .result = dtype,
                                    .tile = ir::cat(common::tile_name(f.rows(s), f.columns(s), f.depth(s)),
                                                    vec4_loads ? "" : " by elements")}},
           plan::groups_for(tiles(conv.block, f.rows(s), f.columns(s))));
}

std::optional<std::string> refuse_wide(const Convolution& conv, const plan::Lowering& node) {
  const DType dtype = node.in_type(0).dtype;
  if (dtype != DType::f32) return ir::cat("operands are ", dtype, ", it takes f32");
  if (const auto refusal = refuse_geometry(conv.block)) return refusal;
  constexpr std::uint32_t few = 8;
  if (conv.block.filters < few)
    return ir::cat("a group has ", conv.block.filters, " filters, tiles would be mostly empty");
  if (fits(conv_wide_tiles.back().tile, conv.block, node.facts())) return std::nullopt;
  return "too little shared memory or too small workgroups";
}

void emit_wide(const Convolution& conv, plan::Lowering& node) {
  const auto option = [&](const ConvWideTile& row) {
    const common::BlockTile& t = row.tile;
    return plan::TileOption{
        .name = common::tile_name(t.rows, t.columns, t.depth),
        .elements = std::int64_t{t.rows} * t.columns,
        .groups = tiles(conv.block, t.rows, t.columns),
        .min_workgroups = row.min_workgroups,
        .fits = fits(t, conv.block, node.facts()) && (&row != &conv_wide_tiles.front() || fills(conv.block, t.rows))};
  };
  const common::BlockTile& t = common::take_tile(node, "conv_wide", size_of(conv.block), conv_wide_tiles, option).tile;
  node.adds(with_epilogue(conv, {.unit = ir::SumUnit::either, .levels = {common::chain()}}));
  const ConstantK constant(conv, t.depth);
  const bool vec4_loads = conv.block.gemm_k() % 4 == 0;
  dispatch(conv, node,
           {"conv_wide", t.constants().then({{"VEC4_LOADS", vec4_loads},
                                             {"most_taps", most_taps(conv.block)},
                                             {"TAPS", constant.taps},
                                             {"FIXED_K", constant.k},
                                             {"k_aligned", constant.k_aligned},
                                             {"has_bias", conv.has_bias}})},
           plan::groups_for(tiles(conv.block, t.rows, t.columns)));
}

}  // namespace

plan::Attempt attempt_summed_in_f16(const Convolution& conv, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const auto usable = gemm::usable_shape(node.in_type(0).dtype, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return *refusal;
  const device::CooperativeShape* const s = gemm::shape_summed_in_f16(facts);
  if (s == nullptr) return plan::Refusal{facts.name + " lists no cooperative matrices of f16 summed in f16"};
  if (const auto why = refuse_cooperative(conv, *s, facts)) return plan::Refusal{*why};
  return plan::Emission{[&, s] { emit_cooperative(conv, *s, node); }};
}

plan::Attempt attempt_cooperative(const Convolution& conv, plan::Lowering& node) {
  const auto usable = gemm::usable_shape(node.in_type(0).dtype, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return *refusal;
  const auto s = std::get<device::CooperativeShape>(usable);
  if (const auto why = refuse_cooperative(conv, s, node.facts())) return plan::Refusal{*why};
  return plan::Emission{[&, s] { emit_cooperative(conv, s, node); }};
}

plan::Attempt attempt_wide(const Convolution& conv, plan::Lowering& node) {
  if (const auto why = refuse_wide(conv, node)) return plan::Refusal{*why};
  return plan::Emission{[&] { emit_wide(conv, node); }};
}

}  // namespace plumb::gpu_vulkan::kernels::conv
