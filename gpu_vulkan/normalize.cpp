#include "gpu_vulkan/normalize.hpp"

#include "gpu_vulkan/lines.hpp"

namespace plumb::gpu_vulkan {
namespace {

struct Block {
  std::uint32_t lines, length, slices, slice_length;
  float epsilon;
  std::array<std::uint32_t, 8> extents, scale_strides, bias_strides;
};

/// Writes the axes [begin, end) into the block from `next` on, innermost first, those
/// joined that scale and bias walk as one. Returns how many there are.
std::uint32_t write_axes(const Normalize& norm, std::size_t begin, std::size_t end, std::uint32_t next, Block& block) {
  const std::uint32_t first = next;
  for (std::size_t a = end; a-- > begin;) {
    const auto extent = static_cast<std::uint32_t>(norm.shape[a]);
    const auto scale = static_cast<std::uint32_t>(norm.scale_strides[a]);
    const auto bias = static_cast<std::uint32_t>(norm.bias_strides[a]);
    if (extent == 1) continue;
    if (next > first) {
      const std::uint32_t inner = block.extents[next - 1];
      if (scale == block.scale_strides[next - 1] * inner && bias == block.bias_strides[next - 1] * inner) {
        block.extents[next - 1] *= extent;
        continue;
      }
    }
    block.extents.at(next) = extent;
    block.scale_strides.at(next) = scale;
    block.bias_strides.at(next++) = bias;
  }
  return next - first;
}

}  // namespace

void lower_normalize(const Normalize& norm, Lowering& node) {
  node.needs_its_types();
  const ir::DType dtype = node.in_type(0).dtype;
  node.needs(dtype != ir::DType::f64, "shaders have no f64 square root within its bound");
  const ir::Lines lines = ir::lines_from(norm.shape, static_cast<std::int64_t>(norm.first));
  const LineShare share = share_lines(node.facts(), lines.outer, lines.length);
  Block block{static_cast<std::uint32_t>(lines.outer),
              static_cast<std::uint32_t>(lines.length),
              share.slices,
              share.slice_length,
              static_cast<float>(norm.epsilon),
              {},
              {},
              {}};
  const std::uint32_t inner = write_axes(norm, norm.first, norm.shape.size(), 0, block);
  const std::uint32_t outer = write_axes(norm, 0, norm.first, inner, block);

  const Slot x = norm.x.value_or(node.in(0)), y = norm.y.value_or(node.out(0)), scale = norm.has_scale ? node.in(1) : x;
  const Slot bias = norm.has_bias ? node.in(node.inputs() - 1) : x;
  const bool statistics = node.outputs() > 1;
  const auto dispatch = [&](LineStage stage, std::vector<Slot> reads, std::vector<Slot> writes) {
    writes.push_back(y);
    if (norm.has_statistics)
      for (const std::size_t i : {1, 2}) writes.push_back(statistics ? node.out(i) : y);
    node.dispatch({
        .shader = {ir::cat(norm.name, ".", dtype),
                   {share.threads, share.lanes, false, static_cast<std::uint32_t>(stage), inner, outer, norm.has_scale,
                    norm.has_bias, statistics}},
        .reads = std::move(reads),
        .writes = std::move(writes),
        .push = block,
        .groups = share.groups(lines.outer),
    });
  };
  // In one piece there are no partials; but their binding counts as written, so it must be none of what is read.
  if (share.slices == 1) return dispatch(LineStage::whole, {x, scale, bias}, {y});
  const Slot partials = node.scratch(static_cast<std::size_t>(lines.outer) * share.slices * 4 * sizeof(float));
  dispatch(LineStage::first, {x, scale, bias}, {partials});
  dispatch(LineStage::second, {x, scale, bias, partials}, {});
}

}  // namespace plumb::gpu_vulkan
