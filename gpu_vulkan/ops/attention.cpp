#include "ir/ops/attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "gpu_vulkan/attention_slices.hpp"
#include "gpu_vulkan/cooperative.hpp"
#include "gpu_vulkan/full_subgroups.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::Attention;
using Extents = Attention::Extents;

constexpr std::int64_t widest_head = 256;

/// How a workgroup is laid out over queries and keys: constants 1 to 4 of the shader.
struct Tile {
  std::uint32_t row_threads, key_threads, rows_each, keys_each;
  std::uint32_t rows() const { return row_threads * rows_each; }
  std::uint32_t keys() const { return key_threads * keys_each; }
  std::uint32_t threads() const { return row_threads * key_threads; }

  /// Of shared memory: tiles of q, of k or v, and of the weights; two numbers per thread and row.
  std::int64_t bytes(const Extents& n) const {
    const std::int64_t floats =
        rows() * (n.D + 1) + keys() * (std::max(n.D, n.Dv) + 1) + rows() * (keys() + 1) + 2 * rows() * key_threads;
    return floats * static_cast<std::int64_t>(sizeof(float));
  }
};

/// The best first.
constexpr Tile tiles[] = {{16, 16, 2, 2}, {16, 16, 1, 2}, {16, 16, 1, 1}, {8, 16, 1, 2}, {8, 16, 1, 1},
                          {8, 8, 1, 1},   {4, 32, 1, 1},  {4, 16, 1, 1},  {2, 32, 1, 1}, {2, 16, 1, 1},
                          {1, 64, 1, 1},  {1, 32, 1, 1},  {1, 16, 1, 1},  {1, 8, 1, 1}};

const Tile* find_tile(const DeviceFacts& facts, const Extents& n) {
  const auto most_rows = std::bit_ceil(static_cast<std::uint64_t>(n.Sq));
  for (const Tile& tile : tiles)
    if (tile.rows() <= most_rows && tile.threads() <= most_invocations(facts) && tile.bytes(n) <= facts.shared_memory)
      return &tile;
  return nullptr;
}

constexpr std::int64_t longest = std::int64_t{1} << 28;  // of Sq and Sk: positions and their sums are 32-bit
constexpr std::int64_t all_keys = 4 * longest;           // reaches every key from every query
constexpr std::int64_t far = std::int64_t{1} << 60;      // of offsets and windows, whose sums still fit

Sight sight(const Attention& op) {
  const auto clamped = [](std::int64_t x) { return static_cast<std::int32_t>(std::clamp(x, -all_keys, all_keys)); };
  const auto window = [](std::int64_t size) { return std::min(size, far); };
  const std::int64_t offset = std::clamp(op.query_offset.value_or(0), -far, far);
  Sight seen{clamped(-all_keys), clamped(all_keys)};
  if (op.left_window_size >= 0) seen.lowest = clamped(offset - window(op.left_window_size));
  if (op.right_window_size >= 0) seen.highest = clamped(offset + window(op.right_window_size));
  if (op.causal) seen.highest = std::min(seen.highest, clamped(offset));
  return seen;
}

HeadStrides strides(const Attention& op, std::int64_t heads, std::int64_t length, std::int64_t width) {
  const bool heads_first = op.layout == ir::ops::AttentionLayout::bhsd;
  return {static_cast<std::uint32_t>(heads_first ? length * width : width),
          static_cast<std::uint32_t>(heads_first ? width : heads * width)};
}

std::array<std::uint32_t, 4> score_strides(const ir::Shape& operand, const Extents& n) {
  const auto strides = ir::broadcast_strides(operand, {n.B, n.Hq, n.Sq, n.Sk});
  std::array<std::uint32_t, 4> narrow{};
  std::ranges::transform(strides, narrow.begin(), [](std::int64_t x) { return static_cast<std::uint32_t>(x); });
  return narrow;
}

void check_served(const Lowering& node, const Extents& n) {
  node.needs_its_types();
  node.needs(node.in_type(0).dtype != ir::DType::f64, "shaders have no f64 exponential");
  node.needs(n.D <= widest_head && n.Dv <= widest_head, "heads are at most ", widest_head, " wide here, D is ", n.D,
             ", Dv is ", n.Dv);
  node.needs(n.Sq < longest && n.Sk < longest, "sequences are shorter than 2^28 here, Sq is ", n.Sq, ", Sk is ", n.Sk);
  node.needs(node.facts().storage8, node.facts().name, " has no 8-bit elements in shaders, which read masks");
}

/// Every operand of the shader: q stands for those that are absent. Sets the strides
/// of mask and bias.
AttentionOperands optional_operands(const Attention& op, const Extents& n, const Lowering& node,
                                    AttentionBlock& block) {
  AttentionOperands operands{{node.in(0), node.in(1), node.in(2), node.in(0), node.in(0), node.in(0)}, 0};
  std::size_t next = 3;
  if (op.has_mask) {
    block.mask_strides = score_strides(node.in_type(next).shape, n);
    operands.reads[3] = node.in(next++);
  }
  if (op.has_bias) {
    block.bias_strides = score_strides(node.in_type(next).shape, n);
    operands.reads[4] = node.in(next++);
  }
  if (op.has_kv_lengths) {
    operands.length_words = node.in_type(next).dtype == ir::DType::i64 ? 2 : 1;
    operands.reads[5] = node.in(next);
  }
  return operands;
}

/// How the cooperative kernel's workgroup is laid out: subgroups, and matrices across keys of a block. Each subgroup
/// has a matrix of queries.
struct Fragments {
  std::uint32_t subgroups, across;

  std::uint32_t rows(const CooperativeShape& s) const { return subgroups * s.m; }
  std::uint32_t keys(const CooperativeShape& s) const { return across * s.n; }

  /// Of shared memory, as attention_cooperative.comp declares it.
  std::size_t bytes(const CooperativeShape& s, const Extents& n) const {
    const auto pitch = [&](std::int64_t width) { return (width + s.n - 1) / s.n * s.n / 8 + 1; };
    const auto pieces = std::max(keys(s) * (pitch(n.D) + pitch(n.Dv)), rows(s) * pitch(n.D));
    const std::size_t words = std::max(2 * s.m * (s.n / 2 + 4), s.m * s.n) + s.m;
    return 16 * static_cast<std::size_t>(pieces) + 4 * subgroups * words + 16;
  }
};

/// The best first. For heads of few matrices smaller workgroups, of which more run at a time, are faster than the
/// first.
constexpr Fragments fragments[] = {{8, 4}, {4, 2}, {4, 1}, {2, 1}};
constexpr std::int64_t narrow_head = 4;

const Fragments* find_fragments(const DeviceFacts& facts, const CooperativeShape& s, const Extents& n) {
  const bool is_narrow = std::max(n.D, n.Dv) <= narrow_head * s.n;
  for (const Fragments& f : std::span(fragments).subspan(is_narrow ? 1 : 0)) {
    const bool is_too_high = f.rows(s) >= 2 * std::max<std::int64_t>(n.Sq, 2 * s.m);
    const bool fits = f.bytes(s, n) <= facts.shared_memory;
    if (!is_too_high && fits && f.subgroups * facts.subgroup_size <= facts.max_invocations) return &f;
  }
  return nullptr;
}

std::optional<std::string> refuse_cooperative(const Extents& n, const Lowering& node) {
  const DeviceFacts& facts = node.facts();
  if (const auto refusal = refuse_cooperative_matrices(node.in_type(0).dtype, facts)) return refusal;
  const CooperativeShape& s = *f16_shape(facts);
  if (!facts.subgroup_shuffle) return facts.name + " has no shuffles in subgroups";
  if (n.D % 8 != 0 || n.Dv % 8 != 0) return "heads are no multiples of 8 wide";
  constexpr std::int64_t most_matrices = 16;  // of a query and of a result, all in registers
  if (n.D > most_matrices * s.n || n.Dv > most_matrices * s.n)
    return ir::cat("heads are wider than ", most_matrices, " matrices of ", s.m, "x", s.n);
  // Weights, which are products' results, are then factors.
  if (s.n != s.k || facts.subgroup_size % s.m != 0 || s.n % (facts.subgroup_size / s.m) != 0)
    return ir::cat(facts.name, " has subgroups of ", facts.subgroup_size, " for ", s.m, "x", s.n, "x", s.k);
  if (find_fragments(facts, s, n) == nullptr)
    return facts.name + " has too little shared memory or too small workgroups";
  return std::nullopt;
}

/// A workgroup of attention_wide.comp: constants 2 to 7.
struct WideTile {
  std::uint32_t row_threads, key_threads, rows_each, keys_each, depth, each_step;

  std::uint32_t rows() const { return row_threads * rows_each; }
  std::uint32_t threads() const { return row_threads * key_threads; }
  /// Of shared memory: tiles of q and k, or of the weights and v, in pieces of 16 bytes.
  std::size_t bytes(const Extents& n) const {
    const std::size_t columns = (static_cast<std::size_t>(n.Dv) + 4 * key_threads - 1) / (4 * key_threads);
    const std::size_t of_scores = (rows() + key_threads * keys_each) * depth / 4;
    const std::size_t of_results = key_threads * each_step * (rows() / 4 + 1 + columns * key_threads);
    return 16 * (std::max(of_scores, of_results) + 1);
  }
};

/// The best first: for subgroups of 16 and more, and of 8.
constexpr WideTile wide_tiles[] = {{16, 16, 8, 8, 16, 2}, {8, 16, 8, 8, 16, 1}, {16, 8, 8, 8, 16, 2}};

const WideTile* find_wide_tile(const DeviceFacts& facts, const Extents& n) {
  for (const WideTile& tile : wide_tiles)
    if (tile.key_threads <= facts.subgroup_size && tile.threads() % facts.subgroup_size == 0 &&
        tile.threads() <= facts.max_invocations && tile.bytes(n) <= facts.shared_memory)
      return &tile;
  return nullptr;
}

std::optional<std::string> refuse_wide(const Extents& n, const Lowering& node) {
  const DeviceFacts& facts = node.facts();
  if (node.in_type(0).dtype != ir::DType::f32) return ir::cat("operands are ", node.in_type(0).dtype, ", it takes f32");
  if (n.D % 4 != 0 || n.Dv % 4 != 0) return "heads are no multiples of 4 wide";
  constexpr std::int64_t enough_queries = 32;
  if (n.Sq < enough_queries) return ir::cat("a block of ", enough_queries, " queries would not be full");
  if (!facts.subgroup_shuffle || !facts.subgroup_size_control) return facts.name + " has no shuffles in subgroups";
  if (find_wide_tile(facts, n) == nullptr) return facts.name + " has too small workgroups or too little shared memory";
  return std::nullopt;
}

}  // namespace

void lower(const Attention& op, Lowering& node) {
  const Extents n = op.extents(node.in_type(0).shape, node.in_type(1).shape, node.in_type(2).shape);
  check_served(node, n);
  AttentionBlock block{.tasks = 0,
                       .Hq = static_cast<std::uint32_t>(n.Hq),
                       .share = static_cast<std::uint32_t>(n.Hq / n.Hk),
                       .Sq = static_cast<std::uint32_t>(n.Sq),
                       .Sk = static_cast<std::uint32_t>(n.Sk),
                       .q = strides(op, n.Hq, n.Sq, n.D),
                       .k = strides(op, n.Hk, n.Sk, n.D),
                       .v = strides(op, n.Hk, n.Sk, n.Dv),
                       .y = strides(op, n.Hq, n.Sq, n.Dv),
                       .mask_strides = {},
                       .bias_strides = {},
                       .scale = static_cast<float>(op.scale.value_or(1 / std::sqrt(static_cast<double>(n.D)))),
                       .softcap = static_cast<float>(op.softcap),
                       .sight = sight(op),
                       .bottom_right = op.query_offset ? 0u : 1u,
                       .slices = 1};
  const AttentionOperands operands = optional_operands(op, n, node, block);
  const bool hides = op.causal || op.left_window_size >= 0 || op.right_window_size >= 0 || op.has_mask || op.has_bias;
  const bool is_scaled_product = !op.has_bias && op.softcap == 0 && block.scale > 1e-9f && block.scale < 1e9f;
  const auto D = static_cast<std::uint32_t>(n.D), Dv = static_cast<std::uint32_t>(n.Dv);

  const auto emit = [&](const std::string& shader, std::vector<std::uint32_t> constants, std::uint32_t rows,
                        std::uint32_t subgroup_size) {
    block.tasks = static_cast<std::uint32_t>(n.B * n.Hq * ((n.Sq + rows - 1) / rows));
    node.dispatch({.shader = {shader, std::move(constants), subgroup_size},
                   .reads = operands.reads,
                   .writes = {node.out(0)},
                   .push = block,
                   .groups = groups_for(block.tasks)});
  };
  const auto emit_cooperative = [&] {
    const CooperativeShape& s = *f16_shape(node.facts());
    const Fragments& f = *find_fragments(node.facts(), s, n);
    const std::uint32_t lanes = node.facts().subgroup_size;
    emit("attention_cooperative",
         {f.subgroups * lanes, s.m, s.n, f.subgroups, lanes, 1u, f.keys(s), D, Dv, op.has_mask, op.has_bias,
          op.softcap > 0, operands.length_words, is_scaled_product},
         f.rows(s), lanes);
  };
  const auto emit_wide = [&] {
    const WideTile& t = *find_wide_tile(node.facts(), n);
    const std::uint32_t lanes = node.facts().subgroup_size;
    emit("attention_wide",
         {t.threads(), lanes, t.row_threads, t.key_threads, t.rows_each, t.keys_each, t.depth, t.each_step, D, Dv,
          hides, op.has_mask, op.has_bias, op.softcap > 0, operands.length_words},
         t.rows(), lanes);
  };
  const Tile* const tile = find_tile(node.facts(), n);
  const auto too_wide = [&]() -> std::optional<std::string> {
    if (tile != nullptr) return std::nullopt;
    return ir::cat(node.facts().name, " has ", node.facts().shared_memory,
                   " bytes of shared memory, too few for heads of ", std::max(n.D, n.Dv));
  };
  const auto emit_tiled = [&] {
    emit(ir::cat("attention.", node.in_type(0).dtype),
         {tile->threads(), tile->row_threads, tile->key_threads, tile->rows_each, tile->keys_each, D, Dv,
          (Dv + tile->key_threads - 1) / tile->key_threads, hides, op.has_mask, op.has_bias, op.softcap > 0,
          operands.length_words},
         tile->rows(), 0);
  };
  const SlicedAttention sliced{op, n, block, operands, hides};
  node.choose({
      {"sliced", [&] { return refuse_slices(sliced, node); }, [&] { emit_slices(sliced, node); }},
      {"coopmat_f16", [&] { return refuse_cooperative(n, node); }, emit_cooperative},
      {"tiled_wide", [&] { return refuse_wide(n, node); }, emit_wide},
      {"tiled", too_wide, emit_tiled},
  });
}

}  // namespace plumb::gpu_vulkan
