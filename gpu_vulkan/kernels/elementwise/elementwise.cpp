// Dispatches elementwise shaders over broadcast loops, several packs of 16 bytes at once where rows consist of packs.
#include "gpu_vulkan/kernels/elementwise/elementwise.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/divisor.hpp"

namespace plumb::gpu_vulkan::kernels::elementwise {
namespace {

constexpr std::uint32_t threads = 128;  // every Vulkan device takes as many

struct Block {
  std::uint32_t count = 0;
  std::array<std::uint32_t, 7> multipliers{};
  std::array<std::uint8_t, 8> shifts{};
  std::array<std::array<std::uint32_t, 7>, 3> steps{};
};

/// Packs that an invocation reads before it stores the first: 64 bytes of an only operand, 32 of each of several. An
/// H200 copies at full speed by either, and functions hide behind more (docs/performance.md).
std::int64_t packs_at_once(std::int64_t pack, ir::DType dtype, std::size_t operands) {
  const std::int64_t bytes = pack * static_cast<std::int64_t>(ir::info(dtype).bytes);
  return std::clamp<std::int64_t>((operands == 1 ? 64 : 32) / bytes, 2, 4);  // MOST_UNITS of glsl/elementwise.glsl
}

Block block_of(const ir::kernels::BroadcastLoops& loops, std::int64_t count) {
  Block block{.count = plan::word(count)};
  for (std::size_t a = 0; a + 1 < loops.axes.size(); ++a) {
    const auto &axis = loops.axes[a], &inner = loops.axes[a + 1];
    const common::Divisor divisor(inner.extent);
    block.multipliers[a] = divisor.multiplier;
    block.shifts[a] = static_cast<std::uint8_t>(divisor.shift);
    for (std::size_t k = 0; k < axis.strides.size(); ++k)
      block.steps[k][a] = plan::word(axis.strides[k] - inner.extent * inner.strides[k]);
  }
  return block;
}

}  // namespace

/// The strides of operands that are dense in the last axis are multiples of its extent, and so of `pack`.
ir::kernels::BroadcastLoops in_units(ir::kernels::BroadcastLoops loops, std::int64_t pack) {
  const std::vector<std::int64_t> row = loops.row().strides;
  loops.axes.back().extent /= pack;
  for (std::size_t a = 0; a + 1 < loops.axes.size(); ++a)
    for (std::size_t k = 0; k < row.size(); ++k)
      if (row[k] == 1) loops.axes[a].strides[k] /= pack;
  return loops;
}

void elementwise(const Elementwise& kernel, const ElementwiseSlots& slots, plan::Lowering& node) {
  auto loops = ir::kernels::broadcast_loops(slots.result, slots.shapes);
  // A unit lies in one row; only the last one of a tensor of a single row may be short.
  const bool packed = kernel.pack > 1 && (loops.axes.size() == 1 || loops.row().extent % kernel.pack == 0);
  const std::int64_t width = packed ? kernel.pack : 1, count = slots.result.elements();
  if (loops.axes.size() > 1) loops = in_units(std::move(loops), width);
  std::uint32_t dense = 0;
  for (std::size_t k = 0; k < slots.shapes.size(); ++k) dense |= plan::word(loops.row().strides[k]) << k;
  const ir::DType dtype = node.in_type(node.inputs() - 1).dtype;
  const std::int64_t units = packed ? packs_at_once(kernel.pack, dtype, slots.shapes.size()) : 1;
  const plan::Constants of_loops = {{"invocations", threads},
                                    {"axes", plan::word(std::ssize(loops.axes))},
                                    {"packs", packed ? plan::word(units) : 0},
                                    {"dense", dense}};
  node.dispatch({
      .shader = {.name = kernel.shader, .constants = of_loops.then(kernel.constants), .elementwise = kernel.kind},
      .reads = slots.reads,
      .writes = {slots.write},
      .push = block_of(loops, count),
      .groups = plan::groups_for((count + width - 1) / width, threads * units),
  });
}

void elementwise(const Elementwise& kernel, plan::Lowering& node) {
  ElementwiseSlots slots{{}, {}, node.out(0), node.out_type(0).shape};
  for (const std::size_t k : kernel.operands) {
    slots.shapes.push_back(node.in_type(k).shape);
    slots.reads.push_back(node.in(k));
  }
  elementwise(kernel, slots, node);
}

}  // namespace plumb::gpu_vulkan::kernels::elementwise
