// Lowers arg-max and arg-min to the two-stage line kernel.
#include "ir/ops/arg_reduce.hpp"

#include "gpu_vulkan/kernels/indexing/indexed.hpp"
#include "gpu_vulkan/kernels/rows/arg_reduce.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::ArgReduce& op, plan::Lowering& node) {
  const kernels::rows::ArgExtreme extreme{op.function == ir::ops::ArgReduceFunction::min, op.select_last};
  kernels::rows::lower_arg_reduce(op.axis, extreme, node.out(0), kernels::indexing::index_words(op.index_dtype), node);
}

}  // namespace plumb::gpu_vulkan
