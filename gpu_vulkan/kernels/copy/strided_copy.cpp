// Copies by strides: element by element, or through square tiles in shared memory where rows become columns.
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

#include <algorithm>

#include "gpu_vulkan/kernels/common/divisor.hpp"

namespace plumb::gpu_vulkan::kernels::copy {
namespace {

using ir::kernels::CopyAxis;

constexpr std::uint32_t threads = 128;  // every Vulkan device takes as many

/// Element by element; strided_copy.comp says what the steps are.
void copy_elements(const ir::kernels::StridedCopy& copy, plan::Slot from, plan::Slot to, plan::Lowering& node) {
  struct Block {
    std::uint32_t count, from, to;
    std::array<std::uint32_t, 7> multipliers{};
    std::array<std::uint8_t, 8> shifts{};
    std::array<std::uint32_t, 8> from_steps{}, to_steps{};
  };
  auto axes = copy.axes;
  if (axes.empty()) axes.push_back({1, 1, 1});
  Block block{.count = plan::word(copy.elements()), .from = plan::word(copy.from), .to = plan::word(copy.to)};
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const CopyAxis inner = k + 1 < axes.size() ? axes[k + 1] : CopyAxis{1, 0, 0};
    block.from_steps[k] = plan::word(axes[k].from - inner.extent * inner.from);
    block.to_steps[k] = plan::word(axes[k].to - inner.extent * inner.to);
    if (k == 0) continue;
    const common::Divisor divisor(axes[k].extent);
    block.multipliers[k - 1] = divisor.multiplier;
    block.shifts[k - 1] = static_cast<std::uint8_t>(divisor.shift);
  }
  const std::uint32_t each = copy.width >= 16 ? 2 : 4;
  node.dispatch({
      .shader = {word_variant("strided_copy", copy.width, node),
                 {{"invocations", threads}, {"axes", plan::word(std::ssize(axes))}, {"each", each}}},
      .reads = {from},
      .writes = {to},
      .push = block,
      .groups = plan::groups_for(copy.elements(), std::int64_t{threads} * each),
  });
}

/// The axis along which x is dense while it is not along the last one, if both
/// are long enough to fill a good part of a tile; else the last.
std::size_t crossing_axis(const std::vector<CopyAxis>& axes) {
  const std::size_t last = axes.size() - 1;
  if (axes[last].from == 0 || axes[last].from == 1 || axes[last].extent < 8) return last;
  for (std::size_t k = 0; k < last; ++k)
    if (axes[k].from == 1 && axes[k].extent >= 8) return k;
  return last;
}

/// Rows and columns of the tile that moves words of `width` bytes. Wide tiles read and write memory in long
/// stretches; 16-bit words and bytes are held in 32 bits.
std::uint32_t tile_side(std::size_t width, std::int64_t shorter_extent, const device::DeviceFacts& facts) {
  if (width >= 16) return 16;
  const bool fits = 64 * 65 * std::max<std::size_t>(width, 4) <= facts.shared_memory;
  return fits && shorter_extent > 32 ? 64 : 32;
}

/// Through square tiles over the last axis and axis `down`.
void copy_tiles(const ir::kernels::StridedCopy& copy, std::size_t down, plan::Slot from, plan::Slot to,
                plan::Lowering& node) {
  struct Block {
    common::Divisor by_tiles_down, by_tiles_across;
    std::uint32_t tiles = 0, tiles_down, tiles_across, down, across, across_from, down_to, from, to;
    std::array<std::uint32_t, 6> extents{}, from_strides{}, to_strides{};
  };
  const CopyAxis i = copy.axes[down], j = copy.axes.back();
  const std::uint32_t side = tile_side(copy.width, std::min(i.extent, j.extent), node.facts()), rows = 4;
  const auto tiles = [&](std::int64_t extent) { return (extent + side - 1) / side; };
  std::int64_t count = tiles(i.extent) * tiles(j.extent);
  Block block{.by_tiles_down = common::Divisor(tiles(i.extent)),
              .by_tiles_across = common::Divisor(tiles(j.extent)),
              .tiles_down = plan::word(tiles(i.extent)),
              .tiles_across = plan::word(tiles(j.extent)),
              .down = plan::word(i.extent),
              .across = plan::word(j.extent),
              .across_from = plan::word(j.from),
              .down_to = plan::word(i.to),
              .from = plan::word(copy.from),
              .to = plan::word(copy.to)};
  std::uint32_t others = 0;
  for (std::size_t k = 0; k + 1 < copy.axes.size(); ++k) {
    if (k == down) continue;
    block.extents[others] = plan::word(copy.axes[k].extent);
    block.from_strides[others] = plan::word(copy.axes[k].from);
    block.to_strides[others++] = plan::word(copy.axes[k].to);
    count *= copy.axes[k].extent;
  }
  block.tiles = plan::word(count);
  node.dispatch({
      .shader = {word_variant("strided_transpose", copy.width, node),
                 {{"side", side}, {"rows", rows}, {"others", others}}},
      .reads = {from},
      .writes = {to},
      .push = block,
      .groups = plan::groups_for(count),
  });
}

/// The whole of operand 0, whatever its shape, into output 0. The node is called after what changes the copy.
void copy_whole(plan::Lowering& node) {
  const ir::TensorType& x = node.in_type(0);
  const ir::kernels::CopyAxis all{x.shape.elements(), 1, 1};
  strided_copy({.width = ir::info(x.dtype).bytes, .axes = {all}}, node.in(0), node.out(0), node);
  node.is_called("");
}

}  // namespace

bool begin_as_operand(plan::Lowering& node) {
  const bool is_in_place = node.writes_over(0);
  if (!is_in_place) copy_whole(node);
  return is_in_place;
}

void copy_operand(const std::string& why, plan::Lowering& node) {
  node.copies(why);
  copy_whole(node);
}

std::size_t word_width(std::size_t row_bytes) {
  std::size_t width = 16;
  while (row_bytes % width != 0) width /= 2;
  return width;
}

std::string word_variant(std::string_view shader, std::size_t width, const plan::Lowering& node) {
  const device::DeviceFacts& facts = node.facts();
  node.needs(width != 1 || facts.storage8, facts.name, " has no 8-bit elements in storage buffers");
  node.needs(width != 2 || facts.storage16, facts.name, " has no 16-bit elements in storage buffers");
  return ir::cat(shader, ".w", width);
}

void strided_copy(const ir::kernels::StridedCopy& given, plan::Slot from, plan::Slot to, plan::Lowering& node) {
  node.needs_its_sizes();
  const ir::kernels::StridedCopy copy = given.simplified();
  if (copy.axes.empty()) return copy_elements(copy, from, to, node);
  const std::size_t down = crossing_axis(copy.axes);
  if (down + 1 < copy.axes.size())
    copy_tiles(copy, down, from, to, node);
  else
    copy_elements(copy, from, to, node);
}

void strided_copy(const ir::kernels::StridedCopy& copy, plan::Lowering& node) {
  if (copy.is_plain() && node.in_type(0).bytes() == node.out_type(0).bytes())
    node.alias(0, 0);
  else
    strided_copy(copy, node.in(0), node.out(0), node);
}

}  // namespace plumb::gpu_vulkan::kernels::copy
