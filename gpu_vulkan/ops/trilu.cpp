// Lowers triangular masks: an invocation keeps or zeroes one element by its row and column.
#include "ir/ops/trilu.hpp"

#include "gpu_vulkan/kernels/common/divisor.hpp"
#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Trilu& op, plan::Lowering& node) {
  struct Block {
    std::uint32_t count, rows, columns;
    std::int32_t diagonal;
    std::array<std::uint32_t, 2> by_rows, by_columns;
  };
  node.needs_its_sizes();
  const ir::TensorType& x = node.in_type(0);
  const std::int64_t rows = x.shape[x.shape.size() - 2], columns = x.shape.back();
  const kernels::common::Divisor by_rows(rows), by_columns(columns);
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {kernels::copy::word_variant("trilu", ir::info(x.dtype).bytes, node),
                 {{"invocations", threads}, {"upper", op.upper}}},
      .reads = {node.in(0)},
      .writes = {node.out(0)},
      .push = Block{.count = static_cast<std::uint32_t>(x.shape.elements()),
                    .rows = static_cast<std::uint32_t>(rows),
                    .columns = static_cast<std::uint32_t>(columns),
                    .diagonal = static_cast<std::int32_t>(op.diagonal_within(rows, columns)),
                    .by_rows = {by_rows.multiplier, by_rows.shift},
                    .by_columns = {by_columns.multiplier, by_columns.shift}},
      .groups = plan::groups_for(x.shape.elements(), threads),
  });
}

}  // namespace plumb::gpu_vulkan
