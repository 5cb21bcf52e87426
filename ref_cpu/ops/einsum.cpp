// Einsum as pairwise contractions; 16-bit floats are widened to f32 and rounded after the last step only.
#include "ir/ops/einsum.hpp"

#include <deque>

#include "ir/raw/copy_bytes.hpp"
#include "ref_cpu/gemm/contract.hpp"
#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/published_sums.hpp"

namespace plumb::ref_cpu {
namespace {

void run_step(const ir::kernels::EinsumStep& step, const std::vector<ir::TensorView>& tensors,
              const ir::MutableView& y) {
  const auto term = [&](std::size_t i) { return gemm::Term{tensors[step.terms[i].tensor], step.terms[i].view}; };
  if (step.terms.size() == 1)
    gemm::sum_over(term(0), step.result, y);
  else
    gemm::contract(term(0), term(1), step.result, y);
}

}  // namespace

/// Where there is one step alone: of several, the sums of one are factors of the next.
std::vector<ir::Sum> published_sums(const ir::ops::Einsum& op, ir::Types in) {
  const ir::kernels::EinsumPlan plan = op.plan(in);
  if (!adds_in_f32(in[0].dtype) || plan.steps.size() != 1) return {};
  if (plan.steps[0].terms.size() == 2) return {gemm::sum_of_floats()};
  return {{.levels = kernels::fold_levels(plan.longest_sum)}};
}

void run(const ir::ops::Einsum& op, Call& call) {
  std::vector<ir::TensorType> types;
  for (const ir::TensorView& x : call.inputs) types.push_back(x.type());
  const ir::kernels::EinsumPlan plan = op.plan(types);
  const ir::DType dtype = call.in(0).dtype();
  const bool is_narrow = dtype == ir::DType::f16 || dtype == ir::DType::bf16;
  if (plan.steps.size() == 1) return run_step(plan.steps[0], call.inputs, call.out(0));

  std::deque<ir::Tensor> held;  // 16-bit floats are rounded after the last step only
  std::vector<ir::TensorView> tensors;
  for (const ir::TensorView& x : call.inputs)
    tensors.push_back(is_narrow ? held.emplace_back(ir::convert(x, ir::DType::f32)) : x);
  for (const ir::kernels::EinsumStep& step : plan.steps) {
    ir::Tensor& y = held.emplace_back(ir::TensorType{is_narrow ? ir::DType::f32 : dtype, step.shape()});
    run_step(step, tensors, y.view());
    tensors.push_back(std::as_const(y).view());
  }
  const ir::Tensor rounded = ir::convert(held.back(), dtype);
  ir::raw::copy_bytes(rounded.bytes(), call.out(0).bytes());
}

}  // namespace plumb::ref_cpu
