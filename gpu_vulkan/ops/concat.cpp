// Lowers concat to a strided copy per input, or to an alias where all others are empty.
#include "ir/ops/concat.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Concat& op, plan::Lowering& node) {
  const ir::TensorType& y = node.out_type(0);
  const std::size_t axis = y.shape.axis(op.axis);
  std::int64_t start = 0;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    const ir::TensorType& x = node.in_type(i);
    if (x == y) return node.alias(0, i);  // the others are empty
    if (x.bytes() == 0) continue;
    kernels::copy::strided_copy(ir::kernels::write_part(y, x.shape, axis, start), node.in(i), node.out(0), node);
    start += x.shape[axis];
  }
}

}  // namespace plumb::gpu_vulkan
