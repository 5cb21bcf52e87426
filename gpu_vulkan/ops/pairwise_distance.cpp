// Lowers distances of rows tile by tile, as products are.
#include "ir/ops/pairwise_distance.hpp"

#include "gpu_vulkan/kernels/common/sums.hpp"
#include "gpu_vulkan/kernels/common/tiles.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::PairwiseDistance& op, plan::Lowering& node) {
  node.needs_its_types();
  constexpr kernels::common::ElementTile large{.rows = 64, .columns = 64, .depth = 16, .elements = {4, 4}},
      small{.rows = 16, .columns = 16, .depth = 16, .elements = {1, 1}};
  const ir::DType dtype = node.in_type(0).dtype;
  const ir::Shape& shape = node.out_type(0).shape;
  const kernels::common::ElementTile& tile = shape.elements() < std::int64_t{1} << 18 ? small : large;
  struct Block {
    std::uint32_t n, m, d;
  };
  kernels::common::publish({.of = ir::SumName::distance,
                            .unit = ir::SumUnit::either,
                            .levels = {kernels::common::chain(tile.depth), kernels::common::chain()},
                            .is_rounded = true},
                           dtype, node);
  node.dispatch({
      .shader = {ir::cat("pairwise_distance.", dtype), tile.constants().then({{"metric", op.metric}})},
      .reads = {node.in(0), node.in(op.has_y ? 1 : 0)},
      .writes = {node.out(0)},
      .push = Block{static_cast<std::uint32_t>(shape[0]), static_cast<std::uint32_t>(shape[1]),
                    static_cast<std::uint32_t>(node.in_type(0).shape[1])},
      .groups = plan::groups_for(kernels::common::pieces(shape[0], tile.rows) *
                                 kernels::common::pieces(shape[1], tile.columns)),
  });
}

}  // namespace plumb::gpu_vulkan
