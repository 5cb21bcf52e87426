// Lowers split to a strided copy per output, or to an alias where all others are empty.
#include "ir/ops/split.hpp"

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"

namespace plumb::gpu_vulkan {

void lower(const ir::ops::Split& op, plan::Lowering& node) {
  const ir::TensorType& x = node.in_type(0);
  const std::size_t axis = x.shape.axis(op.axis);
  std::int64_t start = 0;
  for (std::size_t i = 0; i < node.outputs(); ++i) {
    const ir::TensorType& y = node.out_type(i);
    if (x == y) return node.alias(i, 0);  // the others are empty
    if (y.bytes() == 0) continue;
    kernels::copy::strided_copy(ir::kernels::read_part(x, y.shape, axis, start), node.in(0), node.out(i), node);
    start += y.shape[axis];
  }
}

}  // namespace plumb::gpu_vulkan
