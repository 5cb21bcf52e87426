#include "ir/ops/arg_reduce.hpp"

#include "gpu_vulkan/arg_reduce.hpp"
#include "gpu_vulkan/indexed.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ArgReduce& op, Lowering& node) {
  const ArgExtreme extreme{op.function == ir::ops::ArgReduceFunction::min, op.select_last};
  lower_arg_reduce(op.axis, extreme, node.out(0), index_words(op.index_dtype), node);
}

}  // namespace plumb::gpu_vulkan
