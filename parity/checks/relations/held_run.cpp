// Limits of the elements of a run, as the judge of its op has them.
#include "parity/checks/relations/held_run.hpp"

#include "ir/passes/widen.hpp"
#include "parity/checks/relations/limited.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/profile/profile_arithmetic.hpp"

namespace plumb::parity::checks::relations {

namespace {

/// Judges the outputs of a run as verify does, and hands each to `take`.
template <class Take>
void judge_outputs(const cases::Executors& executors, const ir::Op& op, const Operands& operands, const ir::OpRun& run,
                   double lambda, const Take& take) {
  const core::Segment segment = core::segment_of(ir::graph_of(op, operands.types()), 0);
  const std::vector<ir::TensorView> inputs(operands.tensors.begin(), operands.tensors.end());
  // Nobody vouches for what a candidate that is not ours says of its sums.
  const std::vector<ir::Sum> sums = executors.foreign != nullptr ? std::vector<ir::Sum>{} : run.report.sums;
  bounds::Manner manner{profile::arithmetic_of(executors, sums, segment.graph), executors.flushes_subnormals};
  manner.arithmetic.deviations = lambda;
  const ir::Feeds fed = core::feeds_of(segment, [&](ir::Value v) { return ir::passes::widen(operands.tensors.at(v)); });
  bounds::Bounded bounded = judges::evaluate(executors.reference, segment, fed, manner, nullptr);
  std::vector<const ir::Tensor*> outputs;
  for (const ir::Tensor& one : run.outputs) outputs.push_back(&one);
  const settle::Subject subject{executors.reference, segment, inputs, sums, manner, &fed};
  judges::NodeJudge judge(subject, bounded, std::move(outputs));
  for (std::size_t k = 0; k < run.outputs.size(); ++k) {
    cases::NodeResult result;
    judge.compare(k, run.outputs[k], result);
    take(result, judge.truth(k), run.outputs[k]);
  }
}

}  // namespace

HeldRun hold(const cases::Executors& executors, const ir::Op& op, const Operands& operands, const ir::OpRun& run,
             double lambda) {
  HeldRun held;
  const auto take = [&](const cases::NodeResult& result, const ir::Tensor& truth, const ir::Tensor& got) {
    if (result.units.kind != cases::UnitKind::element)
      throw ir::Unsupported(ir::cat("elements of '", op.name(), "' have no limits of their own"));
    if (!result.local.agrees() && held.broken.empty()) held.broken = compare::summary(result.local);
    held.truth.push_back(truth);
    Limited limited = limited_by(result.allowed, truth, got);
    held.limits.push_back(std::move(limited.limits));
    held.apart.push_back(std::move(limited.apart));
  };
  judge_outputs(executors, op, operands, run, lambda, take);
  return held;
}

std::string defect_of(const cases::Executors& executors, const ir::Op& op, const Operands& operands,
                      const ir::OpRun& run, double lambda) {
  std::string defect;
  judge_outputs(executors, op, operands, run, lambda,
                [&](const cases::NodeResult& result, const ir::Tensor&, const ir::Tensor&) {
                  if (!result.local.agrees() && defect.empty()) defect = compare::summary(result.local);
                });
  return defect;
}

}  // namespace plumb::parity::checks::relations
