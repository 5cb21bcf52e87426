#include <algorithm>
#include <limits>

#include "gpu_vulkan/kernels/gemm/cooperative.hpp"
#include "gpu_vulkan/kernels/gemm/product_kernels.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

using ir::DType;

namespace {

/// Subgroups of a workgroup by rows and columns of y, and the cooperative matrices
/// that each of them computes.
struct Fragments {
  std::uint32_t subgroups_m, subgroups_n, each_m, each_n, deep;
  std::int64_t least = 0;  ///< workgroups that keep a device busy: with fewer, smaller tiles are faster
  std::int64_t wave = 0;   ///< but for those that all run at one time, which is so many
  bool exact = false;      ///< only where tiles do not reach beyond the columns

  std::uint32_t rows(const device::CooperativeShape& s) const { return subgroups_m * each_m * s.m; }
  std::uint32_t columns(const device::CooperativeShape& s) const { return subgroups_n * each_n * s.n; }
  std::uint32_t subgroups() const { return subgroups_m * subgroups_n; }
  std::uint32_t depth(const device::CooperativeShape& s) const { return deep * s.k; }
  /// Tiles of a and b, their lines 8 elements longer, and what is added to every row. The strips in which subgroups
  /// store their sums lie where the tile of a was.
  std::size_t shared_bytes(const device::CooperativeShape& s, const Product& p) const {
    const auto lines = [&](std::uint32_t across, bool transposed) {
      return 2 * (transposed ? depth(s) * (across + 8) : std::size_t{across} * (depth(s) + 8));
    };
    const std::uint32_t strip = std::min(each_n, std::max(1u, 32 / s.n));
    const std::size_t kept = std::size_t{4} * subgroups() * s.m * (strip * s.n + 4);
    return std::max(lines(rows(s), p.transpose_a), kept) + lines(columns(s), !p.transpose_b) + 4 * columns(s);
  }
};

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// In order of preference, as measured with 132 multiprocessors that hold about 50 KiB of tiles each: one of the first
/// runs on one at a time, two of the second. Where there are few workgroups deep tiles are faster, since more is on its
/// way at once.
constexpr std::array<Fragments, 10> fragment_sizes = {{{2, 4, 4, 3, 4, 300, 132},
                                                       {2, 2, 4, 4, 2, 256},
                                                       {2, 2, 4, 3, 2, 256},
                                                       {2, 3, 2, 3, 6, never, 132, true},
                                                       {4, 2, 2, 3, 4, never, 132},
                                                       {2, 2, 2, 2, 4, 280},
                                                       {2, 2, 2, 2, 8, 96},
                                                       {2, 2, 1, 2, 8, 96},
                                                       {2, 2, 1, 1, 8, 0},
                                                       {2, 2, 1, 1, 4, 0}}};

/// Of operands that are read element by element: large tiles take more instructions than they save.
constexpr std::array<Fragments, 2> narrow_fragment_sizes = {{{2, 2, 2, 2, 4, 128}, {2, 2, 1, 1, 4, 0}}};

bool fits(const Fragments& f, const device::CooperativeShape& s, const Product& p, const device::DeviceFacts& facts) {
  return f.subgroups() * facts.subgroup_size <= facts.max_invocations && f.shared_bytes(s, p) <= facts.shared_memory;
}

/// The matrices by which a product is summed, and what the shader's variants call their operands.
struct Summing {
  device::CooperativeShape shape;
  std::string operands;

  /// How each element of y is added up; terms may be split into slices.
  ir::Sum sum(std::int64_t slices) const {
    return {.unit = ir::SumUnit::matrix,
            .accumulator = shape.c,
            .levels = common::without_single({common::unit(shape.k), common::chain(), common::chain(slices)})};
  }
};

void dispatch_tiles(const Product& p, const ProductSlots& slots, plan::Lowering& node, const Fragments& f,
                    const Summing& summing) {
  const device::CooperativeShape& s = summing.shape;
  const std::uint32_t size = node.facts().subgroup_size;
  const std::uint32_t invocations = f.subgroups() * size;
  const Fixed fixed = fixed_of(p, f.depth(s));
  const bool even = slots.result == DType::f16 && node.facts().rounds_to_even_f16;
  const bool is_fixed = fixed.terms > 0 && (even || slots.result != DType::f16);
  const bool wide = is_wide(p, 8);
  const bool inside =
      is_fixed && p.m % f.rows(s) == 0 && p.n % f.columns(s) == 0 && p.n % 8 == 0 && (!p.has_c || p.c_strides[0] == 0);
  dispatch(p, slots, node,
           {ir::cat("matmul_cooperative.", summing.operands, slots.result == slots.operands ? "" : "_f32",
                    even ? "_even" : "", is_fixed ? "_fixed" : ""),
            {{"invocations", invocations},
             {"M", s.m},
             {"N", s.n},
             {"K", s.k},
             {"subgroups_m", f.subgroups_m},
             {"subgroups_n", f.subgroups_n},
             {"each_m", f.each_m},
             {"each_n", f.each_n},
             {"deep", f.deep},
             {"TRANSPOSED_OPERANDS", transposed(p)},
             {"WIDE", wide},
             {"TERMS", fixed.terms},
             {"A_LINE", fixed.a_line},
             {"B_LINE", fixed.b_line},
             {"invocations", invocations},
             {"whole", fixed.whole},
             {"FLAGS", fixed.flags},
             {"inside", inside}},
            size,
            {},
            ir::cat(tile_name(f.rows(s), f.columns(s), f.depth(s)), wide ? "" : " by elements")},
           tiles(p, f.rows(s), f.columns(s)));
}

/// By the tile that is best, or that is asked for.
void emit_whole(const Product& p, const ProductSlots& slots, plan::Lowering& node, const Summing& summing) {
  const device::CooperativeShape& s = summing.shape;
  const auto option = [&](const Fragments& f) {
    return plan::TileOption{.name = tile_name(f.rows(s), f.columns(s), f.depth(s)),
                            .elements = std::int64_t{f.rows(s)} * f.columns(s),
                            .groups = tiles(p, f.rows(s), f.columns(s)),
                            .least = f.least,
                            .wave = f.exact && p.n % f.columns(s) != 0 ? 0 : f.wave,
                            .fits = fits(f, s, p, node.facts())};
  };
  const std::span<const Fragments> sizes =
      is_wide(p, 8) ? std::span<const Fragments>(fragment_sizes) : narrow_fragment_sizes;
  const Fragments& f = take_tile(p, node, ir::cat("matmul_cooperative.", summing.operands), sizes, option);
  node.adds(with_epilogue(p, summing.sum(1)));
  dispatch_tiles(p, slots, node, f, summing);
}

/// A product of few tiles and many terms, whose terms are split between workgroups.
struct CooperativeSplit {
  const Fragments* tile = nullptr;
  std::int64_t slices = 1;
};

/// Tiles of which one workgroup runs on a multiprocessor of the device that was measured, the largest first.
constexpr std::array<Fragments, 4> split_sizes = {
    {{2, 4, 4, 3, 4, 0, 132}, {4, 2, 2, 3, 4, 0, 132}, {2, 2, 2, 2, 8, 0, 132}, {2, 2, 1, 2, 8, 0, 132}}};

/// The largest tile of which slices make nearly a wave of workgroups. Fewer terms than these are not worth a second
/// kernel; slices of more wait for memory as whole products do.
CooperativeSplit cooperative_split_of(const Product& p, const ProductSlots& slots, const device::CooperativeShape& s,
                                      const plan::Lowering& node) {
  constexpr std::int64_t least_terms = 3072, least_slice = 384, most_slice = 2048;
  if (p.batch.elements() != 1 || p.k < least_terms || !is_wide(p, 8)) return {};
  if (slots.result != slots.operands || !node.options().tile.empty()) return {};
  for (const Fragments& f : split_sizes) {
    const bool is_filled = f.rows(s) < 2 * p.m && f.columns(s) < 2 * p.n;
    if (!is_filled || !fits(f, s, p, node.facts())) continue;
    for (const std::int64_t slices : {2, 4, 8}) {
      const std::int64_t terms = p.k / slices, groups = slices * tiles(p, f.rows(s), f.columns(s));
      const bool is_even = p.k % (slices * f.depth(s)) == 0 && terms >= least_slice && terms <= most_slice;
      if (is_even && groups <= f.wave && groups * 8 >= f.wave * 5) return {&f, slices};
    }
  }
  return {};
}

void emit_slices(const Product& p, const ProductSlots& slots, plan::Lowering& node, const Summing& summing,
                 const CooperativeSplit& split) {
  const auto& [tile, slices] = split;
  const device::CooperativeShape& s = summing.shape;
  const plan::Slot sums = node.scratch(sizeof(float) * static_cast<std::size_t>(slices * p.m * p.n));
  node.uses_tile(tile_name(tile->rows(s), tile->columns(s), tile->depth(s)));
  node.adds(with_epilogue(p, summing.sum(slices)));
  dispatch_tiles(slices_of(p, slices), {slots.a, slots.b, slots.a, sums, slots.operands, DType::f32}, node, *tile,
                 summing);
  add_slices(p, slots, sums, slices, node);
}

}  // namespace

std::string_view cooperative_name(DType operands) { return operands == DType::bf16 ? "coopmat_bf16" : "coopmat_f16"; }

plan::Attempt attempt_cooperative(const Product& p, const ProductSlots& slots, plan::Lowering& node) {
  const auto usable = usable_shape(slots.operands, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return *refusal;
  const auto& s = std::get<device::CooperativeShape>(usable);
  if (!fits(fragment_sizes.back(), s, p, node.facts()))
    return plan::Refusal{ir::cat(node.facts().name, " has too little shared memory or too small workgroups for ", s.m,
                                 "x", s.n, "x", s.k)};
  const Summing summing{s, ir::cat(slots.operands)};
  const CooperativeSplit split = cooperative_split_of(p, slots, s, node);
  if (split.slices == 1) return plan::Emission{[&, summing] { emit_whole(p, slots, node, summing); }};
  return plan::Emission{[&, summing, split] { emit_slices(p, slots, node, summing, split); },
                        ir::cat(cooperative_name(slots.operands), "_split", split.slices)};
}

plan::Attempt attempt_summed_in_f16(const Product& p, const ProductSlots& slots, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const auto usable = usable_shape(slots.operands, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return *refusal;
  const device::CooperativeShape* const s = shape_summed_in_f16(facts);
  if (s == nullptr) return plan::Refusal{facts.name + " lists no cooperative matrices of f16 summed in f16"};
  if (slots.result != DType::f32 || p.has_c || p.alpha != 1) return plan::Refusal{"it hands out bare sums in f32"};
  if (!fits(fragment_sizes.back(), *s, p, facts))
    return plan::Refusal{facts.name + " has too little shared memory or too small workgroups"};
  return plan::Emission{[&, s] { emit_whole(p, slots, node, {*s, "f16acc16"}); }};
}

}  // namespace plumb::gpu_vulkan::kernels::gemm
