#include <algorithm>
#include <array>
#include <cstring>

#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "gpu_vulkan/kernels/conv/convolution_kernels.hpp"
#include "gpu_vulkan/kernels/gemm/cooperative.hpp"
#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"
#include "ir/kernels/sum_orders.hpp"

namespace plumb::gpu_vulkan::kernels::conv {

using ir::DType;

namespace {

/// How positions of all images are numbered along lines that share their padding (conv_halo.comp).
struct HaloLines {
  std::int64_t pitch, height;  ///< elements from a line to the next, lines from an image to the next
  std::int64_t reach;          ///< from the first tap to the last
  std::int64_t count;          ///< to the last position

  explicit HaloLines(const ConvBlock& block) {
    const WindowAxes& axes = block.axes;
    const auto span = [&](std::size_t i) { return (std::int64_t{axes.kernel[i]} - 1) * axes.dilation[i]; };
    const auto apart = [&](std::size_t i) {
      const std::int64_t extent = axes.extent[i], before = axes.pad[i], positions = axes.positions[i];
      return std::max({positions, extent + before, positions + span(i) - before});
    };
    pitch = apart(2);
    height = apart(1);
    reach = span(1) * pitch + span(2);
    count = ((std::int64_t{block.batch} - 1) * height + axes.positions[1] - 1) * pitch + axes.positions[2];
  }
};

/// A row of the table below: tiles of filters x positions.
struct HaloTile {
  common::CooperativeTile tile;
  std::uint32_t channels;           ///< that are staged at a time
  std::int64_t min_workgroups = 0;  ///< for this tile to beat a smaller one

  std::uint32_t rows(const device::CooperativeShape& s) const { return tile.rows(s); }
  std::uint32_t columns(const device::CooperativeShape& s) const { return tile.columns(s); }
};

constexpr std::array<HaloTile, 7> halo_tiles = {{
    {.tile = {.subgroups = {2, 4}, .matrices = {2, 2}}, .channels = 16, .min_workgroups = 200},
    {.tile = {.subgroups = {1, 4}, .matrices = {2, 2}}, .channels = 32, .min_workgroups = 200},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 2}}, .channels = 32, .min_workgroups = 200},
    {.tile = {.subgroups = {2, 4}, .matrices = {1, 1}}, .channels = 64, .min_workgroups = 80},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 1}}, .channels = 64},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 1}}, .channels = 32},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 1}}, .channels = 16},
}};

/// Taps that are staged at a time, a divisor of all.
std::uint32_t taps_at_once(const ConvBlock& block) { return block.taps() % 3 == 0 ? 3 : block.taps() % 2 == 0 ? 2 : 1; }

/// Whether the device can run it, and channels fill most of a block.
bool fits(const HaloTile& t, const device::CooperativeShape& s, const ConvBlock& block,
          const device::DeviceFacts& facts) {
  const std::int64_t line = 16 * (t.channels / 8 + 1), kept = std::int64_t{4} * s.m * s.n;
  const std::int64_t filters =
      std::max(std::int64_t{taps_at_once(block)} * t.rows(s) * line, std::int64_t{t.tile.subgroups.count()} * kept);
  const std::int64_t patch = (t.columns(s) + HaloLines(block).reach) * line;
  const bool empty = t.channels >= 2 * block.channels && t.channels > halo_tiles.back().channels;
  return !empty && t.channels % s.k == 0 && t.tile.invocations(facts) <= common::most_invocations(facts) &&
         filters + patch + 4 * block.taps() <= facts.shared_memory;
}

std::int64_t halo_tiles_of(const ConvBlock& block, std::uint32_t rows, std::uint32_t columns) {
  return block.group * common::pieces(block.filters, rows) * common::pieces(HaloLines(block).count, columns);
}

/// Filters that are known, in the order in which conv_pack.comp writes them.
std::vector<std::byte> packed(const ir::Bytes& filters, const ConvBlock& block, std::size_t channels) {
  constexpr std::size_t element = 2;
  const auto taps = static_cast<std::size_t>(block.taps());
  const std::size_t blocks = (block.channels + channels - 1) / channels;
  std::vector<std::byte> made(block.group * blocks * taps * block.filters * channels * element);
  for (std::size_t i = 0; i < made.size() / element; ++i) {
    const std::size_t line = i / channels, f = line % block.filters, tap = line / block.filters % taps;
    const std::size_t part = line / (block.filters * taps), channel = part % blocks * channels + i % channels;
    if (channel >= block.channels) continue;
    const std::size_t from = ((part / blocks * block.filters + f) * block.channels + channel) * taps + tap;
    std::memcpy(made.data() + i * element, filters.data() + from * element, element);
  }
  return made;
}

/// The filters as conv_halo.comp reads them.
plan::Slot pack_filters(const Convolution& conv, plan::Lowering& node, std::uint32_t channels) {
  const ConvBlock& block = conv.block;
  if (const ir::Bytes* known = node.constant_in(1)) return node.table(packed(*known, block, channels));
  /// conv_pack.comp
  struct PackBlock {
    std::uint32_t count, channels, filters;
  };
  constexpr std::uint32_t threads = 32, most_unrolled = 32;
  const std::int64_t count = block.group * common::pieces(block.channels, channels) * block.filters * (channels / 8);
  const auto taps = static_cast<std::uint32_t>(block.taps());
  const bool vec4_loads = block.channels % 8 == 0 && taps <= most_unrolled;
  const plan::Slot made = node.scratch(std::size_t{16} * static_cast<std::size_t>(count) * taps);
  node.dispatch({
      .shader = {"conv_pack",
                 {{"invocations", threads}, {"block", channels}, {"TAPS", taps}, {"VEC4_LOADS", vec4_loads}}},
      .reads = {node.in(1)},
      .writes = {made},
      .push = PackBlock{static_cast<std::uint32_t>(count), block.channels, block.filters},
      .groups = plan::groups_for(count, threads),
  });
  return made;
}

/// conv_halo.comp
struct HaloBlock {
  std::uint32_t batch, group, channels, filters, pitch, height;
  std::uint32_t w_filter, w_tap, w_step, w_group;  ///< from one to the next, in pieces of 8 elements
  WindowAxes axes;
};

std::optional<std::string> refuse_halo(const Convolution& conv, const device::CooperativeShape& s,
                                       const device::DeviceFacts& facts) {
  const ConvBlock& block = conv.block;
  const WindowAxes& axes = block.axes;
  if (axes.stride != WindowAxes::Axes{1, 1, 1}) return "steps are not of one element";
  if (axes.kernel[0] != 1 || axes.extent[0] != 1 || axes.positions[0] != 1) return "there are three spatial axes";
  if (block.taps() == 1) return "no element is met by more than one tap";
  if (!conv.is_large()) return "too small for a pipeline of its own";
  const HaloLines lines(block);
  constexpr std::int64_t longest = std::int64_t{1} << 30;
  if (lines.count + lines.reach > longest || lines.count > 2 * block.batch * axes.count())
    return ir::cat("lines of ", lines.pitch, ", ", lines.height, " an image, would be mostly padding");
  if (2 * block.channels < halo_tiles.front().channels || 2 * block.filters < s.m)
    return ir::cat("blocks would be mostly empty for ", block.channels, " channels and ", block.filters, " filters");
  if (facts.subgroup_size % s.n == 0 && fits(halo_tiles.back(), s, block, facts)) return std::nullopt;
  return ir::cat("too little shared memory or too small workgroups for taps ", lines.reach, " elements apart");
}

void emit_halo(const Convolution& conv, const device::CooperativeShape& s, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const ConvBlock& block = conv.block;
  const DType dtype = node.in_type(0).dtype;
  const std::uint32_t at_once = taps_at_once(block);
  const auto option = [&](const HaloTile& t) {
    return plan::TileOption{.name = common::tile_name(t.rows(s), t.columns(s), t.channels * at_once),
                            .elements = std::int64_t{t.rows(s)} * t.columns(s),
                            .groups = halo_tiles_of(block, t.rows(s), t.columns(s)),
                            .min_workgroups = t.min_workgroups,
                            .fits = fits(t, s, block, facts)};
  };
  const HaloTile& t = common::take_tile(node, ir::cat("conv_halo.", dtype), size_of(block), halo_tiles, option);
  node.adds(with_epilogue(conv, {.unit = ir::SumUnit::matrix,
                                 .levels = {common::unit(s.k), common::chain()},
                                 .order = ir::kernels::taps_first(t.channels)}));
  const plan::Slot filters = pack_filters(conv, node, t.channels);
  const HaloLines lines(block);
  const std::uint32_t piece = t.channels / 8, of_tap = block.filters * piece;
  const std::uint32_t of_group = plan::word(common::pieces(block.channels, t.channels) * block.taps()) * of_tap;
  const HaloBlock pushed = {block.batch,
                            block.group,
                            block.channels,
                            block.filters,
                            plan::word(lines.pitch),
                            plan::word(lines.height),
                            piece,
                            of_tap,
                            at_once * of_tap,
                            of_group,
                            block.axes};
  const bool hw_rte = dtype == DType::f16 && facts.rounds_to_even_f16;
  const std::uint32_t invocations = t.tile.invocations(facts);
  const bool whole = block.channels % t.channels == 0;
  dispatch(conv, node,
           {ir::cat("conv_halo.", dtype, hw_rte ? "_rte" : ""),
            t.tile.constants(s, facts).then({{"block", t.channels},
                                             {"taps_at_once", at_once},
                                             {"invocations", invocations},
                                             {"TAPS", plan::word(block.taps())},
                                             {"reach", plan::word(lines.reach)},
                                             {"k_aligned", whole},
                                             {"has_bias", conv.has_bias}}),
            facts.subgroup_size,
            {},
            plan::CooperativeKernel{.kind = plan::CooperativeKernel::Kind::halo_convolution,
                                    .operands = dtype,
                                    .result = dtype,
                                    .tile = ir::cat(common::tile_name(t.rows(s), t.columns(s), t.channels * at_once),
                                                    " of taps by ", at_once)}},
           plan::groups_for(halo_tiles_of(block, t.rows(s), t.columns(s))), filters, pushed);
}

}  // namespace

plan::Attempt attempt_halo(const Convolution& conv, plan::Lowering& node) {
  const DType dtype = node.in_type(0).dtype;
  const auto usable = gemm::usable_shape(dtype, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return *refusal;
  const auto s = std::get<device::CooperativeShape>(usable);
  if (const auto why = refuse_halo(conv, s, node.facts())) return plan::Refusal{*why};
  return plan::Emission{[&, s] { emit_halo(conv, s, node); }, std::string(gemm::cooperative_name(dtype))};
}

}  // namespace plumb::gpu_vulkan::kernels::conv
