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

void elementwise(const Elementwise& kernel, Lowering& node) {
  std::vector<ir::Shape> shapes = kernel.shapes;
  std::vector<Slot> reads;
  for (const std::size_t k : kernel.operands) {
    if (kernel.shapes.empty()) shapes.push_back(node.in_type(k).shape);
    reads.push_back(node.in(k));
  }
  for (const std::size_t k : kernel.alike) reads.push_back(node.in(k));
  const ir::Shape& y = node.out_type(0).shape;
  auto loops = ir::broadcast_loops(y, shapes);
  // A unit lies in one row; only the last one of a tensor of a single row may be short.
  const bool packed = kernel.pack > 1 && (loops.axes.size() == 1 || loops.row().extent % kernel.pack == 0);
  const std::int64_t width = packed ? kernel.pack : 1;
  if (loops.axes.size() > 1) loops = in_units(std::move(loops), width);
  std::uint32_t dense = 0;
  for (std::size_t k = 0; k < shapes.size(); ++k) dense |= word(loops.row().strides[k]) << k;
  std::vector<std::uint32_t> constants = {threads, word(std::ssize(loops.axes)), packed, dense};
  constants.insert(constants.end(), kernel.constants.begin(), kernel.constants.end());
  node.dispatch({
      .shader = {kernel.shader, std::move(constants)},
      .reads = std::move(reads),
      .writes = {node.out(0)},
      .push = block_of(loops, y.elements()),
      .groups = groups_for((y.elements() + width - 1) / width, threads),
  });
}

}  // namespace plumb::gpu_vulkan
