// Tiles of products element by element, and rows sorted by expert for those whose rows have weights of their own.
#pragma once

#include "gpu_vulkan/kernels/common/tiles.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// The tile of products by element_tile.glsl, where about so many rows have one matrix of weights.
constexpr common::ElementTile tile_for(std::int64_t rows) {
  constexpr common::ElementTile large{.rows = 64, .columns = 64, .depth = 16, .elements = {4, 4}},
      small{.rows = 8, .columns = 32, .depth = 32, .elements = {1, 1}};
  return rows <= 16 ? small : large;
}

/// Publishes how such tiles add.
void publish_tile(const common::ElementTile& tile, bool has_bias, ir::DType dtype, plan::Lowering& node);

/// Rows sorted by expert, as grouped_tile.glsl reads them.
struct GroupedRows {
  plan::Slot tiles, sorted;
  std::int64_t count;  ///< the most tiles that there are, whatever the experts
};

/// Sorts rows by their entries in operand `expert` of the node, into tiles of at most `height` rows. An entry that is
/// neither −1 nor in [0, experts) is a fault.
GroupedRows group_rows(std::size_t expert, std::int64_t experts, std::int64_t height, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm
