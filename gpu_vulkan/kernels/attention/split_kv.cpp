// Attention of few queries over many keys: splits of the keys go to workgroups, and a second dispatch combines them.
#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/attention/attention_kernels.hpp"
#include "gpu_vulkan/kernels/attention/attention_sums.hpp"
#include "gpu_vulkan/kernels/common/full_subgroups.hpp"
#include "gpu_vulkan/kernels/rows/rows.hpp"

namespace plumb::gpu_vulkan::kernels::attention {
namespace {

std::uint32_t power(std::int64_t n) { return std::bit_ceil(static_cast<std::uint32_t>(std::max<std::int64_t>(1, n))); }

/// A workgroup of the first dispatch: one split of the keys of a kv head, and some of the queries that share the head.
struct SplitTile {
  std::uint32_t threads, subgroup_size;
  std::uint32_t rows;             ///< queries
  std::uint32_t keys;             ///< keys of a block
  std::uint32_t keys_per_lane;    ///< keys and values that a lane reads at once
  std::uint32_t lanes_per_key;    ///< neighbouring lanes that read a key, 16 bytes at a time
  std::uint32_t lanes_per_value;  ///< neighbouring lanes that read a value
  std::int64_t q_pitch;           ///< elements of a staged query
  std::int64_t splits, tasks;

  std::int64_t shared_bytes(const Extents& n) const {
    const std::int64_t floats = rows * (q_pitch + keys + 1 + n.Dv) + 2 * threads / subgroup_size;
    return floats * static_cast<std::int64_t>(sizeof(float));
  }
};

std::int64_t elements_of_piece(ir::DType dtype) { return 16 / static_cast<std::int64_t>(ir::info(dtype).bytes); }

SplitTile split_tile_of(const AttentionProblem& problem, const device::DeviceFacts& facts) {
  constexpr std::uint32_t most_lanes = 16, most_rows = 4, most_keys_per_lane = 4;
  constexpr std::uint32_t most_results = 64, most_terms = 32;  // that a lane holds in registers
  constexpr std::int64_t enough_groups = 512, most_splits = 128, min_split = 128;
  const Extents& n = problem.n;
  const std::int64_t piece = elements_of_piece(problem.keys_dtype);
  SplitTile t{};
  t.subgroup_size = facts.subgroup_size;
  t.threads = std::max(std::min(128u, common::most_invocations(facts)), t.subgroup_size);
  t.keys = 256;
  const auto lanes_for = [&](std::int64_t pieces) { return std::min({power(pieces), most_lanes, t.subgroup_size}); };
  const auto per_lane = [&](std::int64_t width, std::uint32_t lanes) {  // elements of a line
    return static_cast<std::uint32_t>((width / piece + lanes - 1) / lanes * piece);
  };
  t.lanes_per_key = lanes_for(n.D / piece);
  t.lanes_per_value = lanes_for(n.Dv / piece);
  const std::uint32_t k_per_lane = per_lane(n.D, t.lanes_per_key), v_per_lane = per_lane(n.Dv, t.lanes_per_value);
  t.keys_per_lane = std::clamp(std::bit_floor(most_terms / std::max(k_per_lane, v_per_lane)), 1u, most_keys_per_lane);
  const std::int64_t queries = n.Hq / n.Hk * n.Sq;
  t.rows = std::min({power(queries), std::clamp(std::bit_floor(most_results / v_per_lane), 1u, most_rows), t.threads});
  t.q_pitch = std::int64_t{k_per_lane} * t.lanes_per_key;
  const std::int64_t blocks = n.B * n.Hk * ((queries + t.rows - 1) / t.rows);
  t.splits = std::clamp<std::int64_t>(enough_groups / std::max<std::int64_t>(blocks, 1), 1,
                                      std::min<std::int64_t>(most_splits, (n.Sk + min_split - 1) / min_split));
  t.tasks = blocks * t.splits;
  return t;
}

/// A workgroup of attention_combine.comp: it adds parts of the splits side by side, each by as many invocations as y
/// has elements.
struct CombineTile {
  std::uint32_t threads, columns;
  std::int64_t parts() const { return threads / columns; }
  std::int64_t splits_each(std::int64_t splits) const { return (splits + parts() - 1) / parts(); }
};

CombineTile combine_tile_of(const SplitTile& t, const Extents& n, const device::DeviceFacts& facts) {
  const std::uint32_t threads = std::max(std::min(512u, common::most_invocations(facts)), t.subgroup_size);
  return {threads, std::min(power(n.Dv), threads)};
}

/// Scores are added by lanes that share a key; weights by lanes that share a row, block after block; values by lanes
/// that take every so-manyth key, of which those of a subgroup meet first. Splits come last.
AttentionSums split_sums(const SplitTile& t, const CombineTile& combine) {
  using common::chain, common::lanes, common::without_single;
  const std::int64_t lanes_per_row = t.threads / t.rows, keys_at_once = t.subgroup_size / t.lanes_per_value;
  return {.scores = {.unit = ir::SumUnit::either,
                     .levels = without_single({chain(), lanes(t.lanes_per_key)}),
                     .order = common::order::pieces},
          .row_sum = {.levels = without_single({chain((t.keys + lanes_per_row - 1) / lanes_per_row),
                                                lanes(lanes_per_row),
                                                chain(),
                                                {.count = t.splits, .join = ir::SumJoin::pair}}),
                      .order = common::order::shuffled},
          .values = {.unit = ir::SumUnit::either,
                     .levels =
                         without_single({chain(), lanes(keys_at_once), common::lane_chain(t.threads / t.subgroup_size),
                                         chain(combine.splits_each(t.splits)), chain(combine.parts())}),
                     .order = common::order::shuffled},
          .block = t.keys};
}

/// The results of the first dispatch for each query and split.
struct SplitResults {
  plan::Slot products;    ///< the weighted sum of values, not yet divided
  plan::Slot statistics;  ///< the row max and the sum of weights
};

void dispatch_splits(const AttentionProblem& problem, const SplitTile& t, const SplitResults& results,
                     plan::Lowering& node) {
  AttentionBlock block = problem.block;
  block.tasks = plan::word(t.tasks);
  block.splits = plan::word(t.splits);
  const bool keeps_denormals = problem.keys_dtype == ir::DType::f16 && node.facts().denormals_kept_f16;
  const rows::HeldRows held{.threads = t.threads, .lanes = t.threads / t.rows, .subgroup_size = t.subgroup_size};
  const plan::Constants tile = {{"rows", t.rows},
                                {"keys", t.keys},
                                {"keys_per_lane", t.keys_per_lane},
                                {"D", plan::word(problem.n.D)},
                                {"Dv", plan::word(problem.n.Dv)},
                                {"lanes_per_key", t.lanes_per_key},
                                {"lanes_per_value", t.lanes_per_value},
                                {"may_mask", problem.may_mask}};
  const plan::Constants constants = tile.then(problem.score_constants()).then(problem.key_constants());
  node.dispatch({.shader = held.shader(
                     ir::cat("attention_split_kv.", problem.variant(), keeps_denormals ? "_kept" : ""), constants),
                 .reads = problem.reads,
                 .writes = {results.products, results.statistics},
                 .push = block,
                 .groups = plan::groups_for(t.tasks)});
}

void dispatch_combine(const AttentionProblem& problem, const SplitTile& t, const CombineTile& combine,
                      const SplitResults& results, plan::Lowering& node) {
  struct Block {
    std::uint32_t queries, Hq, Sq, Dv;
    HeadStrides y;
    std::uint32_t splits;
  };
  const AttentionBlock& block = problem.block;
  const std::uint32_t queries = plan::word(problem.n.B) * block.Hq * block.Sq;
  const rows::HeldRows held{.threads = combine.threads, .lanes = combine.threads, .subgroup_size = t.subgroup_size};
  node.dispatch(
      {.shader = held.shader(
           ir::cat("attention_combine.", problem.dtype),
           {{"most_splits", plan::word(t.splits)}, {"columns", combine.columns}, {"has_sinks", problem.op.has_sinks}}),
       .reads = {results.products, results.statistics, problem.sinks},
       .writes = {node.out(0)},
       .push = Block{queries, block.Hq, block.Sq, plan::word(problem.n.Dv), block.y, plan::word(t.splits)},
       .groups = plan::groups_for(queries)});
}

void emit_split_kv(const AttentionProblem& problem, const SplitTile& t, plan::Lowering& node) {
  const Extents& n = problem.n;
  const auto floats = [&](std::int64_t each) {
    return node.scratch(static_cast<std::size_t>(n.B * n.Hq * n.Sq * t.splits * each) * sizeof(float));
  };
  const plan::Slot products = floats(n.Dv), statistics = floats(2);
  const CombineTile combine = combine_tile_of(t, n, node.facts());
  node.uses_tile(ir::cat(t.rows, 'x', t.keys));
  publish_sums(split_sums(t, combine), problem.op, node);
  dispatch_splits(problem, t, {products, statistics}, node);
  dispatch_combine(problem, t, combine, {products, statistics}, node);
}

}  // namespace

plan::Attempt attempt_split_kv(const AttentionProblem& problem, plan::Lowering& node) {
  constexpr std::int64_t most_queries = 8, min_keys = 256;
  const device::DeviceFacts& facts = node.facts();
  const Extents& n = problem.n;
  if (problem.dtype == ir::DType::f64) return plan::Refusal{"operands are f64, it adds in f32"};
  if (n.Sq > most_queries) return plan::Refusal{ir::cat("more than ", most_queries, " queries")};
  if (n.Sk < min_keys) return plan::Refusal{ir::cat("fewer than ", min_keys, " keys")};
  const std::int64_t piece = elements_of_piece(problem.keys_dtype);
  if (n.D % piece != 0 || n.Dv % piece != 0)
    return plan::Refusal{ir::cat("heads are no multiples of ", piece, " wide")};
  if (n.Dv == 0) return plan::Refusal{"values have no elements"};
  if (!facts.subgroup_shuffle || !facts.subgroup_size_control)
    return plan::Refusal{facts.name + " has no shuffles in subgroups"};
  const SplitTile tile = split_tile_of(problem, facts);
  if (tile.shared_bytes(n) > facts.shared_memory) return plan::Refusal{facts.name + " has too little shared memory"};
  return plan::Emission{[&problem, &node, tile] { emit_split_kv(problem, tile, node); }};
}

}  // namespace plumb::gpu_vulkan::kernels::attention
