// Lowers causal convolution to one dispatch for the samples and, where taps reach back, one for the state.
#include "ir/ops/causal_conv.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/common/sums.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::ops::CausalConv;

constexpr std::uint32_t causal_threads = 128;

void convolve_chunk(const CausalConv& op, plan::Lowering& node) {
  const auto& [dtype, x] = node.in_type(0);
  constexpr std::int64_t each = 4;  // samples that an invocation makes
  const std::int64_t lines = x[0] * x[1], units = (x[2] + each - 1) / each;
  struct Block {
    std::array<std::uint32_t, 2> by_units, by_channels;
    std::uint32_t lines, units, channels, length, taps;
  };
  const kernels::common::Divisor by_units(units), by_channels(x[1]);
  ir::Sum sum{.unit = ir::SumUnit::either, .levels = kernels::common::in_chunks()};
  if (op.has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  if (op.activation == ir::ops::CausalActivation::silu) sum.epilogue.push_back(ir::SumStep::silu);
  kernels::common::publish(std::move(sum), dtype, node);
  node.dispatch({
      .shader = {ir::cat("causal_conv.", dtype),
                 {{"invocations", causal_threads},
                  {"has_bias", op.has_bias},
                  {"has_state", op.has_state},
                  {"is_silu", op.activation == ir::ops::CausalActivation::silu}}},
      .reads = {node.in(0), node.in(1), op.has_bias ? node.in(2) : node.in(1),
                op.has_state ? node.in(op.state_operand()) : node.in(0)},
      .writes = {node.out(0)},
      .push = Block{.by_units = {by_units.multiplier, by_units.shift},
                    .by_channels = {by_channels.multiplier, by_channels.shift},
                    .lines = plan::word(lines),
                    .units = plan::word(units),
                    .channels = plan::word(x[1]),
                    .length = plan::word(x[2]),
                    .taps = plan::word(node.in_type(1).shape.back())},
      .groups = plan::groups_for(lines * units, causal_threads),
  });
}

void keep_state(const CausalConv& op, plan::Lowering& node) {
  const auto& [dtype, shape] = node.out_type(1);
  struct Block {
    std::array<std::uint32_t, 2> by_kept;
    std::uint32_t elements, kept, length;
  };
  const kernels::common::Divisor by_kept(shape.back());
  node.dispatch({
      .shader = {ir::cat("causal_conv_state.w", ir::info(dtype).bytes),
                 {{"invocations", causal_threads}, {"has_state", op.has_state}}},
      .reads = {node.in(0), op.has_state ? node.in(op.state_operand()) : node.in(0)},
      .writes = {node.out(1)},
      .push = Block{.by_kept = {by_kept.multiplier, by_kept.shift},
                    .elements = plan::word(shape.elements()),
                    .kept = plan::word(shape.back()),
                    .length = plan::word(node.in_type(0).shape[2])},
      .groups = plan::groups_for(shape.elements(), causal_threads),
  });
}

}  // namespace

void lower(const CausalConv& op, plan::Lowering& node) {
  node.needs_its_types();
  if (node.out_type(0).shape.elements() > 0) convolve_chunk(op, node);
  if (node.out_type(1).shape.elements() > 0) keep_state(op, node);
}

}  // namespace plumb::gpu_vulkan
