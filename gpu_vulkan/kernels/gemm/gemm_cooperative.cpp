#include <algorithm>
#include <limits>

#include "gpu_vulkan/kernels/gemm/cooperative.hpp"
#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

using ir::DType;

namespace {

/// A row of the tables below.
struct GemmTile {
  common::CooperativeTile tile;
  std::uint32_t fragments_k;         ///< matrices along K that are staged at a time
  std::int64_t min_workgroups = 0;   ///< for this tile to beat a smaller one
  std::int64_t wave = 0;             ///< fewer will do, too, if they nearly fill the device at one time, as so many do
  bool columns_must_divide = false;  ///< the last, only where no tile reaches beyond the columns

  std::uint32_t rows(const device::CooperativeShape& s) const { return tile.rows(s); }
  std::uint32_t columns(const device::CooperativeShape& s) const { return tile.columns(s); }
  std::uint32_t depth(const device::CooperativeShape& s) const { return fragments_k * s.k; }
  /// Tiles of a and b, their lines 8 elements longer, and what is added to every row. The strips in which subgroups
  /// store their sums lie where the tile of a was.
  std::size_t shared_bytes(const device::CooperativeShape& s, const Gemm& p) const {
    const auto lines = [&](std::uint32_t across, bool transposed) {
      return 2 * (transposed ? depth(s) * (across + 8) : std::size_t{across} * (depth(s) + 8));
    };
    const std::uint32_t strip = std::min(tile.matrices.n, std::max(1u, 32 / s.n));
    const std::size_t kept = std::size_t{4} * tile.subgroups.count() * s.m * (strip * s.n + 4);
    return std::max(lines(rows(s), p.transpose_a), kept) + lines(columns(s), !p.transpose_b) + 4 * columns(s);
  }
};

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t one_each = common::measured_multiprocessors;  ///< workgroups, one on each multiprocessor

/// Multiprocessors hold about 50 KiB of tiles each: one of the first runs on one at a time, two of the second. Where
/// there are few workgroups deep tiles are faster, since more is on its way at once.
constexpr std::array<GemmTile, 10> gemm_tiles = {{
    {.tile = {.subgroups = {2, 4}, .matrices = {4, 3}}, .fragments_k = 4, .min_workgroups = 300, .wave = one_each},
    {.tile = {.subgroups = {2, 2}, .matrices = {4, 4}}, .fragments_k = 2, .min_workgroups = 256},
    {.tile = {.subgroups = {2, 2}, .matrices = {4, 3}}, .fragments_k = 2, .min_workgroups = 256},
    {.tile = {.subgroups = {2, 3}, .matrices = {2, 3}},
     .fragments_k = 6,
     .min_workgroups = never,
     .wave = one_each,
     .columns_must_divide = true},
    {.tile = {.subgroups = {4, 2}, .matrices = {2, 3}}, .fragments_k = 4, .min_workgroups = never, .wave = one_each},
    {.tile = {.subgroups = {2, 2}, .matrices = {2, 2}}, .fragments_k = 4, .min_workgroups = 280},
    {.tile = {.subgroups = {2, 2}, .matrices = {2, 2}}, .fragments_k = 8, .min_workgroups = 96},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 2}}, .fragments_k = 8, .min_workgroups = 96},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 1}}, .fragments_k = 8},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 1}}, .fragments_k = 4},
}};

/// For operands with scalar loads: large tiles take more instructions than they save.
constexpr std::array<GemmTile, 2> scalar_gemm_tiles = {{
    {.tile = {.subgroups = {2, 2}, .matrices = {2, 2}}, .fragments_k = 4, .min_workgroups = 128},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 1}}, .fragments_k = 4},
}};

bool fits(const GemmTile& f, const device::CooperativeShape& s, const Gemm& p, const device::DeviceFacts& facts) {
  return f.tile.invocations(facts) <= facts.max_invocations && f.shared_bytes(s, p) <= facts.shared_memory;
}

/// The shape of the cooperative matrices, and what the shader's variants call their operands.
struct Summing {
  device::CooperativeShape shape;
  std::string operands;

  /// How each element of y is added up; K may be split into slices.
  ir::Sum sum(std::int64_t slices) const {
    return {.unit = ir::SumUnit::matrix,
            .accumulator = shape.c,
            .levels = common::without_single({common::unit(shape.k), common::chain(), common::chain(slices)})};
  }
};

void dispatch_tiles(const Gemm& p, const GemmSlots& slots, plan::Lowering& node, const GemmTile& f,
                    const Summing& summing) {
  const device::CooperativeShape& s = summing.shape;
  const std::uint32_t invocations = f.tile.invocations(node.facts());
  const Fixed fixed = fixed_of(p, f.depth(s));
  const bool hw_rte = slots.result == DType::f16 && s.c == DType::f32 && node.facts().rounds_to_even_f16;
  const bool is_fixed = fixed.k > 0 && (hw_rte || s.c == DType::f16 || slots.result != DType::f16);
  const bool vec4_loads = allows_vec4_loads(p, 8);
  // Accumulators of f16 are multiplied and added to where they are f32, element by element.
  const bool stores_all = s.c == DType::f32 ? !p.has_c || p.c_strides[0] == 0 : !p.has_c && p.alpha == 1;
  const bool tile_in_bounds = is_fixed && p.m % f.rows(s) == 0 && p.n % f.columns(s) == 0 && p.n % 8 == 0 && stores_all;
  dispatch(p, slots, node,
           {ir::cat("matmul_cooperative.", summing.operands, slots.result == slots.operands ? "" : "_f32",
                    hw_rte ? "_rte" : "", is_fixed ? "_fixed" : ""),
            f.tile.constants(s, node.facts())
                .then({{"fragments_k", f.fragments_k},
                       {"TRANSPOSED_OPERANDS", transposed(p)},
                       {"VEC4_LOADS", vec4_loads},
                       {"FIXED_K", fixed.k},
                       {"LDA", fixed.lda},
                       {"LDB", fixed.ldb},
                       {"invocations", invocations},
                       {"k_aligned", fixed.k_aligned},
                       {"FLAGS", fixed.flags},
                       {"tile_in_bounds", tile_in_bounds}}),
            node.facts().subgroup_size,
            {},
            plan::CooperativeKernel{.kind = plan::CooperativeKernel::Kind::product,
                                    .operands = slots.operands,
                                    .accumulator = s.c,
                                    .result = slots.result,
                                    .tile = ir::cat(common::tile_name(f.rows(s), f.columns(s), f.depth(s)),
                                                    vec4_loads ? "" : " by elements")}},
           tiles(p, f.rows(s), f.columns(s)));
}

/// By the tile that is best, or that is asked for.
void emit_whole(const Gemm& p, const GemmSlots& slots, plan::Lowering& node, const Summing& summing) {
  const device::CooperativeShape& s = summing.shape;
  const auto option = [&](const GemmTile& f) {
    return plan::TileOption{.name = common::tile_name(f.rows(s), f.columns(s), f.depth(s)),
                            .elements = std::int64_t{f.rows(s)} * f.columns(s),
                            .groups = tiles(p, f.rows(s), f.columns(s)),
                            .min_workgroups = f.min_workgroups,
                            .wave = f.columns_must_divide && p.n % f.columns(s) != 0 ? 0 : f.wave,
                            .fits = fits(f, s, p, node.facts())};
  };
  const std::span<const GemmTile> sizes =
      allows_vec4_loads(p, 8) ? std::span<const GemmTile>(gemm_tiles) : scalar_gemm_tiles;
  const GemmTile& f =
      common::take_tile(node, ir::cat("matmul_cooperative.", summing.operands), size_of(p), sizes, option);
  node.adds(with_epilogue(p, summing.sum(1)));
  dispatch_tiles(p, slots, node, f, summing);
}

/// Split-K, for a product of few tiles and a large K: workgroups share K.
struct CooperativeSplitK {
  const GemmTile* tile = nullptr;
  std::int64_t slices = 1;
};

/// Tiles for split-K, the largest first. Each is so large that a multiprocessor runs one workgroup at a time.
constexpr std::array<GemmTile, 4> split_k_tiles = {{
    {.tile = {.subgroups = {2, 4}, .matrices = {4, 3}}, .fragments_k = 4, .wave = one_each},
    {.tile = {.subgroups = {4, 2}, .matrices = {2, 3}}, .fragments_k = 4, .wave = one_each},
    {.tile = {.subgroups = {2, 2}, .matrices = {2, 2}}, .fragments_k = 8, .wave = one_each},
    {.tile = {.subgroups = {2, 2}, .matrices = {1, 2}}, .fragments_k = 8, .wave = one_each},
}};

/// The largest tile with which slices make nearly a wave of workgroups. A smaller K is not worth a second kernel;
/// larger slices wait for memory as whole products do.
CooperativeSplitK cooperative_split_k_of(const Gemm& p, const GemmSlots& slots, const device::CooperativeShape& s,
                                         const plan::Lowering& node) {
  constexpr std::int64_t least_k = 3072, least_slice = 384, most_slice = 2048;
  if (p.batch.elements() != 1 || p.k < least_k || !allows_vec4_loads(p, 8)) return {};
  if (slots.result != slots.operands || !node.options().tile.empty()) return {};
  for (const GemmTile& f : split_k_tiles) {
    const bool is_filled = f.rows(s) < 2 * p.m && f.columns(s) < 2 * p.n;
    if (!is_filled || !fits(f, s, p, node.facts())) continue;
    for (const std::int64_t slices : {2, 4, 8}) {
      const std::int64_t slice = p.k / slices, groups = slices * tiles(p, f.rows(s), f.columns(s));
      const bool is_aligned = p.k % (slices * f.depth(s)) == 0 && slice >= least_slice && slice <= most_slice;
      if (is_aligned && groups <= f.wave && groups * 8 >= f.wave * 5) return {&f, slices};
    }
  }
  return {};
}

void emit_cooperative_split_k(const Gemm& p, const GemmSlots& slots, plan::Lowering& node, const Summing& summing,
                              const CooperativeSplitK& split) {
  const auto& [tile, slices] = split;
  const device::CooperativeShape& s = summing.shape;
  const plan::Slot sums = node.scratch(sizeof(float) * static_cast<std::size_t>(slices * p.m * p.n));
  node.uses_tile(common::tile_name(tile->rows(s), tile->columns(s), tile->depth(s)));
  node.adds(with_epilogue(p, summing.sum(slices)));
  dispatch_tiles(split_k(p, slices), {slots.a, slots.b, slots.a, sums, slots.operands, DType::f32}, node, *tile,
                 summing);
  add_split_k(p, slots, sums, slices, node);
}

}  // namespace

std::string_view cooperative_name(DType operands) { return operands == DType::bf16 ? "coopmat_bf16" : "coopmat_f16"; }

plan::Attempt attempt_cooperative(const Gemm& p, const GemmSlots& slots, plan::Lowering& node) {
  const auto usable = usable_shape(slots.operands, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return *refusal;
  const auto& s = std::get<device::CooperativeShape>(usable);
  if (!fits(gemm_tiles.back(), s, p, node.facts()))
    return plan::Refusal{ir::cat(node.facts().name, " has too little shared memory or too small workgroups for ", s.m,
                                 "x", s.n, "x", s.k)};
  const Summing summing{s, ir::cat(slots.operands)};
  const CooperativeSplitK split = cooperative_split_k_of(p, slots, s, node);
  if (split.slices == 1) return plan::Emission{[&, summing] { emit_whole(p, slots, node, summing); }};
  return plan::Emission{[&, summing, split] { emit_cooperative_split_k(p, slots, node, summing, split); },
                        ir::cat(cooperative_name(slots.operands), "_split", split.slices)};
}

plan::Attempt attempt_summed_in_f16(const Gemm& p, const GemmSlots& slots, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const auto usable = usable_shape(slots.operands, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return *refusal;
  const device::CooperativeShape* const s = shape_summed_in_f16(facts);
  if (s == nullptr) return plan::Refusal{facts.name + " lists no cooperative matrices of f16 summed in f16"};
  if (!fits(gemm_tiles.back(), *s, p, facts))
    return plan::Refusal{facts.name + " has too little shared memory or too small workgroups"};
  return plan::Emission{[&, s] { emit_whole(p, slots, node, {*s, "f16acc16"}); }};
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
