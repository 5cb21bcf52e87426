// Registered ops without a body: their authors state how far each element may be off.
#include <cmath>

#include "ir/registered_op.hpp"
#include "parity/judges/limits.hpp"

namespace plumb::parity::judges {

Judgement judge_by_bounds(const Question& question) {
  const auto& op = question.op().as<ir::RegisteredOp>();
  const std::vector<ir::Tensor>& truths = question.truth.outputs;
  std::vector<ir::Tensor> bounds;
  std::vector<ir::TensorView> asked(question.in.begin(), question.in.end());
  std::vector<ir::MutableView> stated;
  for (const ir::Tensor& truth : truths) {
    asked.emplace_back(truth);
    bounds.emplace_back(ir::TensorType{ir::DType::f64, truth.shape()});
  }
  for (ir::Tensor& one : bounds) stated.push_back(one.view());
  const auto state = [&](const ir::RegisteredOp& of, std::span<const ir::TensorView> in,
                         std::span<const ir::MutableView> out) { of.of->code.bounds(of, question.unit(0), in, out); };
  ir::run_guarded(op, "bounds", state, asked, stated);
  Judgement judgement;
  for (std::size_t k = 0; k < truths.size(); ++k) {
    if (ir::unit_roundoff(question.out_type(k).dtype) == 0) {
      judgement.outputs.emplace_back().truth = truths[k];  // integers and bools have no rounding to allow for
      continue;
    }
    for (const double bound : std::as_const(bounds[k]).as<double>())
      ir::require(bound >= 0, op.of->name, ": bounds gives ", bound, " for an element of '", op.of->results[k].name,
                  "', which is no limit");
    Limited limited(truths[k].shape());
    limited.truth = truths[k];
    limited.probable = limited.certain = bounds[k];
    judgement.outputs.push_back(elements_within(question, k, std::move(limited)));
  }
  return judgement;
}

}  // namespace plumb::parity::judges
