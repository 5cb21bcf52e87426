// Lowers the choice of experts to a workgroup for each token.
#include "ir/ops/group_limited_gate.hpp"

#include <bit>

#include "gpu_vulkan/kernels/indexing/indexed.hpp"

namespace plumb::gpu_vulkan {
namespace {

std::array<std::uint32_t, 2> scale_words(ir::DType dtype, double scale) {
  if (dtype != ir::DType::f64) return {std::bit_cast<std::uint32_t>(static_cast<float>(scale)), 0};
  const auto bits = std::bit_cast<std::uint64_t>(scale);
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

}  // namespace

void lower(const ir::ops::GroupLimitedGate& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto& [dtype, shape] = node.in_type(0);
  constexpr std::uint32_t threads = 64;
  const std::size_t key_bytes = dtype == ir::DType::f64 ? 8 : 4;
  // Groups are held where not all of them are kept; graphs of few groups share a pipeline.
  const auto held = static_cast<std::uint32_t>(op.top_groups < op.num_groups ? op.num_groups : 1);
  const std::uint32_t most_groups = std::max(std::bit_ceil(held), threads);
  node.needs(most_groups * key_bytes + threads * (key_bytes + 4) <= node.facts().shared_memory, node.facts().name,
             " has too little shared memory for ", op.num_groups, " groups");
  struct Block {
    std::array<std::uint32_t, 2> scale;
    std::uint32_t tokens, count, groups, group_size, top_groups, top_k, by_sum, normalized, index_words;
  };
  node.dispatch({
      .shader = {ir::cat("group_limited_gate.", dtype), {{"invocations", threads}, {"most_groups", most_groups}}},
      .reads = {node.in(0), node.in(op.has_routing ? 1 : 0)},
      .writes = {node.out(0), node.out(1)},
      .push = Block{.scale = scale_words(dtype, op.scale),
                    .tokens = plan::word(shape[0]),
                    .count = plan::word(shape[1]),
                    .groups = plan::word(op.num_groups),
                    .group_size = plan::word(shape[1] / op.num_groups),
                    .top_groups = plan::word(op.top_groups),
                    .top_k = plan::word(op.top_k),
                    .by_sum = op.group_score == ir::ops::GroupScore::top2_sum ? 1u : 0u,
                    .normalized = op.is_normalized() ? 1u : 0u,
                    .index_words = kernels::indexing::index_words(op.index_dtype)},
      .groups = plan::groups_for(shape[0]),
  });
}

}  // namespace plumb::gpu_vulkan
