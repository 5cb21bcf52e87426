#include <algorithm>
#include <array>
#include <bit>

#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "gpu_vulkan/kernels/conv/convolution_kernels.hpp"
#include "gpu_vulkan/kernels/gemm/cooperative.hpp"
#include "gpu_vulkan/kernels/gemm/product_kernels.hpp"

namespace plumb::gpu_vulkan::kernels::conv {

using ir::DType;

namespace {

/// glsl/image_terms.glsl: the bits of an invocation's positions, the last of which no tap has.
constexpr std::uint32_t bits_of_taps = 31;

/// Whether invocations share the terms and positions of a tile evenly, as glsl/image_terms.glsl has it.
bool shares_evenly(std::uint32_t invocations, std::uint32_t depth, std::uint32_t columns, std::uint32_t pack) {
  const std::uint32_t packs = columns / pack, side = std::min(packs, 32u);
  return packs % side == 0 && invocations % side == 0 && depth % (invocations / side) == 0;
}

/// Of the table of taps: convolutions of few share pipelines.
std::uint32_t most_taps(const ConvBlock& block) {
  return std::bit_ceil(std::max(32u, static_cast<std::uint32_t>(block.taps())));
}
std::size_t bytes_of_taps(const ConvBlock& block) { return std::size_t{8} * most_taps(block); }

/// What the shaders take for constant of large convolutions: a pipeline of their own pays for those, small ones share
/// theirs.
struct ConstantTerms {
  std::uint32_t taps = 0, terms = 0;
  bool whole = false;  ///< no tile reaches beyond the terms

  ConstantTerms(const Convolution& conv, std::uint32_t depth) {
    if (!conv.is_large()) return;
    const ConvBlock& block = conv.block;
    taps = static_cast<std::uint32_t>(block.taps()), terms = static_cast<std::uint32_t>(block.terms());
    whole = block.terms() % depth == 0;
  }
};

std::int64_t tiles(const ConvBlock& block, std::uint32_t rows, std::uint32_t columns) {
  return block.group * gemm::pieces(block.filters, rows) * gemm::pieces(block.batch * block.axes.count(), columns);
}

std::optional<std::string> refuse_geometry(const ConvBlock& block) {
  const auto& kernel = block.axes.kernel;
  const std::uint64_t extents = std::uint64_t{kernel[0]} + kernel[1] + kernel[2];
  if (extents > bits_of_taps)
    return ir::cat("a kernel of ", kernel[0], " x ", kernel[1], " x ", kernel[2], " has extents of ", extents,
                   " together, it takes ", bits_of_taps);
  if (block.terms() == 0) return "there are no terms";
  return std::nullopt;
}

/// Subgroups of a workgroup by filters and positions, and the cooperative matrices that each of them computes.
struct ConvFragments {
  std::uint32_t subgroups_m, subgroups_n, each_m, each_n, deep;
  std::int64_t least = 0;  ///< workgroups that keep a device busy: with fewer, smaller tiles are faster

  std::uint32_t rows(const device::CooperativeShape& s) const { return subgroups_m * each_m * s.m; }
  std::uint32_t columns(const device::CooperativeShape& s) const { return subgroups_n * each_n * s.n; }
  std::uint32_t depth(const device::CooperativeShape& s) const { return deep * s.k; }
  std::uint32_t invocations(const device::DeviceFacts& facts) const {
    return subgroups_m * subgroups_n * facts.subgroup_size;
  }
  /// Tiles with lines of 8 elements more; what subgroups store lies where the filters were.
  std::size_t shared_bytes(const device::CooperativeShape& s) const {
    const std::size_t kept = std::size_t{4} * subgroups_m * subgroups_n * s.m * s.n;
    return std::max(std::size_t{2} * rows(s) * (depth(s) + 8), kept) + std::size_t{2} * depth(s) * (columns(s) + 8);
  }
};

/// In order of preference, as measured with 132 multiprocessors.
constexpr std::array<ConvFragments, 8> conv_fragments = {{{2, 2, 4, 2, 2, 384},
                                                          {1, 4, 4, 2, 2, 384},
                                                          {2, 2, 2, 3, 4, 256},
                                                          {2, 2, 2, 2, 2, 384},
                                                          {2, 2, 2, 2, 4, 160},
                                                          {2, 2, 2, 1, 4, 300},
                                                          {2, 2, 1, 1, 4, 300},
                                                          {4, 2, 1, 1, 8, 0}}};

/// Whether the filters fill most of tiles of so many: of the first of a table. Others are for few filters.
bool fills(const ConvBlock& block, std::uint32_t rows) {
  return 4 * std::int64_t{block.filters} >= 3 * rows * gemm::pieces(block.filters, rows);
}

bool fits(const ConvFragments& f, const device::CooperativeShape& s, const ConvBlock& block,
          const device::DeviceFacts& facts) {
  const std::uint32_t invocations = f.invocations(facts);
  return invocations <= common::most_invocations(facts) &&
         f.shared_bytes(s) + bytes_of_taps(block) <= facts.shared_memory &&
         shares_evenly(invocations, f.depth(s), f.columns(s), 2);
}

/// A workgroup's tile of conv_wide, and how many blocks of 4 x 4 elements each invocation computes.
struct ConvTile {
  std::uint32_t rows, columns, depth, groups_m, groups_n;
  std::int64_t least = 0;  ///< workgroups, as above

  std::uint32_t invocations() const { return rows / (4 * groups_m) * (columns / (4 * groups_n)); }
  std::size_t shared_bytes() const { return std::size_t{4} * depth * (rows + columns + 8); }
};

constexpr std::array<ConvTile, 6> conv_tiles = {{{128, 64, 8, 2, 2, 384},
                                                 {64, 128, 8, 1, 4, 384},
                                                 {64, 64, 16, 1, 2, 384},
                                                 {64, 32, 16, 1, 1, 384},
                                                 {64, 32, 32, 1, 1, 96},
                                                 {32, 32, 32, 1, 1, 0}}};

bool fits(const ConvTile& t, const ConvBlock& block, const device::DeviceFacts& facts) {
  return t.invocations() <= facts.max_invocations && t.shared_bytes() + bytes_of_taps(block) <= facts.shared_memory &&
         shares_evenly(t.invocations(), t.depth, t.columns, 1);
}

std::optional<std::string> refuse_cooperative(const Convolution& conv, const device::CooperativeShape& s,
                                              const device::DeviceFacts& facts) {
  if (const auto refusal = refuse_geometry(conv.block)) return refusal;
  if (2 * conv.block.filters < s.m)
    return ir::cat("matrices of ", s.m, "x", s.n, "x", s.k, " would be mostly empty for ", conv.block.filters,
                   " filters");
  const auto any_fits = [&](const ConvFragments& f) { return fits(f, s, conv.block, facts); };
  if (facts.subgroup_size % s.n == 0 && std::ranges::any_of(conv_fragments, any_fits)) return std::nullopt;
  return ir::cat(facts.name, " has too little shared memory or too small workgroups for ", s.m, "x", s.n, "x", s.k);
}

void emit_cooperative(const Convolution& conv, const device::CooperativeShape& s, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const DType dtype = node.in_type(0).dtype;
  const auto option = [&](const ConvFragments& f) {
    return plan::TileOption{
        .name = gemm::tile_name(f.rows(s), f.columns(s), f.depth(s)),
        .elements = std::int64_t{f.rows(s)} * f.columns(s),
        .groups = tiles(conv.block, f.rows(s), f.columns(s)),
        .least = f.least,
        .fits = fits(f, s, conv.block, facts) && (&f != &conv_fragments.front() || fills(conv.block, f.rows(s)))};
  };
  const ConvFragments& f = take_tile(conv, node, ir::cat("conv_cooperative.", dtype), conv_fragments, option);
  node.adds(with_epilogue(conv, {.unit = ir::SumUnit::matrix, .levels = {common::unit(s.k), common::chain()}}));
  const ConstantTerms constant(conv, f.depth(s));
  const std::uint32_t invocations = f.invocations(facts);
  const bool wide = conv.block.terms() % 8 == 0;
  const bool even = dtype == DType::f16 && facts.rounds_to_even_f16;
  dispatch(conv, node,
           {ir::cat("conv_cooperative.", dtype, even ? "_even" : ""),
            {{"invocations", invocations},
             {"M", s.m},
             {"N", s.n},
             {"K", s.k},
             {"subgroups_m", f.subgroups_m},
             {"subgroups_n", f.subgroups_n},
             {"each_m", f.each_m},
             {"each_n", f.each_n},
             {"deep", f.deep},
             {"invocations", invocations},
             {"WIDE", wide},
             {"most_taps", most_taps(conv.block)},
             {"TAPS", constant.taps},
             {"TERMS", constant.terms},
             {"whole", constant.whole},
             {"has_bias", conv.has_bias}},
            facts.subgroup_size,
            {},
            ir::cat(gemm::tile_name(f.rows(s), f.columns(s), f.depth(s)), wide ? "" : " by elements")},
           plan::groups_for(tiles(conv.block, f.rows(s), f.columns(s))));
}

std::optional<std::string> refuse_wide(const Convolution& conv, const plan::Lowering& node) {
  const DType dtype = node.in_type(0).dtype;
  if (dtype != DType::f32) return ir::cat("operands are ", dtype, ", it takes f32");
  if (const auto refusal = refuse_geometry(conv.block)) return refusal;
  constexpr std::uint32_t few = 8;
  if (conv.block.filters < few)
    return ir::cat("a group has ", conv.block.filters, " filters, tiles would be mostly empty");
  if (fits(conv_tiles.back(), conv.block, node.facts())) return std::nullopt;
  return "too little shared memory or too small workgroups";
}

void emit_wide(const Convolution& conv, plan::Lowering& node) {
  const auto option = [&](const ConvTile& t) {
    return plan::TileOption{
        .name = gemm::tile_name(t.rows, t.columns, t.depth),
        .elements = std::int64_t{t.rows} * t.columns,
        .groups = tiles(conv.block, t.rows, t.columns),
        .least = t.least,
        .fits = fits(t, conv.block, node.facts()) && (&t != &conv_tiles.front() || fills(conv.block, t.rows))};
  };
  const ConvTile& t = take_tile(conv, node, "conv_wide", conv_tiles, option);
  node.adds(with_epilogue(conv, {.unit = ir::SumUnit::fma, .levels = {common::chain()}}));
  const ConstantTerms constant(conv, t.depth);
  const bool wide = conv.block.terms() % 4 == 0;
  dispatch(conv, node,
           {"conv_wide",
            {{"invocations", t.invocations()},
             {"rows", t.rows},
             {"columns", t.columns},
             {"depth", t.depth},
             {"groups_m", t.groups_m},
             {"groups_n", t.groups_n},
             {"WIDE", wide},
             {"most_taps", most_taps(conv.block)},
             {"TAPS", constant.taps},
             {"TERMS", constant.terms},
             {"whole", constant.whole},
             {"has_bias", conv.has_bias}}},
           plan::groups_for(tiles(conv.block, t.rows, t.columns)));
}

}  // namespace

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
