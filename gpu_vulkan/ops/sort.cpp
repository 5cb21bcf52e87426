#include "ir/ops/sort.hpp"

#include "gpu_vulkan/indexed.hpp"
#include "gpu_vulkan/ordered.hpp"
#include "gpu_vulkan/sorting.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Sort& op, Lowering& node) {
  node.needs_its_sizes();
  const auto& [dtype, shape] = node.in_type(0);
  const ir::Lines lines = ir::along(shape, op.axis);
  sort_lines({.x = node.in(0),
              .width = ir::info(dtype).bytes,
              .encoding = encoding_of(dtype),
              .lines = lines,
              .k = lines.length,
              .descending = op.descending},
             {node.out(0), node.out(1), index_words(op.index_dtype)}, false, node);
}

}  // namespace plumb::gpu_vulkan
