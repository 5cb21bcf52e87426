// Lowers convolutions of codes as products of filters and what they meet, a product for each group of each image.
#include "gpu_vulkan/kernels/conv/integer_convolution.hpp"

#include "gpu_vulkan/kernels/conv/window_axes.hpp"

namespace plumb::gpu_vulkan::kernels::conv {

void integer_convolution(const common::CodeOperands& of, const std::vector<ir::kernels::Window>& axes,
                         std::int64_t group, const common::CodeEpilogue& then, plan::Lowering& node) {
  node.needs_its_sizes();
  const ir::Shape &w = node.in_type(of.left).shape, &y = node.out_type(0).shape;
  const WindowAxes pushed = window_axes(axes, y, node);
  struct Block {
    std::uint32_t batch, group, channels, filters, flags, filter_step;
    WindowAxes axes;
  };
  const std::int64_t filters = w[0] / group, blocks = y[0] * group, positions = pushed.count();
  const bool has_one_each = of.left_zero && node.in_type(*of.left_zero).shape.elements() > 1;
  const common::ElementTile& tile = common::tile_of_codes(blocks, filters, positions);
  node.uses_tile(common::tile_name(tile.rows, tile.columns, tile.depth));
  std::vector<plan::Slot> reads = {node.in(of.left), node.in(of.right), node.in(of.left_zero.value_or(of.left)),
                                   node.in(of.right_zero.value_or(of.right))};
  reads.insert(reads.end(), then.reads.begin(), then.reads.end());
  node.dispatch({
      .shader = {then.module, tile.constants()},
      .reads = std::move(reads),
      .writes = {node.out(0)},
      .push = Block{plan::word(y[0]), plan::word(group), plan::word(w[1]), plan::word(filters),
                    of.flags(node) | then.flags, has_one_each ? 1u : 0u, pushed},
      .groups = plan::groups_for(blocks * common::pieces(filters, tile.rows) * common::pieces(positions, tile.columns)),
  });
}

}  // namespace plumb::gpu_vulkan::kernels::conv
