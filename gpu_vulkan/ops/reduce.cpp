// Lowers reductions over any axes; complex numbers become an inner axis of two real parts.
#include "ir/ops/reduce.hpp"

#include "gpu_vulkan/kernels/rows/reduction.hpp"

namespace plumb::gpu_vulkan {

using ir::DType;

void lower(const ir::ops::Reduce& op, plan::Lowering& node) {
  node.needs_its_types();
  auto [dtype, shape] = node.in_type(0);
  auto is_reduced = op.reduced(shape);
  if (ir::is_complex(dtype)) {  // sums and means go by component: one more axis, of 2
    dtype = dtype == DType::c64 ? DType::f32 : DType::f64;
    shape.push_back(2);
    is_reduced.push_back(false);
  }
  kernels::rows::reduce(op.function, {dtype, std::move(shape)}, is_reduced, node.in(0), node.out(0), node);
}

}  // namespace plumb::gpu_vulkan
