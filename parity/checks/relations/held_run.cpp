// Limits of the elements of a run, as the judge of its op has them.
#include "parity/checks/relations/held_run.hpp"

#include <cmath>
#include <complex>

#include "ir/passes/widen.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/profile/profile_arithmetic.hpp"

namespace plumb::parity::checks::relations {
namespace {

/// Sizes, of complex numbers by what parts are finite (verdict.md V36).
ir::Tensor moduli(const ir::Tensor& x) {
  ir::Tensor y({ir::DType::f64, x.shape()});
  const auto to = y.as<double>();
  if (x.dtype() == ir::DType::c128) {
    const auto size = [](double part) { return std::isfinite(part) ? part : 0; };
    const auto z = x.as<std::complex<double>>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::hypot(size(z[i].real()), size(z[i].imag()));
  } else {
    const auto values = x.as<double>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::abs(values[i]);
  }
  return y;
}

/// |a - b| by element.
ir::Tensor distances(const ir::Tensor& a, const ir::Tensor& b) {
  ir::Tensor difference = a;
  const auto take_off = [&]<class T>(T) {
    const std::span<T> to = difference.as<T>();
    const std::span<const T> from = b.as<T>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] -= from[i];
  };
  if (a.dtype() == ir::DType::c128)
    take_off(std::complex<double>());
  else
    take_off(double{});
  return moduli(difference);
}

ir::Tensor limits_of(const compare::Allowed& allowed, const ir::Tensor& truth, const ir::Tensor& got) {
  ir::Tensor limits = moduli(truth);
  const ir::Tensor errors = distances(truth, ir::passes::widen(got));
  const auto values = limits.as<double>();
  const bool is_moved = allowed.rule == compare::Allowed::Rule::bits;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (allowed.rule == compare::Allowed::Rule::within)
      values[i] = allowed.at(values[i], got.dtype(), i);
    else
      values[i] = is_moved ? 0 : 0.5 * compare::ulp_of(values[i], got.dtype()) + allowed.subnormal;
    if (errors.as<double>()[i] <= values[i] / 2) values[i] /= 2;
  }
  return limits;
}

ir::Tensor apart_of(const compare::Allowed& allowed, const ir::Shape& shape) {
  ir::Tensor apart({ir::DType::f64, shape});
  if (!allowed.limits || allowed.limits->apart.empty()) return apart;
  const auto marks = apart.as<double>();
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = allowed.limits->apart[i] ? 1 : 0;
  return apart;
}

}  // namespace

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
    held.limits.push_back(limits_of(result.allowed, held.truth.back(), got));
    held.apart.push_back(apart_of(result.allowed, got.shape()));
  }
  return held;
}

}  // namespace plumb::parity::checks::relations
