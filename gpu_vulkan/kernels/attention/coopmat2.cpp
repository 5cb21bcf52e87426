#include <algorithm>
#include <array>

#include "gpu_vulkan/kernels/attention/matrix_tile.hpp"

namespace plumb::gpu_vulkan::kernels::attention {
namespace {

/// In order of preference. Heads of few matrices are faster by smaller workgroups, of which more run at a time.
constexpr std::array<MatrixTile, 7> coopmat2_tiles = {{
    {.subgroups = 4, .n_tiles = 2, .max_head_tiles = 5},
    {.subgroups = 8, .n_tiles = 4, .max_head_tiles = 6},
    {.subgroups = 8, .n_tiles = 2, .max_head_tiles = 11, .buffers = 2},
    {.subgroups = 4, .n_tiles = 2, .max_head_tiles = 12},
    {.subgroups = 4, .n_tiles = 1, .max_head_tiles = widest_head_tiles, .buffers = 2},
    {.subgroups = 4, .n_tiles = 1, .max_head_tiles = widest_head_tiles},
    {.subgroups = 2, .n_tiles = 1, .max_head_tiles = widest_head_tiles},
}};

/// With two buffers for keys and two for values, scores are computed a block ahead of weights.
std::size_t coopmat2_bytes(const MatrixTile& t, const device::CooperativeShape& s, const Extents& n) {
  const std::size_t for_keys = t.buffers * t.keys(s) * (staged_pitch(n.D, s) + staged_pitch(n.Dv, s));
  const std::int64_t strip = std::max<std::int64_t>(64, s.n);
  const std::size_t for_rows = t.rows(s) * std::max(staged_pitch(n.D, s), staged_pitch(std::min(n.Dv, strip), s));
  return 16 * (std::max(for_keys, for_rows) + 1);
}

}  // namespace

plan::Attempt attempt_coopmat2(const AttentionProblem& problem, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  const auto usable = usable_head_shape(problem, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return *refusal;
  const device::CooperativeShape s = std::get<device::CooperativeShape>(usable);
  if (!facts.cooperative_conversions)
    return plan::Refusal{facts.name + " has no cooperative matrices that change their use"};
  if (!facts.subgroup_ballot) return plan::Refusal{facts.name + " has no ballots in subgroups"};
  if (!facts.specials_kept_f32) return plan::Refusal{facts.name + " cannot be asked to keep NaN of f32"};
  if (problem.dtype == ir::DType::f16 && !facts.rounds_to_even_f16)
    return plan::Refusal{facts.name + " cannot be asked to round f16 to nearest even"};
  // Weights, the result of one product, are an operand of the next.
  if (s.n != s.k) return plan::Refusal{ir::cat(facts.name, " has matrices of ", s.m, "x", s.n, "x", s.k)};
  const MatrixTile* const tile = find_matrix_tile(coopmat2_tiles, coopmat2_bytes, facts, s, problem.n);
  if (tile == nullptr) return no_matrix_tile_fits(facts);
  return plan::Emission{[&problem, &node, s, tile] {
    const ir::SumLevel row{.count = s.n, .take = ir::SumTake::every, .join = ir::SumJoin::unit};
    publish_sums(matrix_sums(tile->keys(s), s, {row}), problem.op, node);
    emit_matrix_kernel(problem,
                       {.kind = plan::CooperativeKernel::Kind::coopmat2_attention,
                        .shader = ir::cat("attention_coopmat2.", problem.dtype),
                        .shape = s,
                        .tile = *tile,
                        .own = {"buffers", tile->buffers}},
                       node);
  }};
}

}  // namespace plumb::gpu_vulkan::kernels::attention
