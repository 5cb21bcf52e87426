// Attention of f16 by VK_KHR_cooperative_matrix: tiles, what it asks of the device, and how it adds.
#include <algorithm>
#include <array>

#include "gpu_vulkan/kernels/attention/matrix_tile.hpp"

namespace plumb::gpu_vulkan::kernels::attention {
namespace {

constexpr std::int64_t narrow_head_tiles = 4;

/// In order of preference. Heads of few matrices are faster by smaller workgroups, of which more run at a time.
constexpr std::array<MatrixTile, 6> coopmat_tiles = {{
    {.subgroups = 4, .n_tiles = 2, .max_head_tiles = narrow_head_tiles},
    {.subgroups = 4, .n_tiles = 1, .max_head_tiles = narrow_head_tiles},
    {.subgroups = 8, .n_tiles = 4, .max_head_tiles = widest_head_tiles},
    {.subgroups = 4, .n_tiles = 2, .max_head_tiles = widest_head_tiles},
    {.subgroups = 4, .n_tiles = 1, .max_head_tiles = widest_head_tiles},
    {.subgroups = 2, .n_tiles = 1, .max_head_tiles = widest_head_tiles},
}};

std::size_t coopmat_bytes(const MatrixTile& t, const device::CooperativeShape& s, const Extents& n) {
  const std::size_t for_keys = t.keys(s) * (staged_pitch(n.D, s) + staged_pitch(n.Dv, s));
  const std::size_t for_queries = t.rows(s) * staged_pitch(n.D, s);
  const std::size_t words = std::max(2 * s.m * (s.n / 2 + 4), s.m * s.n) + s.m;
  return 16 * std::max(for_keys, for_queries) + 4 * t.subgroups * words + 16;
}

}  // namespace

plan::Attempt attempt_coopmat(const AttentionProblem& problem, plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  if (problem.dtype != ir::DType::f16) return plan::Refusal{ir::cat("operands are ", problem.dtype, ", it takes f16")};
  const auto usable = usable_head_shape(problem, node);
  if (const auto* refusal = std::get_if<plan::Refusal>(&usable)) return *refusal;
  const device::CooperativeShape s = std::get<device::CooperativeShape>(usable);
  if (!facts.subgroup_shuffle) return plan::Refusal{facts.name + " has no shuffles in subgroups"};
  // Weights, the result of one product, are an operand of the next; and lanes share out the rows of a matrix evenly.
  if (s.n != s.k || facts.subgroup_size % s.m != 0 || s.n % (facts.subgroup_size / s.m) != 0)
    return plan::Refusal{
        ir::cat(facts.name, " has subgroups of ", facts.subgroup_size, " for ", s.m, "x", s.n, "x", s.k)};
  const MatrixTile* const tile = find_matrix_tile(coopmat_tiles, coopmat_bytes, facts, s, problem.n);
  if (tile == nullptr) return no_matrix_tile_fits(facts);
  return plan::Emission{[&problem, &node, s, tile] {
    // The lanes of a row add up its columns and meet by shuffles.
    const std::int64_t parts = node.facts().subgroup_size / s.m;
    const auto sums = matrix_sums(tile->keys(s), s, {common::chain(s.n / parts), common::lanes(parts)});
    publish_sums(sums, problem.op, node);
    emit_matrix_kernel(problem,
                       {.kind = plan::CooperativeKernel::Kind::attention,
                        .shader = "attention_coopmat",
                        .shape = s,
                        .tile = *tile,
                        .own = {"m_tiles", 1u}},
                       node);
  }};
}

}  // namespace plumb::gpu_vulkan::kernels::attention
