#include "gpu_vulkan/product.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "gpu_vulkan/cooperative.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;

constexpr std::size_t batch_axes = most_batch_axes;

/// What the shaders matmul and matmul_cooperative are pushed.
struct Block {
  std::uint32_t m, n, k, batches, flags;
  std::array<std::uint32_t, batch_axes> batch, a_strides, b_strides;
  std::array<std::uint32_t, 2> c_strides, alpha, beta;  // reals: bits, low word first
  std::uint32_t a_line, b_line;
};

std::array<std::uint32_t, 2> words_of(double x, DType dtype) {
  if (dtype != DType::f64) return {std::bit_cast<std::uint32_t>(static_cast<float>(x)), 0};
  return std::bit_cast<std::array<std::uint32_t, 2>>(x);
}

/// glsl/product.glsl names the bits.
std::uint32_t transposed(const Product& p) { return (p.transpose_a ? 1u : 0u) | (p.transpose_b ? 2u : 0u); }

Block block_of(const Product& p, DType dtype) {
  Block block{};
  const auto u32 = [](std::int64_t x) { return static_cast<std::uint32_t>(x); };
  block.m = u32(p.m), block.n = u32(p.n), block.k = u32(p.k), block.batches = u32(p.batch.elements());
  block.flags = transposed(p) | (p.alpha != 1 ? 4u : 0u) | (p.has_c ? 8u : 0u);
  block.batch.fill(1);
  for (std::size_t i = 0; i < p.batch.size(); ++i) {
    const std::size_t at = batch_axes - p.batch.size() + i;
    block.batch[at] = u32(p.batch[i]), block.a_strides[at] = u32(p.a_strides[i]),
    block.b_strides[at] = u32(p.b_strides[i]);
  }
  block.c_strides = {u32(p.c_strides[0]), u32(p.c_strides[1])};
  const auto line = [&](std::int64_t given, std::int64_t dense) { return u32(given == 0 ? dense : given); };
  block.a_line = line(p.a_line, p.transpose_a ? p.m : p.k), block.b_line = line(p.b_line, p.transpose_b ? p.k : p.n);
  block.alpha = words_of(p.alpha, dtype), block.beta = words_of(p.beta, dtype);
  return block;
}

std::int64_t pieces(std::int64_t extent, std::int64_t each) { return (extent + each - 1) / each; }

std::int64_t tiles(const Product& p, std::int64_t rows, std::int64_t columns) {
  return p.batch.elements() * pieces(p.m, rows) * pieces(p.n, columns);
}

/// The shader's variant: the operands' dtype, and the result's where they differ.
std::string variant(const ProductSlots& slots) {
  const auto in = ir::info(slots.operands).name, out = ir::info(slots.result).name;
  return in == out ? ir::cat(in) : ir::cat(in, "_", out);
}

void dispatch(const Product& p, const ProductSlots& slots, Lowering& node, Shader shader, std::int64_t groups) {
  node.dispatch({
      .shader = std::move(shader),
      .reads = {slots.a, slots.b, p.has_c ? slots.c : slots.a},
      .writes = {slots.y},
      .push = block_of(p, slots.operands),
      .groups = groups_for(groups),
  });
}

/// Smaller tiles keep the device busier until there are so many workgroups.
constexpr std::int64_t enough_groups = 128;

/// Whether operands can be read 16 bytes at a time: lines and matrices begin and end at multiples of so many elements.
bool is_wide(const Product& p, std::int64_t elements) {
  const auto even = [=](std::int64_t x) { return x % elements == 0; };
  const Block block = block_of(p, DType::f32);
  return even(block.a_line) && even(block.b_line) && even(p.transpose_a ? p.m : p.k) &&
         even(p.transpose_b ? p.k : p.n) && std::ranges::all_of(p.a_strides, even) &&
         std::ranges::all_of(p.b_strides, even);
}

/// What the shaders of large products take for constant: a pipeline of their own pays for those, the small ones of a
/// graph share theirs.
struct Fixed {
  std::uint32_t terms = 0, a_line = 0, b_line = 0, whole = 0;  ///< whole: no tile reaches beyond the terms
};

Fixed fixed_of(const Product& p, std::uint32_t depth) {
  constexpr std::int64_t worth_a_pipeline = std::int64_t{1} << 24;  // multiplications
  if (p.batch.elements() * p.m * p.n * p.k < worth_a_pipeline) return {};
  const Block block = block_of(p, DType::f32);
  return {block.k, block.a_line, block.b_line, block.k % depth == 0 ? 1u : 0u};
}

/// Of a product that is one row or one column: whether a line of the matrix is one sum.
bool is_by_lines(const Product& p) { return p.n == 1 ? !p.transpose_a : p.transpose_b; }

/// One row or one column: every number of the matrix is read once, so that reading it in order is what counts.
void emit_vector(const Product& p, const ProductSlots& slots, Lowering& node) {
  const bool by_lines = is_by_lines(p);
  const std::uint32_t across = node.facts().max_invocations < 256 ? 8 : 16;
  const std::uint32_t elements = by_lines ? 2 : 16, lanes = by_lines ? 64 : across;
  dispatch(p, slots, node, {"matmul_vector." + variant(slots), {elements * lanes, elements, lanes, by_lines}},
           p.batch.elements() * pieces(std::max(p.m, p.n), elements));
}

std::optional<std::string> refuse_wide_vector(const Product& p, const ProductSlots& slots, const Lowering& node) {
  const ir::DType x = slots.operands;
  if (x != DType::f32 && x != DType::f16 && x != DType::bf16)
    return ir::cat("operands are ", x, ", it takes f32, f16 and bf16");
  if (node.facts().max_invocations < 256 || node.facts().shared_memory < 32 << 10)
    return ir::cat(node.facts().name, " has too small workgroups or too little shared memory");
  const std::int64_t elements = 16 / static_cast<std::int64_t>(ir::info(x).bytes);
  const auto even = [=](std::int64_t n) { return n % elements == 0; };
  const Block block = block_of(p, x);
  const bool vector_is_dense = p.n == 1 ? p.transpose_b || block.b_line == 1 : !p.transpose_a || block.a_line == 1;
  if (!vector_is_dense) return "the vector's elements are apart";
  const auto& strides = p.n == 1 ? p.a_strides : p.b_strides;
  const auto& vector_strides = p.n == 1 ? p.b_strides : p.a_strides;
  if (!even(p.n == 1 ? block.a_line : block.b_line) || !even(is_by_lines(p) ? p.k : std::max(p.m, p.n)) ||
      !std::ranges::all_of(strides, even) || (is_by_lines(p) && !std::ranges::all_of(vector_strides, even)))
    return ir::cat("lines of its operands are no multiples of ", elements, " elements");
  return std::nullopt;
}

void emit_wide_vector(const Product& p, const ProductSlots& slots, Lowering& node) {
  const bool by_lines = is_by_lines(p);
  const std::uint32_t width = slots.operands == DType::f32 ? 4 : 8;
  // Across lines, the fewer columns a workgroup has the more of them there are; 64 bytes of a line are the least.
  const std::int64_t columns = std::max(p.m, p.n);
  const std::uint32_t narrow = columns / (16 * width) < enough_groups ? 8 : 16;
  const std::uint32_t invocations = node.facts().max_invocations < 512 || by_lines ? 256 : 512;
  const std::uint32_t across = by_lines ? 4 : narrow, lanes = invocations / across;
  dispatch(p, slots, node, {"matmul_vector_wide." + variant(slots), {across * lanes, across, lanes, by_lines}},
           p.batch.elements() * pieces(columns, by_lines ? across : across * width));
}

/// A workgroup's tile, and the part of it that each of its invocations computes.
struct Tile {
  std::uint32_t rows, columns, depth, rows_each, columns_each;

  std::uint32_t invocations() const { return rows / rows_each * (columns / columns_each); }
  std::size_t shared_bytes(std::size_t element) const { return (rows + columns + 2) * depth * element; }
};

constexpr std::array<Tile, 4> tile_sizes = {
    {{128, 128, 8, 8, 8}, {64, 64, 16, 4, 4}, {32, 32, 16, 4, 4}, {32, 32, 8, 4, 4}}};
constexpr Tile smallest_tile = {8, 8, 16, 1, 1};  ///< for many tiny products

void emit_tiled(const Product& p, const ProductSlots& slots, Lowering& node) {
  const std::size_t element = std::max<std::size_t>(4, ir::info(slots.operands).bytes);
  const auto fits = [&](const Tile& t) {
    return t.invocations() <= node.facts().max_invocations && t.shared_bytes(element) <= node.facts().shared_memory;
  };
  const auto good = [&](const Tile& t) { return fits(t) && tiles(p, t.rows, t.columns) >= enough_groups; };
  const auto found = std::ranges::find_if(tile_sizes, good);
  const auto least = std::ranges::find_if(tile_sizes.begin() + 2, tile_sizes.end(), fits);
  const bool tiny = p.m <= smallest_tile.rows && p.n <= smallest_tile.columns;
  const auto& t = tiny                        ? smallest_tile
                  : found != tile_sizes.end() ? *found
                  : least != tile_sizes.end() ? *least
                                              : smallest_tile;
  dispatch(p, slots, node,
           {"matmul." + variant(slots), {t.invocations(), t.rows, t.columns, t.depth, t.rows_each, t.columns_each}},
           tiles(p, t.rows, t.columns));
}

/// A workgroup's tile of matmul_wide, and how many blocks of 4 x 4 elements each invocation computes.
struct WideTile {
  std::uint32_t rows, columns, depth, groups_m, groups_n;

  std::uint32_t invocations() const { return rows / (4 * groups_m) * (columns / (4 * groups_n)); }
  std::size_t shared_bytes() const { return std::size_t{4} * depth * (rows + columns + 8); }
};

constexpr std::array<WideTile, 3> wide_tiles = {{{128, 128, 16, 2, 4}, {64, 64, 16, 1, 2}, {32, 32, 32, 1, 1}}};

std::optional<std::string> refuse_wide(const Product& p, const ProductSlots& slots, const Lowering& node) {
  if (slots.operands != DType::f32) return ir::cat("operands are ", slots.operands, ", it takes f32");
  if (!is_wide(p, 4)) return "lines of its operands are no multiples of 4 elements";
  if (wide_tiles.back().shared_bytes() > node.facts().shared_memory) return "too little shared memory";
  return std::nullopt;
}

bool fits(const WideTile& t, const DeviceFacts& facts) {
  return t.invocations() <= facts.max_invocations && t.shared_bytes() <= facts.shared_memory;
}

/// The largest tile of which there are enough, else the smallest.
const WideTile& wide_tile(const Product& p, const DeviceFacts& facts) {
  const auto good = [&](const WideTile& t) {
    return fits(t, facts) && tiles(p, t.rows, t.columns) >= enough_groups;
  };
  const auto found = std::ranges::find_if(wide_tiles, good);
  return found != wide_tiles.end() ? *found : wide_tiles.back();
}

void dispatch_wide(const Product& p, const ProductSlots& slots, Lowering& node, const WideTile& t) {
  const Fixed fixed = fixed_of(p, t.depth);
  dispatch(p, slots, node,
           {"matmul_wide",
            {t.invocations(), t.rows, t.columns, t.depth, t.groups_m, t.groups_n, transposed(p), fixed.terms,
             fixed.a_line, fixed.b_line, fixed.whole}},
           tiles(p, t.rows, t.columns));
}

void emit_wide(const Product& p, const ProductSlots& slots, Lowering& node) {
  dispatch_wide(p, slots, node, wide_tile(p, node.facts()));
}

/// A product of few tiles and many terms, whose terms are split between workgroups.
struct Split {
  const WideTile* tile = nullptr;
  std::int64_t slices = 1;

  /// Sums depend on the number of slices: it belongs to the name.
  std::string_view name() const {
    return slices == 2   ? "tiled_wide_split2"
           : slices == 4 ? "tiled_wide_split4"
           : slices == 8 ? "tiled_wide_split8"
                         : "tiled_wide_split";
  }
};

/// So many keep a device busy while each waits for memory.
constexpr std::int64_t enough_invocations = enough_groups * 256;
constexpr std::int64_t least_slice = 128;  ///< terms; fewer are not worth a second kernel

Split split_of(const Product& p, const DeviceFacts& facts) {
  if (p.batch.elements() != 1 || wide_tile(p, facts).rows > wide_tiles.back().rows) return {};
  const WideTile& middle = wide_tiles[1];
  const bool is_small = p.m < middle.rows || p.n < middle.columns || !fits(middle, facts);
  Split split{is_small ? &wide_tiles.back() : &middle};
  const std::int64_t invocations = tiles(p, split.tile->rows, split.tile->columns) * split.tile->invocations();
  while (split.slices < 8 && split.slices * invocations < enough_invocations &&
         p.k % (8 * split.slices) == 0 && p.k / (2 * split.slices) >= least_slice)
    split.slices *= 2;
  return split;
}

std::optional<std::string> refuse_split(const Product& p, const ProductSlots& slots, const Lowering& node) {
  if (const auto refusal = refuse_wide(p, slots, node)) return refusal;
  if (split_of(p, node.facts()).slices > 1) return std::nullopt;
  return "there are enough tiles, or too few terms to split";
}

/// Sums of slices side by side, as a batch of products, then their sum in order.
void emit_split(const Product& p, const ProductSlots& slots, Lowering& node) {
  const auto [tile, slices] = split_of(p, node.facts());
  const Block whole = block_of(p, DType::f32);
  Product parts = p;
  parts.k = p.k / slices;
  parts.a_line = whole.a_line, parts.b_line = whole.b_line;
  parts.batch = {slices};
  parts.a_strides = {parts.k * (p.transpose_a ? parts.a_line : 1)};
  parts.b_strides = {parts.k * (p.transpose_b ? 1 : parts.b_line)};
  parts.alpha = 1, parts.has_c = false;
  const Slot sums = node.scratch(sizeof(float) * static_cast<std::size_t>(slices * p.m * p.n));
  dispatch_wide(parts, {slots.a, slots.b, slots.a, sums, DType::f32, DType::f32}, node, *tile);
  struct SlicesBlock {
    std::uint32_t count, n, has_c;
    float alpha, beta;
    std::array<std::uint32_t, 2> c_strides;
  };
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {"matmul_slices", {threads, static_cast<std::uint32_t>(slices)}},
      .reads = {sums, p.has_c ? slots.c : sums},
      .writes = {slots.y},
      .push = SlicesBlock{whole.m * whole.n, whole.n, p.has_c ? 1u : 0u, static_cast<float>(p.alpha),
                          static_cast<float>(p.beta), whole.c_strides},
      .groups = groups_for(p.m * p.n, threads),
  });
}

/// Subgroups of a workgroup by rows and columns of y, and the cooperative matrices
/// that each of them computes.
struct Fragments {
  std::uint32_t subgroups_m, subgroups_n, each_m, each_n, deep;
  std::int64_t least = 0;  ///< workgroups that keep a device busy: with fewer, smaller tiles are faster

  std::uint32_t rows(const CooperativeShape& s) const { return subgroups_m * each_m * s.m; }
  std::uint32_t columns(const CooperativeShape& s) const { return subgroups_n * each_n * s.n; }
  std::uint32_t subgroups() const { return subgroups_m * subgroups_n; }
  std::uint32_t depth(const CooperativeShape& s) const { return deep * s.k; }
  /// Tiles of a and b, their lines 8 elements longer. What subgroups keep of their sums when they store them lies where
  /// the tile of a was.
  std::size_t shared_bytes(const CooperativeShape& s, const Product& p) const {
    const auto lines = [&](std::uint32_t across, bool transposed) {
      return 2 * (transposed ? depth(s) * (across + 8) : std::size_t{across} * (depth(s) + 8));
    };
    const std::size_t kept = std::size_t{4} * subgroups() * (s.m + each_n) * s.n;
    return std::max(lines(rows(s), p.transpose_a), kept) + lines(columns(s), !p.transpose_b);
  }
};

/// In order of preference, as measured with 132 multiprocessors that hold about 50 KiB of tiles each: two of the first
/// three run on one at a time. Where there are few workgroups deep tiles are faster, since more is on its way at once.
constexpr std::array<Fragments, 8> fragment_sizes = {{{2, 2, 4, 4, 2, 256},
                                                      {2, 2, 4, 3, 2, 256},
                                                      {2, 4, 4, 2, 4, 128},
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

/// Profiles of devices know the kernels by their names: the two dtypes' matrices may round differently.
std::string_view cooperative_name(const ProductSlots& slots) {
  return slots.operands == DType::bf16 ? "coopmat_bf16" : "coopmat_f16";
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
  const auto good = [&](const Fragments& f) {
    return fits(f, s, p, node.facts()) && tiles(p, f.rows(s), f.columns(s)) >= f.least;
  };
  const std::span<const Fragments> sizes = wide ? std::span<const Fragments>(fragment_sizes) : narrow_fragment_sizes;
  const auto found = std::ranges::find_if(sizes, good);
  const Fragments& f = found != sizes.end() ? *found : sizes.back();
  const std::uint32_t size = node.facts().subgroup_size;
  const std::uint32_t invocations = f.subgroups() * size;
  const Fixed fixed = fixed_of(p, f.depth(s));
  const bool even = slots.result == DType::f16 && node.facts().rounds_to_even_f16;
  const bool is_fixed = fixed.terms > 0 && (even || slots.result != DType::f16);
  dispatch(p, slots, node,
           {ir::cat("matmul_cooperative.", variant(slots), even ? "_even" : "", is_fixed ? "_fixed" : ""),
            {invocations, s.m, s.n, s.k, f.subgroups_m, f.subgroups_n, f.each_m, f.each_n, f.deep, transposed(p),
             wide, fixed.terms, fixed.a_line, fixed.b_line, invocations, fixed.whole},
            size},
           tiles(p, f.rows(s), f.columns(s)));
}

}  // namespace

void lower_product(const Product& product, const ProductSlots& slots, Lowering& node) {
  if (product.m == 1 || product.n == 1)
    return node.choose({
        {"vector_wide", [&] { return refuse_wide_vector(product, slots, node); },
         [&] { emit_wide_vector(product, slots, node); }},
        {"vector", [] { return std::nullopt; }, [&] { emit_vector(product, slots, node); }},
    });
  node.choose({
      {cooperative_name(slots), [&] { return refuse_cooperative(product, slots, node); },
       [&] { emit_cooperative(product, slots, node); }},
      {split_of(product, node.facts()).name(), [&] { return refuse_split(product, slots, node); },
       [&] { emit_split(product, slots, node); }},
      {"tiled_wide", [&] { return refuse_wide(product, slots, node); }, [&] { emit_wide(product, slots, node); }},
      {"tiled", [] { return std::nullopt; }, [&] { emit_tiled(product, slots, node); }},
  });
}

void lower_product(const Product& product, Lowering& node) {
  node.needs_its_types();
  const ProductSlots slots{node.in(0),
                           node.in(1),
                           node.in(product.has_c ? 2 : 0),
                           node.out(0),
                           node.in_type(0).dtype,
                           node.out_type(0).dtype};
  lower_product(product, slots, node);
}

}  // namespace plumb::gpu_vulkan
