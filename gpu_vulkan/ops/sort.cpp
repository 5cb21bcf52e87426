// Lowers a full sort, with the positions as a second result.
#include "ir/ops/sort.hpp"

#include "gpu_vulkan/kernels/common/ordered.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"
#include "gpu_vulkan/kernels/sort/sorting.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Sort& op, plan::Lowering& node) {
  node.needs_its_sizes();
  const auto& [dtype, shape] = node.in_type(0);
  const ir::Lines lines = ir::along(shape, op.axis);
  kernels::sort::sort_lines({.x = node.in(0),
                             .width = ir::info(dtype).bytes,
                             .encoding = kernels::common::encoding_of(dtype),
                             .lines = lines,
                             .k = lines.length,
                             .descending = op.descending},
                            {node.out(0), node.out(1), kernels::indexing::index_words(op.index_dtype)}, false, node);
}

}  // namespace plumb::gpu_vulkan
