#include <algorithm>
#include <array>
#include <bit>

#include "gpu_vulkan/kernels/attention/attention_kernels.hpp"
#include "gpu_vulkan/kernels/attention/attention_sums.hpp"
#include "gpu_vulkan/kernels/common/full_subgroups.hpp"

namespace plumb::gpu_vulkan::kernels::attention {
namespace {

/// A workgroup of attention.comp: its invocations, and the scores that each of them computes.
struct Tile {
  RowsAndKeys threads, each;
  std::uint32_t rows() const { return threads.rows * each.rows; }
  std::uint32_t keys() const { return threads.keys * each.keys; }
  std::uint32_t invocations() const { return threads.rows * threads.keys; }

  /// Shared memory holds tiles of q, of k or v, and of the weights, and two numbers for each invocation and row.
  std::int64_t shared_bytes(const Extents& n, ir::DType dtype) const {
    const std::int64_t numbers =
        rows() * (n.D + 1) + keys() * (std::max(n.D, n.Dv) + 1) + rows() * (keys() + 1) + 2 * rows() * threads.keys;
    return numbers * static_cast<std::int64_t>(dtype == ir::DType::f64 ? sizeof(double) : sizeof(float));
  }
};

/// In order of preference.
constexpr std::array<Tile, 15> tiles = {{
    {.threads = {16, 16}, .each = {2, 2}},
    {.threads = {16, 16}, .each = {1, 2}},
    {.threads = {16, 16}, .each = {1, 1}},
    {.threads = {8, 16}, .each = {1, 2}},
    {.threads = {8, 16}, .each = {1, 1}},
    {.threads = {8, 8}, .each = {1, 1}},
    {.threads = {4, 32}, .each = {1, 1}},
    {.threads = {4, 16}, .each = {1, 1}},
    {.threads = {2, 32}, .each = {1, 1}},
    {.threads = {2, 16}, .each = {1, 1}},
    {.threads = {1, 64}, .each = {1, 1}},
    {.threads = {1, 32}, .each = {1, 1}},
    {.threads = {1, 16}, .each = {1, 1}},
    {.threads = {1, 8}, .each = {1, 1}},
    {.threads = {1, 4}, .each = {1, 1}},
}};

const Tile* find_tile(const device::DeviceFacts& facts, const AttentionProblem& problem) {
  const auto most_rows = std::bit_ceil(static_cast<std::uint64_t>(problem.n.Sq));
  for (const Tile& tile : tiles)
    if (tile.rows() <= most_rows && tile.invocations() <= common::most_invocations(facts) &&
        tile.shared_bytes(problem.n, problem.dtype) <= facts.shared_memory)
      return &tile;
  return nullptr;
}

/// Every block of keys is added up by itself: its weights by the invocations of a row, one after the other.
AttentionSums tiled_sums(const Tile& t) {
  using common::chain;
  return {.scores = {.unit = ir::SumUnit::either, .levels = {chain()}},
          .row_sum = {.levels = {chain(t.each.keys), common::lane_chain(t.threads.keys), chain()}},
          .values = {.unit = ir::SumUnit::either, .levels = {chain(t.keys()), chain()}},
          .block = t.keys()};
}

void emit_tiled(const AttentionProblem& problem, const Tile& t, plan::Lowering& node) {
  const std::uint32_t Dv = plan::word(problem.n.Dv);
  node.uses_tile(ir::cat(t.rows(), 'x', t.keys()));
  publish_sums(tiled_sums(t), problem.op, node);
  const plan::Constants tile = {{"invocations", t.invocations()},
                                {"row_threads", t.threads.rows},
                                {"key_threads", t.threads.keys},
                                {"rows_each", t.each.rows},
                                {"keys_each", t.each.keys},
                                {"D", plan::word(problem.n.D)},
                                {"Dv", Dv},
                                {"columns_each", (Dv + t.threads.keys - 1) / t.threads.keys},
                                {"may_mask", problem.may_mask}};
  const plan::Constants constants =
      tile.then(problem.score_constants()).then({{"has_sinks", problem.op.has_sinks}}).then(problem.key_constants());
  dispatch(problem, t.rows(), {.name = ir::cat("attention.", problem.variant()), .constants = constants}, node);
}

}  // namespace

plan::Attempt attempt_tiled(const AttentionProblem& problem, plan::Lowering& node) {
  const Tile* const tile = find_tile(node.facts(), problem);
  if (tile == nullptr)
    return plan::Refusal{ir::cat(node.facts().name, " has ", node.facts().shared_memory,
                                 " bytes of shared memory, too few for heads of ",
                                 std::max(problem.n.D, problem.n.Dv))};
  return plan::Emission{[&problem, &node, tile] { emit_tiled(problem, *tile, node); }};
}

}  // namespace plumb::gpu_vulkan::kernels::attention
