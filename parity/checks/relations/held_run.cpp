// Limits of the elements of a run, as the judge of its op has them.
#include "parity/checks/relations/held_run.hpp"

#include "ir/passes/widen.hpp"
#include "parity/checks/relations/limited.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/profile/profile_arithmetic.hpp"

namespace plumb::parity::checks::relations {

HeldRun hold(const cases::Executors& executors, const ir::Op& op, const Operands& operands, const ir::OpRun& run,
             double lambda) {
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
  HeldRun held;
  for (std::size_t k = 0; k < run.outputs.size(); ++k) {
    const ir::Tensor& got = run.outputs[k];
    cases::NodeResult result;
    judge.compare(k, got, result);
    if (result.units.kind != cases::UnitKind::element)
      throw ir::Unsupported(ir::cat("elements of '", op.name(), "' have no limits of their own"));
    if (!result.local.agrees() && held.broken.empty()) held.broken = compare::summary(result.local);
    held.truth.push_back(judge.truth(k));
    Limited limited = limited_by(result.allowed, held.truth.back(), got);
    held.limits.push_back(std::move(limited.limits));
    held.apart.push_back(std::move(limited.apart));
  }
  return held;
}

}  // namespace plumb::parity::checks::relations
