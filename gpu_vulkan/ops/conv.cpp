#include "ir/ops/conv.hpp"

#include <algorithm>

#include "gpu_vulkan/lower.hpp"

namespace plumb::gpu_vulkan {
namespace {

using Axes = std::array<std::uint32_t, 3>;

/// glsl/convolution.glsl
struct Block {
  std::uint32_t batch, group, channels, filters;
  Axes extent{1, 1, 1}, positions{1, 1, 1}, kernel{1, 1, 1}, stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0};

  std::int64_t images() const { return std::int64_t{batch} * group; }
  std::int64_t positions_of_image() const { return std::int64_t{positions[0]} * positions[1] * positions[2]; }
};

Block block_of(const ir::ops::Conv& op, const Lowering& node) {
  const auto &x = node.in_type(0).shape, &w = node.in_type(1).shape;
  const auto u32 = [](std::int64_t n) { return static_cast<std::uint32_t>(n); };
  Block block{.batch = u32(x[0]), .group = u32(op.group), .channels = u32(w[1]), .filters = u32(w[0] / op.group)};
  const auto axes = op.axes(x, w);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const ir::Window& axis = axes[i];
    node.needs(axis.padded() < std::int64_t{1} << 31, "the padded image has ", axis.padded(),
               " positions on spatial axis ", i, ", shaders count to 2^31");
    const std::size_t at = 3 - axes.size() + i;
    block.extent[at] = u32(axis.extent), block.positions[at] = u32(axis.positions());
    block.kernel[at] = u32(axis.kernel), block.stride[at] = u32(axis.stride);
    block.dilation[at] = u32(axis.dilation), block.pad[at] = u32(axis.pad_begin);
  }
  return block;
}

/// A workgroup's tile of filters x positions, and the part of it that each invocation computes.
struct Tile {
  std::uint32_t rows, columns, depth, rows_each, columns_each;

  std::uint32_t invocations() const { return rows / rows_each * (columns / columns_each); }
  std::int64_t count(const Block& b) const {
    return b.images() * ((b.filters + rows - 1) / rows) * ((b.positions_of_image() + columns - 1) / columns);
  }
  std::size_t shared_bytes(std::size_t element) const { return (rows + columns + 2) * depth * element; }
};

Tile tile_for(const Block& block, const DeviceFacts& facts, std::size_t element) {
  constexpr Tile large = {64, 64, 16, 4, 4}, medium = {32, 32, 16, 4, 4}, small = {8, 8, 16, 1, 1};
  constexpr std::int64_t enough_groups = 128;  // smaller tiles keep the device busier until there are this many
  const auto fits = [&](const Tile& t) {
    return t.invocations() <= facts.max_invocations && t.shared_bytes(element) <= facts.shared_memory;
  };
  if (block.filters <= small.rows || block.positions_of_image() <= small.columns || !fits(medium)) return small;
  return fits(large) && block.filters > medium.rows && large.count(block) >= enough_groups ? large : medium;
}

}  // namespace

void lower(const ir::ops::Conv& op, Lowering& node) {
  node.needs_its_types();
  const Block block = block_of(op, node);
  const ir::TensorType& type = node.in_type(0);
  const auto dispatch = [&](Shader shader, Groups groups) {
    node.dispatch({
        .shader = std::move(shader),
        .reads = {node.in(0), node.in(1), node.in(op.has_bias ? 2 : 0)},
        .writes = {node.out(0)},
        .push = block,
        .groups = groups,
    });
  };
  const auto refuse_depthwise = [&]() -> std::optional<std::string> {
    constexpr std::uint32_t few = 4;
    if (block.channels != 1) return ir::cat("a filter sees ", block.channels, " channels, it takes 1");
    if (block.filters > few) return ir::cat("a channel has ", block.filters, " filters, it takes up to ", few);
    return std::nullopt;
  };
  const auto suffix = ir::cat(".", type.dtype);
  node.choose({
      {"depthwise", refuse_depthwise,
       [&] {
         constexpr std::uint32_t threads = 64;  // one invocation per element of y
         dispatch({"conv_depthwise" + suffix, {threads, op.has_bias}},
                  groups_for(node.out_type(0).shape.elements(), threads));
       }},
      {"implicit_gemm", [] { return std::nullopt; },
       [&] {
         const Tile t = tile_for(block, node.facts(), std::max<std::size_t>(4, ir::info(type.dtype).bytes));
         dispatch(
             {"conv" + suffix, {t.invocations(), t.rows, t.columns, t.depth, t.rows_each, t.columns_each, op.has_bias}},
             groups_for(t.count(block)));
       }},
  });
}

}  // namespace plumb::gpu_vulkan
