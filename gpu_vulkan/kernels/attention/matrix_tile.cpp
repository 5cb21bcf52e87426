// Code common to both cooperative-matrix attention kernels: the choice of a tile, staging, sums, and the dispatch.
#include "gpu_vulkan/kernels/attention/matrix_tile.hpp"

#include <algorithm>
#include <bit>

#include "gpu_vulkan/kernels/gemm/cooperative.hpp"

namespace plumb::gpu_vulkan::kernels::attention {

std::size_t staged_pitch(std::int64_t width, const device::CooperativeShape& s) {
  return static_cast<std::size_t>((width + s.n - 1) / s.n * s.n / 8 + 1);
}

const MatrixTile* find_matrix_tile(std::span<const MatrixTile> tiles, SharedBytes shared_bytes,
                                   const device::DeviceFacts& facts, const device::CooperativeShape& s,
                                   const Extents& n) {
  for (const MatrixTile& tile : tiles) {
    const bool is_too_wide = std::max(n.D, n.Dv) > tile.max_head_tiles * s.n;
    const bool is_too_high = tile.rows(s) >= 2 * std::max<std::int64_t>(n.Sq, 2 * s.m);
    const bool fits = shared_bytes(tile, s, n) <= facts.shared_memory &&
                      tile.subgroups * facts.subgroup_size <= facts.max_invocations;
    if (!is_too_wide && !is_too_high && fits) return &tile;
  }
  return nullptr;
}

plan::Refusal no_matrix_tile_fits(const device::DeviceFacts& facts) {
  return {facts.name + " has too little shared memory or too small workgroups"};
}

plan::Or<device::CooperativeShape> usable_head_shape(const AttentionProblem& problem, const plan::Lowering& node) {
  if (problem.keys_dtype != problem.dtype)
    return plan::Refusal{ir::cat("keys are ", problem.keys_dtype, " beside queries of ", problem.dtype)};
  auto usable = gemm::usable_shape(problem.dtype, node);
  if (std::holds_alternative<plan::Refusal>(usable)) return usable;
  const device::CooperativeShape& s = std::get<device::CooperativeShape>(usable);
  const Extents& n = problem.n;
  if (n.D % 8 != 0 || n.Dv % 8 != 0) return plan::Refusal{"heads are no multiples of 8 wide"};
  if (std::max(n.D, n.Dv) > widest_head_tiles * s.n)
    return plan::Refusal{ir::cat("heads are wider than ", widest_head_tiles, " matrices of ", s.m, "x", s.n)};
  return usable;
}

AttentionSums matrix_sums(std::uint32_t keys, const device::CooperativeShape& s, std::vector<ir::SumLevel> columns) {
  using common::chain, common::unit;
  columns.insert(columns.begin(), chain());
  return {.scores = {.unit = ir::SumUnit::matrix, .levels = {unit(s.k), chain()}},
          .row_sum = {.levels = std::move(columns), .order = common::order::shuffled},
          .values = {.unit = ir::SumUnit::matrix, .levels = {unit(s.k), chain()}, .order = common::order::in_parts},
          .block = keys};
}

void emit_matrix_kernel(const AttentionProblem& problem, const MatrixKernel& kernel, plan::Lowering& node) {
  const ir::ops::Attention& op = problem.op;
  const device::CooperativeShape& s = kernel.shape;
  const MatrixTile& tile = kernel.tile;
  const std::uint32_t lanes = node.facts().subgroup_size;
  const std::string name = ir::cat(tile.rows(s), 'x', tile.keys(s));
  node.uses_tile(name);
  // Scores are then products times a positive number: their order is that of the products.
  const auto scale = std::bit_cast<float>(problem.block.scale);
  const bool is_scaled_product = !op.has_bias && op.softcap == 0 && scale > 1e-9f && scale < 1e9f;
  const plan::Constants tiles = {{"invocations", tile.subgroups * lanes},
                                 {"M", s.m},
                                 {"N", s.n},
                                 {"subgroups", tile.subgroups},
                                 {"lanes", lanes},
                                 kernel.own,
                                 {"keys", tile.keys(s)},
                                 {"D", plan::word(problem.n.D)},
                                 {"Dv", plan::word(problem.n.Dv)}};
  const std::string buffers = kernel.own.value() == 1 ? "" : ir::cat(" in ", kernel.own.value(), " buffers");
  dispatch(problem, tile.rows(s),
           {.name = kernel.shader,
            .constants = tiles.then(problem.score_constants())
                             .then({{"is_scaled_product", is_scaled_product}, {"has_sinks", op.has_sinks}}),
            .subgroup_size = lanes,
            .cooperative =
                plan::CooperativeKernel{
                    .kind = kernel.kind, .operands = problem.dtype, .result = problem.dtype, .tile = name + buffers}},
           node);
}

}  // namespace plumb::gpu_vulkan::kernels::attention
