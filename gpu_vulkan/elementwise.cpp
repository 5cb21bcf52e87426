#include "gpu_vulkan/elementwise.hpp"

#include "gpu_vulkan/divisor.hpp"

namespace plumb::gpu_vulkan {
namespace {

constexpr std::uint32_t threads = 128;  // every Vulkan device takes as many

struct Block {
  std::uint32_t count = 0;
  std::array<std::uint32_t, 7> multipliers{};
  std::array<std::uint8_t, 8> shifts{};
  std::array<std::array<std::uint32_t, 7>, 3> steps{};
};

std::uint32_t word(std::int64_t x) { return static_cast<std::uint32_t>(x); }  // negative steps wrap

/// The loops over units of `pack` elements. The strides of operands that are dense in
/// the last axis are multiples of its extent, and so of `pack`.
ir::BroadcastLoops in_units(ir::BroadcastLoops loops, std::int64_t pack) {
  const std::vector<std::int64_t> row = loops.row().strides;
  loops.axes.back().extent /= pack;
  for (std::size_t a = 0; a + 1 < loops.axes.size(); ++a)
    for (std::size_t k = 0; k < row.size(); ++k)
      if (row[k] == 1) loops.axes[a].strides[k] /= pack;
  return loops;
}

Block block_of(const ir::BroadcastLoops& loops, std::int64_t count) {
  Block block{.count = word(count)};
  for (std::size_t a = 0; a + 1 < loops.axes.size(); ++a) {
    const auto &axis = loops.axes[a], &inner = loops.axes[a + 1];
    const Divisor divisor(inner.extent);
    block.multipliers[a] = divisor.multiplier;
    block.shifts[a] = static_cast<std::uint8_t>(divisor.shift);
    for (std::size_t k = 0; k < axis.strides.size(); ++k)
      block.steps[k][a] = word(axis.strides[k] - inner.extent * inner.strides[k]);
  }
  return block;
}

}  // namespace

void elementwise(const Elementwise& kernel, const ElementwiseSlots& slots, Lowering& node) {
  auto loops = ir::broadcast_loops(slots.result, slots.shapes);
  // A unit lies in one row; only the last one of a tensor of a single row may be short.
  const bool packed = kernel.pack > 1 && (loops.axes.size() == 1 || loops.row().extent % kernel.pack == 0);
  const std::int64_t width = packed ? kernel.pack : 1, count = slots.result.elements();
  if (loops.axes.size() > 1) loops = in_units(std::move(loops), width);
  std::uint32_t dense = 0;
  for (std::size_t k = 0; k < slots.shapes.size(); ++k) dense |= word(loops.row().strides[k]) << k;
  std::vector<std::uint32_t> constants = {threads, word(std::ssize(loops.axes)), packed, dense};
  constants.insert(constants.end(), kernel.constants.begin(), kernel.constants.end());
  node.dispatch({
      .shader = {kernel.shader, std::move(constants)},
      .reads = slots.reads,
      .writes = {slots.write},
      .push = block_of(loops, count),
      .groups = groups_for((count + width - 1) / width, threads),
  });
}

void elementwise(const Elementwise& kernel, Lowering& node) {
  ElementwiseSlots slots{{}, {}, node.out(0), node.out_type(0).shape};
  for (const std::size_t k : kernel.operands) {
    slots.shapes.push_back(node.in_type(k).shape);
    slots.reads.push_back(node.in(k));
  }
  elementwise(kernel, slots, node);
}

}  // namespace plumb::gpu_vulkan
