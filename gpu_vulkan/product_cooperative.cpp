#include <algorithm>
#include <limits>

#include "gpu_vulkan/cooperative.hpp"
#include "gpu_vulkan/product_kernels.hpp"

namespace plumb::gpu_vulkan {

using ir::DType;

namespace {

/// Subgroups of a workgroup by rows and columns of y, and the cooperative matrices
/// that each of them computes.
struct Fragments {
  std::uint32_t subgroups_m, subgroups_n, each_m, each_n, deep;
  std::int64_t least = 0;  ///< workgroups that keep a device busy: with fewer, smaller tiles are faster
  std::int64_t wave = 0;   ///< but for those that all run at one time, which is so many

  std::uint32_t rows(const CooperativeShape& s) const { return subgroups_m * each_m * s.m; }
  std::uint32_t columns(const CooperativeShape& s) const { return subgroups_n * each_n * s.n; }
  std::uint32_t subgroups() const { return subgroups_m * subgroups_n; }
  std::uint32_t depth(const CooperativeShape& s) const { return deep * s.k; }
  /// Tiles of a and b, their lines 8 elements longer, and what is added to every row. The strips in which subgroups
  /// store their sums lie where the tile of a was.
  std::size_t shared_bytes(const CooperativeShape& s, const Product& p) const {
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
constexpr std::array<Fragments, 9> fragment_sizes = {{{2, 4, 4, 3, 4, 300, 132},
                                                      {2, 2, 4, 4, 2, 256},
                                                      {2, 2, 4, 3, 2, 256},
                                                      {4, 2, 2, 3, 4, never, 132},
                                                      {2, 2, 2, 2, 4, 280},
                                                      {2, 2, 2, 2, 8, 96},
                                                      {2, 2, 1, 2, 8, 96},
                                                      {2, 2, 1, 1, 8, 0},
                                                      {2, 2, 1, 1, 4, 0}}};

/// Of operands that are read element by element: large tiles take more instructions than they save.
constexpr std::array<Fragments, 2> narrow_fragment_sizes = {{{2, 2, 2, 2, 4, 128}, {2, 2, 1, 1, 4, 0}}};

bool fits(const Fragments& f, const CooperativeShape& s, const Product& p, const DeviceFacts& facts) {
  return f.subgroups() * facts.subgroup_size <= facts.max_invocations && f.shared_bytes(s, p) <= facts.shared_memory;
}

}  // namespace

std::string_view cooperative_name(DType operands) {
  return operands == DType::bf16 ? "coopmat_bf16" : "coopmat_f16";
}

std::optional<std::string> refuse_cooperative(const Product& p, const ProductSlots& slots, const Lowering& node) {
  const DeviceFacts& facts = node.facts();
  if (const auto refusal = refuse_cooperative_16(slots.operands, facts)) return refusal;
  const CooperativeShape& s = *shape_summed_in_f32(slots.operands, facts);
  if (fits(fragment_sizes.back(), s, p, facts)) return std::nullopt;
  return ir::cat(facts.name, " has too little shared memory or too small workgroups for ", s.m, "x", s.n, "x", s.k);
}

void emit_cooperative(const Product& p, const ProductSlots& slots, Lowering& node) {
  const CooperativeShape& s = *shape_summed_in_f32(slots.operands, node.facts());
  const bool wide = is_wide(p, 8);
  const auto option = [&](const Fragments& f) {
    return TileOption{.name = tile_name(f.rows(s), f.columns(s), f.depth(s)),
                      .elements = std::int64_t{f.rows(s)} * f.columns(s),
                      .groups = tiles(p, f.rows(s), f.columns(s)),
                      .least = f.least,
                      .wave = f.wave,
                      .fits = fits(f, s, p, node.facts())};
  };
  const std::span<const Fragments> sizes = wide ? std::span<const Fragments>(fragment_sizes) : narrow_fragment_sizes;
  const Fragments& f = take_tile(p, node, ir::cat("matmul_cooperative.", slots.operands), sizes, option);
  const std::uint32_t size = node.facts().subgroup_size;
  const std::uint32_t invocations = f.subgroups() * size;
  const Fixed fixed = fixed_of(p, f.depth(s));
  const bool even = slots.result == DType::f16 && node.facts().rounds_to_even_f16;
  const bool is_fixed = fixed.terms > 0 && (even || slots.result != DType::f16);
  const bool inside = is_fixed && p.m % f.rows(s) == 0 && p.n % f.columns(s) == 0 && p.n % 8 == 0 &&
                      (!p.has_c || p.c_strides[0] == 0);
  dispatch(p, slots, node,
           {ir::cat("matmul_cooperative.", variant(slots), even ? "_even" : "", is_fixed ? "_fixed" : ""),
            {invocations, s.m, s.n, s.k, f.subgroups_m, f.subgroups_n, f.each_m, f.each_n, f.deep, transposed(p),
             wide, fixed.terms, fixed.a_line, fixed.b_line, invocations, fixed.whole, fixed.flags, inside},
            size},
           tiles(p, f.rows(s), f.columns(s)));
}

}  // namespace plumb::gpu_vulkan
