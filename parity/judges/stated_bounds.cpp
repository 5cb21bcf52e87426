// Registered ops without a body: their authors state how far each element may be off.
#include <map>

#include "ir/registered_op.hpp"
#include "parity/judges/limits.hpp"

namespace plumb::parity::judges {
namespace {

/// Bounds of the op's author for all of its outputs, computed in a dtype of this unit roundoff.
std::vector<ir::Tensor> bounds_of(const Question& question, double unit) {
  std::vector<ir::Tensor> bounds;
  std::vector<ir::TensorView> asked(question.in.begin(), question.in.end());
  std::vector<ir::MutableView> stated;
  for (const ir::Tensor& truth : question.truth.outputs) {
    asked.emplace_back(truth);
    bounds.emplace_back(ir::TensorType{ir::DType::f64, truth.shape()});
  }
  for (ir::Tensor& one : bounds) stated.push_back(one.view());
  const auto state = [unit](const ir::RegisteredOp& of, std::span<const ir::TensorView> in,
                            std::span<const ir::MutableView> out) { of.of->code.bounds(of, unit, in, out); };
  ir::run_guarded(question.op().as<ir::RegisteredOp>(), "bounds", state, asked, stated);
  return bounds;
}

}  // namespace

Judgement judge_by_bounds(const Question& question) {
  const auto& op = question.op().as<ir::RegisteredOp>();
  const std::vector<ir::Tensor>& truths = question.truth.outputs;
  std::map<double, std::vector<ir::Tensor>> by_unit;  // outputs may be computed in several dtypes
  Judgement judgement;
  for (std::size_t k = 0; k < truths.size(); ++k) {
    if (ir::unit_roundoff(question.out_type(k).dtype) == 0) {
      judgement.outputs.emplace_back().truth = truths[k];  // integers and bools have no rounding to allow for
      continue;
    }
    auto& bounds = by_unit[question.unit(k)];
    if (bounds.empty()) bounds = bounds_of(question, question.unit(k));
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
