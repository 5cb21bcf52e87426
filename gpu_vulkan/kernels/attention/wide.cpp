#include <algorithm>
#include <array>

#include "gpu_vulkan/kernels/attention/attention_kernels.hpp"
#include "gpu_vulkan/kernels/attention/attention_sums.hpp"

namespace plumb::gpu_vulkan::kernels::attention {
namespace {

/// A workgroup of attention_wide.comp: its invocations, and the scores that each of them computes.
struct WideTile {
  RowsAndKeys threads, each;
  std::uint32_t depth;      ///< elements of a head that are staged at a time for scores
  std::uint32_t each_step;  ///< columns of its scores that an invocation takes at a time for values

  std::uint32_t rows() const { return threads.rows * each.rows; }
  std::uint32_t keys() const { return threads.keys * each.keys; }
  std::uint32_t invocations() const { return threads.rows * threads.keys; }
  /// Shared memory holds tiles of q and k, or of the weights and v, in pieces of 16 bytes.
  std::size_t shared_bytes(const Extents& n) const {
    const std::size_t columns = (static_cast<std::size_t>(n.Dv) + 4 * threads.keys - 1) / (4 * threads.keys);
    const std::size_t for_scores = (rows() + keys()) * depth / 4;
    const std::size_t for_results = threads.keys * each_step * (rows() / 4 + 1 + columns * threads.keys);
    return 16 * (std::max(for_scores, for_results) + 1);
  }
};

/// In order of preference: two for subgroups of 16 and more, one for subgroups of 8.
constexpr std::array<WideTile, 3> wide_tiles = {{
    {.threads = {16, 16}, .each = {8, 8}, .depth = 16, .each_step = 2},
    {.threads = {8, 16}, .each = {8, 8}, .depth = 16, .each_step = 1},
    {.threads = {16, 8}, .each = {8, 8}, .depth = 16, .each_step = 2},
}};

const WideTile* find_wide_tile(const device::DeviceFacts& facts, const Extents& n) {
  for (const WideTile& tile : wide_tiles)
    if (tile.threads.keys <= facts.subgroup_size && tile.invocations() % facts.subgroup_size == 0 &&
        tile.invocations() <= facts.max_invocations && tile.shared_bytes(n) <= facts.shared_memory)
      return &tile;
  return nullptr;
}

/// Invocations keep their part of a row's weights to the end, where they meet by shuffles.
AttentionSums wide_sums(const WideTile& t) {
  using common::chain;
  return {.scores = {.unit = ir::SumUnit::either, .levels = {chain()}},
          .row_sum = {.levels = {chain(), common::lanes(t.threads.keys)}, .order = common::order::shuffled},
          .values = {.unit = ir::SumUnit::either, .levels = {chain()}},
          .block = t.keys()};
}

void emit_wide(const AttentionProblem& problem, const WideTile& t, plan::Lowering& node) {
  const std::uint32_t lanes = node.facts().subgroup_size;
  node.uses_tile(ir::cat(t.rows(), 'x', t.keys()));
  publish_sums(wide_sums(t), problem.op, node);
  const plan::Constants tile = {{"invocations", t.invocations()},
                                {"subgroup_size", lanes},
                                {"row_threads", t.threads.rows},
                                {"key_threads", t.threads.keys},
                                {"rows_each", t.each.rows},
                                {"keys_each", t.each.keys},
                                {"depth", t.depth},
                                {"each_step", t.each_step},
                                {"D", plan::word(problem.n.D)},
                                {"Dv", plan::word(problem.n.Dv)},
                                {"may_mask", problem.may_mask}};
  dispatch(problem, t.rows(),
           {.name = "attention_wide",
            .constants = tile.then(problem.score_constants()).then({{"has_sinks", problem.op.has_sinks}}),
            .subgroup_size = lanes},
           node);
}

}  // namespace

plan::Attempt attempt_wide(const AttentionProblem& problem, plan::Lowering& node) {
  constexpr std::int64_t enough_queries = 32, widest = 256;
  const device::DeviceFacts& facts = node.facts();
  const Extents& n = problem.n;
  if (problem.dtype != ir::DType::f32) return plan::Refusal{ir::cat("operands are ", problem.dtype, ", it takes f32")};
  if (problem.keys_dtype != ir::DType::f32)
    return plan::Refusal{ir::cat("keys are ", problem.keys_dtype, ", it takes f32")};
  if (n.Dv > widest) return plan::Refusal{ir::cat("values are more than ", widest, " wide")};
  if (n.D % 4 != 0 || n.Dv % 4 != 0) return plan::Refusal{"heads are no multiples of 4 wide"};
  if (n.Sq < enough_queries) return plan::Refusal{ir::cat("a block of ", enough_queries, " queries would not be full")};
  if (!facts.subgroup_shuffle || !facts.subgroup_size_control)
    return plan::Refusal{facts.name + " has no shuffles in subgroups"};
  const WideTile* const tile = find_wide_tile(facts, n);
  if (tile == nullptr) return plan::Refusal{facts.name + " has too small workgroups or too little shared memory"};
  return plan::Emission{[&problem, &node, tile] { emit_wide(problem, *tile, node); }};
}

}  // namespace plumb::gpu_vulkan::kernels::attention
