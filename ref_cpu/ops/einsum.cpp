// Einsum as pairwise contractions; 16-bit floats are widened to f32 and rounded after the last step only.
#include "ir/ops/einsum.hpp"

#include <algorithm>
#include <variant>

#include "ref_cpu/gemm/contract.hpp"
#include "ref_cpu/gemm/float_product.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/fold.hpp"
#include "ref_cpu/published_sums.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

using kernels::Elements;
using kernels::MutableElements;

bool is_narrow(ir::DType dtype) { return dtype == ir::DType::f16 || dtype == ir::DType::bf16; }

/// One step, of tensors by number: operands first, then what the steps give.
struct PlannedStep {
  std::variant<gemm::LabelSum, gemm::LabelProduct> work;
  std::size_t first = 0, second = 0;  ///< a sum has one term, which is both
  std::size_t bytes = 0;              ///< that it gives

  void run(std::span<const Elements> tensors, const MutableElements& y) const {
    if (const auto* sum = std::get_if<gemm::LabelSum>(&work))
      sum->run(tensors[first], y);
    else
      std::get<gemm::LabelProduct>(work).run(tensors[first], tensors[second], y);
  }
};

/// The steps of an einsum, in the dtype in which they add.
std::vector<PlannedStep> planned_steps(const ir::kernels::EinsumPlan& plan, const std::vector<ir::TensorView>& inputs,
                                       ir::DType dtype) {
  std::vector<std::int64_t> counts;  // elements, by tensor
  for (const ir::TensorView& x : inputs) counts.push_back(x.elements());
  std::vector<PlannedStep> steps;
  for (const ir::kernels::EinsumStep& step : plan.steps) {
    const auto term = [&](std::size_t i) {
      return gemm::Term{dtype, counts[step.terms[i].tensor], step.terms[i].view};
    };
    const ir::TensorType made{dtype, step.shape()};
    if (step.terms.size() == 1)
      steps.push_back({gemm::LabelSum(term(0), step.result), step.terms[0].tensor, step.terms[0].tensor, made.bytes()});
    else
      steps.push_back({gemm::LabelProduct(term(0), term(1), step.result), step.terms[0].tensor, step.terms[1].tensor,
                       made.bytes()});
    counts.push_back(made.shape.elements());
  }
  return steps;
}

/// Runs all steps, of which the last gives y.
void run_steps(std::span<const PlannedStep> steps, ScratchVector<Elements>& tensors, const MutableElements& y) {
  ScratchVector<ScratchRoom<std::byte>> held(steps.size());
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const bool is_last = s + 1 == steps.size();
    if (!is_last) held[s].resize(steps[s].bytes);
    const MutableElements made = is_last ? y : MutableElements(y.dtype(), held[s]);
    steps[s].run(tensors, made);
    tensors.push_back(made.as_const());
  }
}

/// 16-bit floats are added in f32, and rounded after the last step only.
void run_widened(std::span<const PlannedStep> steps, Call& call) {
  ScratchVector<ScratchRoom<float>> widened;
  ScratchVector<Elements> tensors;
  widened.reserve(call.inputs.size());
  tensors.reserve(call.inputs.size() + steps.size());
  for (const ir::TensorView& x : call.inputs)
    tensors.emplace_back(ir::DType::f32, std::as_bytes(std::span(widened.emplace_back(kernels::converted<float>(x)))));
  ScratchRoom<float> sums(static_cast<std::size_t>(call.out(0).elements()));
  run_steps(steps, tensors, {ir::DType::f32, std::as_writable_bytes(std::span(sums))});
  ir::visit_float(call.out(0).dtype(), [&]<class T>(T) {
    std::ranges::transform(sums, call.out(0).as<T>().begin(), [](float sum) { return ir::convert_value<T>(sum); });
  });
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
  const ir::DType dtype = call.in(0).dtype();
  const std::vector<PlannedStep>& steps = call.kept([&] {
    ir::TensorTypes types;
    for (const ir::TensorView& x : call.inputs) types.push_back(x.type());
    const ir::kernels::EinsumPlan plan = op.plan(types);
    const bool is_widened = plan.steps.size() > 1 && is_narrow(dtype);
    return planned_steps(plan, call.inputs, is_widened ? ir::DType::f32 : dtype);
  });
  if (steps.size() > 1 && is_narrow(dtype)) return run_widened(steps, call);
  ScratchVector<Elements> tensors;
  tensors.reserve(call.inputs.size() + steps.size());
  for (const ir::TensorView& x : call.inputs) tensors.push_back(x);
  run_steps(steps, tensors, call.out(0));
}

}  // namespace plumb::ref_cpu
