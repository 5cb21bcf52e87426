// Lowers reductions over any axes; complex numbers become an inner axis of two real parts.
#include "ir/ops/reduce.hpp"

#include "gpu_vulkan/kernels/rows/reduction.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;
using ir::ops::Reduce;
using ir::ops::ReduceFunction;

void check_served(const Reduce& op, const plan::Lowering& node, DType dtype) {
  node.needs_its_types();
  const bool root_or_log = op.function == ReduceFunction::l2 || op.function == ReduceFunction::log_sum ||
                           op.function == ReduceFunction::log_sum_exp;
  node.needs(dtype != DType::f64 || !root_or_log, "shaders have no f64 root, logarithm or exponential to take ",
             ir::enum_name(op.function), " of ", dtype);
}

}  // namespace

void lower(const Reduce& op, plan::Lowering& node) {
  auto [dtype, shape] = node.in_type(0);
  auto is_reduced = op.reduced(shape);
  if (ir::is_complex(dtype)) {  // sums and means go by component: one more axis, of 2
    dtype = dtype == DType::c64 ? DType::f32 : DType::f64;
    shape.push_back(2);
    is_reduced.push_back(false);
  }
  check_served(op, node, dtype);
  kernels::rows::reduce(op.function, {dtype, std::move(shape)}, is_reduced, node.in(0), node.out(0), node);
}

}  // namespace plumb::gpu_vulkan
