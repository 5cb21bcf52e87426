// Lowers rotary embeddings: an invocation turns a pair or copies elements; positions may choose the tables' rows.
#include "ir/ops/rope.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Rope& op, plan::Lowering& node) {
  const ir::TensorType& x = node.in_type(0);
  const ir::Shape& table = node.in_type(1).shape;
  node.needs(node.facts().holds(x.dtype), node.facts().name, " has no ", x.dtype, " in shaders");
  node.needs_its_sizes();
  const std::int64_t pairs = op.rotated(x.shape) / 2, units = x.shape[3] - pairs;
  const std::int64_t heads = op.heads(x.shape), sequence = op.sequence(x.shape), lines = x.shape[0] * heads * sequence;
  const bool own_positions = op.has_positions && node.in_type(3).shape.rank() == 2;
  const bool wide = op.has_positions && node.in_type(3).dtype == ir::DType::i64;
  struct Block {
    std::uint32_t count, units, pairs, depth, heads, sequence, offset, batch_rows, batch_positions, rows;
    kernels::common::Divisor by_units, by_heads, by_sequence;
    std::uint32_t node;
  };
  constexpr std::uint32_t threads = 128;
  plan::Shader shader{ir::cat("rope.", x.dtype),
                      {{"invocations", threads},
                       {"sequence_first", op.layout == ir::ops::RopeLayout::bshd},
                       {"interleaved", op.interleaved},
                       {"inverse", op.inverse}}};
  std::vector<plan::Slot> reads = {node.in(0), node.in(1), node.in(2)}, writes = {node.out(0)};
  if (op.has_positions) {
    shader.name = ir::cat("rope_at_positions.", x.dtype);
    shader.constants = shader.constants.then({{"position_words", wide ? 2u : 1u}});
    reads.push_back(node.in(3));
    writes.push_back(node.faults());
  }
  kernels::common::publish(
      {.of = ir::SumName::rotation, .unit = ir::SumUnit::either, .levels = {kernels::common::chain(2)}}, x.dtype, node);
  node.dispatch({
      .shader = std::move(shader),
      .reads = std::move(reads),
      .writes = std::move(writes),
      .push = Block{std::uint32_t(lines * units), std::uint32_t(units), std::uint32_t(pairs), std::uint32_t(x.shape[3]),
                    std::uint32_t(heads), std::uint32_t(sequence), std::uint32_t(op.offset),
                    std::uint32_t(table.rank() == 3 ? sequence : 0), std::uint32_t(own_positions ? sequence : 0),
                    std::uint32_t(table[0]), kernels::common::Divisor(units), kernels::common::Divisor(heads),
                    kernels::common::Divisor(sequence), node.node_number()},
      .groups = plan::groups_for(lines * units, threads),
  });
}

}  // namespace plumb::gpu_vulkan
