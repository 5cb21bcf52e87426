// Lowers a region, elementwise ops fused into one generated kernel, to a dispatch over their common broadcast loops.
#include "gpu_vulkan/fused_ops/region.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"
#include "ir/schema.hpp"

namespace plumb::gpu_vulkan::fused_ops {
namespace {

constexpr std::uint32_t threads = 128;  // every Vulkan device takes as many

}  // namespace

ir::TensorTypes Region::infer(ir::Types in) const {
  ir::Shape shape = in[0].shape;
  for (const ir::TensorType& x : in) {
    ir::check(*this, 1, ir::broadcastable(shape, x.shape), "got ", shape, " and ", x.shape);
    shape = ir::broadcast(shape, x.shape);
  }
  ir::TensorTypes types;
  for (const std::size_t step : results) types.push_back({steps.at(step).dtype, shape});
  return types;
}

std::string steps_of(const Region& region) {
  std::string text;
  for (const RegionStep& step : region.steps) {
    text += text.empty() ? "" : ", ";
    text += step.op.function();
  }
  return text;
}

std::optional<std::array<std::uint32_t, 32>> region_block(const ir::kernels::BroadcastLoops& loops,
                                                          std::int64_t count) {
  const std::size_t outer = loops.axes.size() - 1, operands = loops.row().strides.size();
  std::array<std::uint32_t, 32> block{};
  if (1 + outer * (2 + operands) > block.size()) return std::nullopt;
  block[0] = plan::word(count);
  for (std::size_t a = 0; a < outer; ++a) {
    const auto &axis = loops.axes[a], &inner = loops.axes[a + 1];
    const kernels::common::Divisor divisor(inner.extent);
    block[1 + a] = divisor.multiplier;
    block[1 + outer + a] = divisor.shift;
    for (std::size_t k = 0; k < operands; ++k)
      block[1 + (2 + k) * outer + a] = plan::word(axis.strides[k] - inner.extent * inner.strides[k]);
  }
  return block;
}

void lower(const Region& op, plan::Lowering& node) {
  node.needs_its_types();
  std::vector<ir::Shape> shapes;
  std::vector<plan::Slot> reads, writes;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    shapes.push_back(node.in_type(i).shape);
    reads.push_back(node.in(i));
  }
  for (std::size_t i = 0; i < node.outputs(); ++i) writes.push_back(node.out(i));
  const ir::Shape& shape = node.out_type(0).shape;
  const std::int64_t count = shape.elements(), pack = 8;  // as glsl/region.glsl has it
  auto loops = ir::kernels::broadcast_loops(shape, shapes);
  // Small tensors: one element per invocation, latency-bound.
  constexpr std::int64_t few = 1 << 16;
  const bool packed = count > few && (loops.axes.size() == 1 || loops.row().extent % pack == 0);
  if (packed && loops.axes.size() > 1) loops = kernels::elementwise::in_units(std::move(loops), pack);
  std::uint32_t dense = 0;
  for (std::size_t k = 0; k < shapes.size(); ++k) dense |= plan::word(loops.row().strides[k]) << k;
  const auto block = region_block(loops, count);
  node.needs(block.has_value(), "there are more strides than push constants hold");
  const std::int64_t each = packed ? pack : 1;
  node.dispatch({
      .shader = {op.kernel,
                 {{"invocations", threads},
                  {"axes", plan::word(std::ssize(loops.axes))},
                  {"is_packed", packed},
                  {"dense", dense}},
                 0,
                 op.words},
      .reads = std::move(reads),
      .writes = std::move(writes),
      .push = *block,
      .groups = plan::groups_for((count + each - 1) / each, threads),
      .steps = steps_of(op),
  });
}

}  // namespace plumb::gpu_vulkan::fused_ops

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::gpu_vulkan::fused_ops::Region>();
