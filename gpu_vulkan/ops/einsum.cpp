// Lowers einsum step by step as pairwise contractions; 16-bit floats are computed in f32 and rounded once at the end.
#include "ir/ops/einsum.hpp"

#include "gpu_vulkan/kernels/elementwise/convert.hpp"
#include "gpu_vulkan/kernels/gemm/contract.hpp"

namespace plumb::gpu_vulkan {
namespace {

/// The dtype and the accumulators of a step.
struct Arithmetic {
  ir::DType dtype;
  bool sums_in_f16 = false;
};

void emit(const ir::kernels::EinsumStep& step, const std::vector<plan::Slot>& tensors, Arithmetic by, plan::Slot to,
          plan::Lowering& node) {
  if (step.shape().elements() == 0) return;
  const auto term = [&](std::size_t i) {
    return kernels::gemm::Term{tensors[step.terms[i].tensor], step.terms[i].view};
  };
  const kernels::gemm::Target target{to, step.result, by.sums_in_f16};
  if (step.terms.size() == 1)
    kernels::gemm::sum_over(term(0), by.dtype, target, node);
  else
    kernels::gemm::contract(term(0), term(1), by.dtype, target, node);
}

}  // namespace

void lower(const ir::ops::Einsum& op, plan::Lowering& node) {
  node.needs_its_types();
  std::vector<ir::TensorType> types;
  std::vector<plan::Slot> tensors;
  for (std::size_t i = 0; i < node.inputs(); ++i) {
    types.push_back(node.in_type(i));
    tensors.push_back(node.in(i));
  }
  const ir::kernels::EinsumPlan plan = op.plan(types);
  const ir::DType dtype = types[0].dtype;
  if (plan.steps.size() == 1)
    return emit(plan.steps[0], tensors, {dtype, op.accumulator == ir::DType::f16}, node.out(0), node);

  // 16-bit floats are rounded after the last step only.
  const bool is_narrow = dtype == ir::DType::f16 || dtype == ir::DType::bf16;
  const ir::DType computed = is_narrow ? ir::DType::f32 : dtype;
  const auto scratch = [&](const ir::Shape& shape) {
    return node.scratch(static_cast<std::size_t>(shape.elements()) * ir::info(computed).bytes);
  };
  for (std::size_t i = 0; is_narrow && i < tensors.size(); ++i) {
    const plan::Slot wide = scratch(types[i].shape);
    if (types[i].shape.elements() > 0)
      kernels::elementwise::convert(dtype, tensors[i], computed, wide, types[i].shape.elements(), node);
    tensors[i] = wide;
  }
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const ir::Shape shape = plan.steps[s].shape();
    node.needs(shape.elements() < std::int64_t{1} << 31, "an intermediate tensor has ", shape.elements(),
               " elements, 2^31 or more");
    const bool is_result = s + 1 == plan.steps.size() && !is_narrow;
    tensors.push_back(is_result ? node.out(0) : scratch(shape));
    emit(plan.steps[s], tensors, {computed}, tensors.back(), node);
  }
  if (is_narrow)
    kernels::elementwise::convert(computed, tensors.back(), dtype, node.out(0), node.out_type(0).shape.elements(),
                                  node);
}

}  // namespace plumb::gpu_vulkan
