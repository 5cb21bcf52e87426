#include "ir/ops/attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "gpu_vulkan/fused_ops/viewed_attention.hpp"
#include "gpu_vulkan/kernels/attention/attention_slices.hpp"
#include "gpu_vulkan/kernels/attention/attention_sums.hpp"
#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "gpu_vulkan/kernels/gemm/cooperative.hpp"
#include "gpu_vulkan/kernels/gemm/gemm_kernels.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::Attention;
using Extents = Attention::Extents;

constexpr std::int64_t widest_head = 256;

/// How many there are over the queries and over the keys of a block.
struct Span {
  std::uint32_t rows, keys;
};

/// How a workgroup of attention.comp is laid out: its invocations, and the scores that each of them computes.
struct Tile {
  Span threads, each;
  std::uint32_t rows() const { return threads.rows * each.rows; }
  std::uint32_t keys() const { return threads.keys * each.keys; }
  std::uint32_t invocations() const { return threads.rows * threads.keys; }

  /// Of shared memory: tiles of q, of k or v, and of the weights; two numbers per thread and row.
  std::int64_t bytes(const Extents& n) const {
    const std::int64_t floats =
        rows() * (n.D + 1) + keys() * (std::max(n.D, n.Dv) + 1) + rows() * (keys() + 1) + 2 * rows() * threads.keys;
    return floats * static_cast<std::int64_t>(sizeof(float));
  }
};

/// The best first.
constexpr Tile tiles[] = {
    {.threads = {16, 16}, .each = {2, 2}}, {.threads = {16, 16}, .each = {1, 2}}, {.threads = {16, 16}, .each = {1, 1}},
    {.threads = {8, 16}, .each = {1, 2}},  {.threads = {8, 16}, .each = {1, 1}},  {.threads = {8, 8}, .each = {1, 1}},
    {.threads = {4, 32}, .each = {1, 1}},  {.threads = {4, 16}, .each = {1, 1}},  {.threads = {2, 32}, .each = {1, 1}},
    {.threads = {2, 16}, .each = {1, 1}},  {.threads = {1, 64}, .each = {1, 1}},  {.threads = {1, 32}, .each = {1, 1}},
    {.threads = {1, 16}, .each = {1, 1}},  {.threads = {1, 8}, .each = {1, 1}}};

const Tile* find_tile(const device::DeviceFacts& facts, const Extents& n) {
  const auto most_rows = std::bit_ceil(static_cast<std::uint64_t>(n.Sq));
  for (const Tile& tile : tiles)
    if (tile.rows() <= most_rows && tile.invocations() <= kernels::common::most_invocations(facts) &&
        tile.bytes(n) <= facts.shared_memory)
      return &tile;
  return nullptr;
}

constexpr std::int64_t longest = std::int64_t{1} << 28;  // of Sq and Sk: positions and their sums are 32-bit
constexpr std::int64_t all_keys = 4 * longest;           // reaches every key from every query
constexpr std::int64_t far = std::int64_t{1} << 60;      // of offsets and windows, whose sums still fit

kernels::attention::Sight sight(const Attention& op) {
  const auto clamped = [](std::int64_t x) { return static_cast<std::int32_t>(std::clamp(x, -all_keys, all_keys)); };
  const auto window = [](std::int64_t size) { return std::min(size, far); };
  const std::int64_t offset = std::clamp(op.query_offset.value_or(0), -far, far);
  kernels::attention::Sight seen{clamped(-all_keys), clamped(all_keys)};
  if (op.left_window_size >= 0) seen.lowest = clamped(offset - window(op.left_window_size));
  if (op.right_window_size >= 0) seen.highest = clamped(offset + window(op.right_window_size));
  if (op.causal) seen.highest = std::min(seen.highest, clamped(offset));
  return seen;
}

kernels::attention::HeadStrides strides(const Attention& op, std::int64_t heads, std::int64_t length,
                                        std::int64_t width) {
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

void check_served(const plan::Lowering& node, const Extents& n) {
  node.needs_its_types();
  node.needs(node.in_type(0).dtype != ir::DType::f64, "shaders have no f64 exponential");
  node.needs(n.D <= widest_head && n.Dv <= widest_head, "heads are at most ", widest_head, " wide here, D is ", n.D,
             ", Dv is ", n.Dv);
  node.needs(n.Sq < longest && n.Sk < longest, "sequences are shorter than 2^28 here, Sq is ", n.Sq, ", Sk is ", n.Sk);
  node.needs(node.facts().storage8, node.facts().name, " has no 8-bit elements in shaders, which read masks");
}

/// Every operand of the shader: q stands for those that are absent. Sets the strides
/// of mask and bias.
kernels::attention::AttentionOperands optional_operands(const Attention& op, const Extents& n,
                                                        const plan::Lowering& node,
                                                        kernels::attention::AttentionBlock& block) {
  kernels::attention::AttentionOperands operands{
      {node.in(0), node.in(1), node.in(2), node.in(0), node.in(0), node.in(0)}, 0};
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

/// How a workgroup of cooperative matrices is laid out. Each subgroup has a matrix of queries.
struct Fragments {
  std::uint32_t subgroups;
  std::uint32_t key_matrices;  ///< matrices over the keys of a block
  std::int64_t widest;         ///< the widest heads that it serves, in matrices
  std::uint32_t buffers = 1;   ///< blocks of keys that are staged at a time

  std::uint32_t rows(const device::CooperativeShape& s) const { return subgroups * s.m; }
  std::uint32_t keys(const device::CooperativeShape& s) const { return key_matrices * s.n; }
  static std::size_t pitch(std::int64_t width, const device::CooperativeShape& s) {
    return static_cast<std::size_t>((width + s.n - 1) / s.n * s.n / 8 + 1);
  }
};

/// Bytes of shared memory, as attention_cooperative.comp declares it.
std::size_t cooperative_bytes(const Fragments& f, const device::CooperativeShape& s, const Extents& n) {
  const auto pitch = [&](std::int64_t width) { return Fragments::pitch(width, s); };
  const std::size_t pieces = std::max(f.keys(s) * (pitch(n.D) + pitch(n.Dv)), f.rows(s) * pitch(n.D));
  const std::size_t words = std::max(2 * s.m * (s.n / 2 + 4), s.m * s.n) + s.m;
  return 16 * pieces + 4 * f.subgroups * words + 16;
}

/// Bytes of shared memory, as attention_converted.comp declares it. With two buffers for keys and two for values,
/// scores are computed while the weights of the block before are.
std::size_t converted_bytes(const Fragments& f, const device::CooperativeShape& s, const Extents& n) {
  const auto pitch = [&](std::int64_t width) { return Fragments::pitch(width, s); };
  const std::size_t of_keys = f.buffers * f.keys(s) * (pitch(n.D) + pitch(n.Dv));
  const std::int64_t strip = std::max<std::int64_t>(64, s.n);
  const std::size_t of_rows = f.rows(s) * std::max(pitch(n.D), pitch(std::min(n.Dv, strip)));
  return 16 * (std::max(of_keys, of_rows) + 1);
}

constexpr std::int64_t narrow_head = 4, widest_matrices = 16;  // of a query and of a result, all in registers

/// The best first. For heads of few matrices smaller workgroups, of which more run at a time, are faster.
constexpr Fragments cooperative_fragments[] = {{.subgroups = 4, .key_matrices = 2, .widest = narrow_head},
                                               {.subgroups = 4, .key_matrices = 1, .widest = narrow_head},
                                               {.subgroups = 8, .key_matrices = 4, .widest = widest_matrices},
                                               {.subgroups = 4, .key_matrices = 2, .widest = widest_matrices},
                                               {.subgroups = 4, .key_matrices = 1, .widest = widest_matrices},
                                               {.subgroups = 2, .key_matrices = 1, .widest = widest_matrices}};
constexpr Fragments converted_fragments[] = {
    {.subgroups = 4, .key_matrices = 2, .widest = 5},
    {.subgroups = 8, .key_matrices = 4, .widest = 6},
    {.subgroups = 8, .key_matrices = 2, .widest = 11, .buffers = 2},
    {.subgroups = 4, .key_matrices = 2, .widest = 12},
    {.subgroups = 4, .key_matrices = 1, .widest = widest_matrices, .buffers = 2},
    {.subgroups = 4, .key_matrices = 1, .widest = widest_matrices},
    {.subgroups = 2, .key_matrices = 1, .widest = widest_matrices}};

template <class Bytes>
const Fragments* find_fragments(std::span<const Fragments> options, Bytes bytes, const device::DeviceFacts& facts,
                                const device::CooperativeShape& s, const Extents& n) {
  for (const Fragments& f : options) {
    const bool is_too_wide = std::max(n.D, n.Dv) > f.widest * s.n;
    const bool is_too_high = f.rows(s) >= 2 * std::max<std::int64_t>(n.Sq, 2 * s.m);
    const bool fits = bytes(f, s, n) <= facts.shared_memory;
    if (!is_too_wide && !is_too_high && fits && f.subgroups * facts.subgroup_size <= facts.max_invocations) return &f;
  }
  return nullptr;
}

const Fragments* find_cooperative(const device::DeviceFacts& facts, const device::CooperativeShape& s,
                                  const Extents& n) {
  return find_fragments(cooperative_fragments, cooperative_bytes, facts, s, n);
}
const Fragments* find_converted(const device::DeviceFacts& facts, const device::CooperativeShape& s, const Extents& n) {
  return find_fragments(converted_fragments, converted_bytes, facts, s, n);
}

constexpr auto no_room = " has too little shared memory or too small workgroups";

const device::CooperativeShape& shape_of(const plan::Lowering& node) {
  return *kernels::gemm::shape_summed_in_f32(node.in_type(0).dtype, node.facts());
}

/// Why heads are not multiplied by such matrices, whichever kernel does it.
std::optional<std::string> refuse_heads(const Extents& n, const device::CooperativeShape& s) {
  if (n.D % 8 != 0 || n.Dv % 8 != 0) return "heads are no multiples of 8 wide";
  if (std::max(n.D, n.Dv) > widest_matrices * s.n)
    return ir::cat("heads are wider than ", widest_matrices, " matrices of ", s.m, "x", s.n);
  return std::nullopt;
}

std::optional<std::string> refuse_converted(const Extents& n, const plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const auto usable = kernels::gemm::usable_shape(node.in_type(0).dtype, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return refusal->why;
  const device::CooperativeShape& s = shape_of(node);
  if (const auto refusal = refuse_heads(n, s)) return refusal;
  if (!facts.cooperative_conversions) return facts.name + " has no cooperative matrices that change their use";
  if (!facts.subgroup_ballot) return facts.name + " has no ballots in subgroups";
  if (!facts.specials_kept_f32) return facts.name + " cannot be asked to keep NaN of f32";
  if (node.in_type(0).dtype == ir::DType::f16 && !facts.rounds_to_even_f16)
    return facts.name + " cannot be asked to round f16 to nearest even";
  // Weights, which are products' results, are then factors.
  if (s.n != s.k) return ir::cat(facts.name, " has matrices of ", s.m, "x", s.n, "x", s.k);
  if (find_converted(facts, s, n) == nullptr) return facts.name + no_room;
  return std::nullopt;
}

std::optional<std::string> refuse_cooperative(const Extents& n, const plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const ir::DType dtype = node.in_type(0).dtype;
  if (dtype != ir::DType::f16) return ir::cat("operands are ", dtype, ", it takes f16");
  const auto usable = kernels::gemm::usable_shape(dtype, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return refusal->why;
  const device::CooperativeShape& s = shape_of(node);
  if (const auto refusal = refuse_heads(n, s)) return refusal;
  if (!facts.subgroup_shuffle) return facts.name + " has no shuffles in subgroups";
  // Weights, which are products' results, are then factors.
  if (s.n != s.k || facts.subgroup_size % s.m != 0 || s.n % (facts.subgroup_size / s.m) != 0)
    return ir::cat(facts.name, " has subgroups of ", facts.subgroup_size, " for ", s.m, "x", s.n, "x", s.k);
  if (find_cooperative(facts, s, n) == nullptr) return facts.name + no_room;
  return std::nullopt;
}

/// How a workgroup of attention_wide.comp is laid out: its invocations, and the scores that each of them computes.
struct WideTile {
  Span threads, each;
  std::uint32_t depth;      ///< elements of a head that are staged at a time for scores
  std::uint32_t each_step;  ///< columns of its scores that an invocation takes at a time for values

  std::uint32_t rows() const { return threads.rows * each.rows; }
  std::uint32_t keys() const { return threads.keys * each.keys; }
  std::uint32_t invocations() const { return threads.rows * threads.keys; }
  /// Of shared memory: tiles of q and k, or of the weights and v, in pieces of 16 bytes.
  std::size_t bytes(const Extents& n) const {
    const std::size_t columns = (static_cast<std::size_t>(n.Dv) + 4 * threads.keys - 1) / (4 * threads.keys);
    const std::size_t of_scores = (rows() + keys()) * depth / 4;
    const std::size_t of_results = threads.keys * each_step * (rows() / 4 + 1 + columns * threads.keys);
    return 16 * (std::max(of_scores, of_results) + 1);
  }
};

/// The best first: for subgroups of 16 and more, and of 8.
constexpr WideTile wide_tiles[] = {{.threads = {16, 16}, .each = {8, 8}, .depth = 16, .each_step = 2},
                                   {.threads = {8, 16}, .each = {8, 8}, .depth = 16, .each_step = 1},
                                   {.threads = {16, 8}, .each = {8, 8}, .depth = 16, .each_step = 2}};

const WideTile* find_wide_tile(const device::DeviceFacts& facts, const Extents& n) {
  for (const WideTile& tile : wide_tiles)
    if (tile.threads.keys <= facts.subgroup_size && tile.invocations() % facts.subgroup_size == 0 &&
        tile.invocations() <= facts.max_invocations && tile.bytes(n) <= facts.shared_memory)
      return &tile;
  return nullptr;
}

std::optional<std::string> refuse_wide(const Extents& n, const plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  if (node.in_type(0).dtype != ir::DType::f32) return ir::cat("operands are ", node.in_type(0).dtype, ", it takes f32");
  if (n.D % 4 != 0 || n.Dv % 4 != 0) return "heads are no multiples of 4 wide";
  constexpr std::int64_t enough_queries = 32;
  if (n.Sq < enough_queries) return ir::cat("a block of ", enough_queries, " queries would not be full");
  if (!facts.subgroup_shuffle || !facts.subgroup_size_control) return facts.name + " has no shuffles in subgroups";
  if (find_wide_tile(facts, n) == nullptr) return facts.name + " has too small workgroups or too little shared memory";
  return std::nullopt;
}

using kernels::attention::AttentionSums;

/// Every block of keys is added up by itself: its weights by the invocations of a row, one after the other.
AttentionSums sums_of(const Tile& t) {
  using kernels::common::chain;
  return {.scores = {.unit = ir::SumUnit::fma, .levels = {chain()}},
          .row_sum = {.levels = {chain(t.each.keys), kernels::common::lane_chain(t.threads.keys), chain()}},
          .values = {.unit = ir::SumUnit::fma, .levels = {chain(t.keys()), chain()}},
          .block = t.keys()};
}

/// Invocations keep their part of a row's weights to the end, where they meet by shuffles.
AttentionSums sums_of(const WideTile& t) {
  using kernels::common::chain;
  return {.scores = {.unit = ir::SumUnit::fma, .levels = {chain()}},
          .row_sum = {.levels = {chain(), kernels::common::lanes(t.threads.keys)},
                      .order = kernels::common::order::shuffled},
          .values = {.unit = ir::SumUnit::fma, .levels = {chain()}},
          .block = t.keys()};
}

/// Every column of the matrices of weights has a sum of its own up to the end, where those of a row meet as `columns`
/// says. Values are multiplied by the parts of the weights in turn.
AttentionSums matrix_sums(const Fragments& f, const device::CooperativeShape& s, std::vector<ir::SumLevel> columns) {
  using kernels::common::chain, kernels::common::unit;
  columns.insert(columns.begin(), chain());
  return {.scores = {.unit = ir::SumUnit::matrix, .levels = {unit(s.k), chain()}},
          .row_sum = {.levels = std::move(columns), .order = kernels::common::order::shuffled},
          .values = {.unit = ir::SumUnit::matrix,
                     .levels = {unit(s.k), chain()},
                     .order = kernels::common::order::in_parts},
          .block = f.keys(s)};
}

/// Where q, k and v lie in what the node reads.
struct Operands {
  std::array<kernels::attention::HeadStrides, 3> strides;
  std::array<std::uint32_t, 3> begins;
};

void lower_attention(const Attention& op, const Extents& n, const Operands& read, plan::Lowering& node) {
  check_served(node, n);
  kernels::attention::AttentionBlock block{
      .tasks = 0,
      .Hq = static_cast<std::uint32_t>(n.Hq),
      .share = static_cast<std::uint32_t>(n.Hq / n.Hk),
      .Sq = static_cast<std::uint32_t>(n.Sq),
      .Sk = static_cast<std::uint32_t>(n.Sk),
      .q = read.strides[0],
      .k = read.strides[1],
      .v = read.strides[2],
      .y = strides(op, n.Hq, n.Sq, n.Dv),
      .mask_strides = {},
      .bias_strides = {},
      .scale = static_cast<float>(op.scale.value_or(1 / std::sqrt(static_cast<double>(n.D)))),
      .softcap = static_cast<float>(op.softcap),
      .sight = sight(op),
      .bottom_right = op.query_offset ? 0u : 1u,
      .slices = 1,
      .begins = read.begins};
  const kernels::attention::AttentionOperands operands = optional_operands(op, n, node, block);
  const bool hides = op.causal || op.left_window_size >= 0 || op.right_window_size >= 0 || op.has_mask || op.has_bias;
  const bool is_scaled_product = !op.has_bias && op.softcap == 0 && block.scale > 1e-9f && block.scale < 1e9f;
  const auto D = static_cast<std::uint32_t>(n.D), Dv = static_cast<std::uint32_t>(n.Dv);

  using Kind = plan::CooperativeKernel::Kind;
  const auto emit = [&](const std::string& shader, plan::Constants constants, std::uint32_t rows,
                        std::uint32_t subgroup_size, std::optional<plan::CooperativeKernel> cooperative = {}) {
    block.tasks = static_cast<std::uint32_t>(n.B * n.Hq * ((n.Sq + rows - 1) / rows));
    node.dispatch({.shader = {shader, std::move(constants), subgroup_size, {}, std::move(cooperative)},
                   .reads = operands.reads,
                   .writes = {node.out(0)},
                   .push = block,
                   .groups = plan::groups_for(block.tasks)});
  };
  const auto emit_matrices = [&](Kind kind, const std::string& shader, const Fragments& f, const plan::Constant& own) {
    const device::CooperativeShape& s = shape_of(node);
    const std::uint32_t lanes = node.facts().subgroup_size;
    node.uses_tile(ir::cat(f.rows(s), 'x', f.keys(s)));
    emit(shader,
         {{"invocations", f.subgroups * lanes},
          {"M", s.m},
          {"N", s.n},
          {"subgroups", f.subgroups},
          {"lanes", lanes},
          own,
          {"keys", f.keys(s)},
          {"D", D},
          {"Dv", Dv},
          {"has_mask", op.has_mask},
          {"has_bias", op.has_bias},
          {"capped", op.softcap > 0},
          {"length_words", operands.length_words},
          {"plain", is_scaled_product}},
         f.rows(s), lanes,
         plan::CooperativeKernel{.kind = kind,
                                 .operands = node.in_type(0).dtype,
                                 .result = node.in_type(0).dtype,
                                 .tile = ir::cat(f.rows(s), 'x', f.keys(s),
                                                 own.value() == 1 ? "" : ir::cat(" in ", own.value(), " buffers"))});
  };
  const auto emit_converted = [&] {
    const Fragments& f = *find_converted(node.facts(), shape_of(node), n);
    const device::CooperativeShape& s = shape_of(node);
    publish_sums(matrix_sums(f, s, {{.count = s.n, .take = ir::SumTake::every, .join = ir::SumJoin::unit}}), op, node);
    emit_matrices(Kind::converted_attention, ir::cat("attention_converted.", node.in_type(0).dtype), f,
                  {"buffers", f.buffers});
  };
  const auto emit_cooperative = [&] {
    const Fragments& f = *find_cooperative(node.facts(), shape_of(node), n);
    // Lanes that share a row add up its columns and meet by shuffles.
    const device::CooperativeShape& s = shape_of(node);
    const std::int64_t parts = node.facts().subgroup_size / s.m;
    publish_sums(matrix_sums(f, s, {kernels::common::chain(s.n / parts), kernels::common::lanes(parts)}), op, node);
    emit_matrices(Kind::attention, "attention_cooperative", f, {"each", 1u});
  };
  const auto emit_wide = [&] {
    const WideTile& t = *find_wide_tile(node.facts(), n);
    const std::uint32_t lanes = node.facts().subgroup_size;
    node.uses_tile(ir::cat(t.rows(), 'x', t.keys()));
    publish_sums(sums_of(t), op, node);
    emit("attention_wide",
         {{"invocations", t.invocations()},
          {"subgroup_size", lanes},
          {"row_threads", t.threads.rows},
          {"key_threads", t.threads.keys},
          {"rows_each", t.each.rows},
          {"keys_each", t.each.keys},
          {"depth", t.depth},
          {"each_step", t.each_step},
          {"D", D},
          {"Dv", Dv},
          {"hides", hides},
          {"has_mask", op.has_mask},
          {"has_bias", op.has_bias},
          {"capped", op.softcap > 0},
          {"length_words", operands.length_words}},
         t.rows(), lanes);
  };
  const Tile* const tile = find_tile(node.facts(), n);
  const auto too_wide = [&]() -> std::optional<std::string> {
    if (tile != nullptr) return std::nullopt;
    return ir::cat(node.facts().name, " has ", node.facts().shared_memory,
                   " bytes of shared memory, too few for heads of ", std::max(n.D, n.Dv));
  };
  const auto emit_tiled = [&] {
    node.uses_tile(ir::cat(tile->rows(), 'x', tile->keys()));
    publish_sums(sums_of(*tile), op, node);
    emit(ir::cat("attention.", node.in_type(0).dtype),
         {{"invocations", tile->invocations()},
          {"row_threads", tile->threads.rows},
          {"key_threads", tile->threads.keys},
          {"rows_each", tile->each.rows},
          {"keys_each", tile->each.keys},
          {"D", D},
          {"Dv", Dv},
          {"columns_each", (Dv + tile->threads.keys - 1) / tile->threads.keys},
          {"hides", hides},
          {"has_mask", op.has_mask},
          {"has_bias", op.has_bias},
          {"capped", op.softcap > 0},
          {"length_words", operands.length_words}},
         tile->rows(), 0);
  };
  const kernels::attention::SlicedAttention sliced{op, n, block, operands, hides};
  using device::KernelFamily;
  const auto attempt = [](auto refuse, auto emission) {
    return [=]() -> plan::Attempt { return plan::attempt_of(refuse(), emission); };
  };
  node.choose({
      {"sliced", KernelFamily::split_kv,
       attempt([&] { return kernels::attention::refuse_slices(sliced, node); },
               [&] { kernels::attention::emit_slices(sliced, node); })},
      {ir::cat(kernels::gemm::cooperative_name(node.in_type(0).dtype), "_converted"), KernelFamily::coopmat_converted,
       attempt([&] { return refuse_converted(n, node); }, emit_converted)},
      {"coopmat_f16", KernelFamily::coopmat, attempt([&] { return refuse_cooperative(n, node); }, emit_cooperative)},
      {"tiled_wide", KernelFamily::tiled_wide, attempt([&] { return refuse_wide(n, node); }, emit_wide)},
      {"tiled", KernelFamily::tiled, attempt(too_wide, emit_tiled)},
  });
}

}  // namespace

void lower(const Attention& op, plan::Lowering& node) {
  const Extents n = op.extents(node.in_type(0).shape, node.in_type(1).shape, node.in_type(2).shape);
  lower_attention(
      op, n, {{strides(op, n.Hq, n.Sq, n.D), strides(op, n.Hk, n.Sk, n.D), strides(op, n.Hk, n.Sk, n.Dv)}, {}}, node);
}

void fused_ops::lower(const ViewedAttention& op, plan::Lowering& node) {
  Operands read{};
  for (std::size_t i = 0; i < 3; ++i) {
    read.strides[i] = {plan::word(op.heads[i]), plan::word(op.rows[i])};
    read.begins[i] = plan::word(op.offsets[i]);
  }
  lower_attention(op, op.extents(), read, node);
}

}  // namespace plumb::gpu_vulkan
