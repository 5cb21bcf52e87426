#include "tests/parity/judges/stand_ins.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/judges/node_judge.hpp"
#include "tests/parity/bounds/honest_kernels.hpp"

namespace plumb::testing {
namespace {

parity::core::Segment segment_of(const Taught& taught, const std::vector<ir::Tensor>& inputs) {
  ir::TensorTypes types;
  for (const ir::Tensor& x : inputs) types.push_back(x.type());
  return parity::core::segment_of(ir::graph_of(taught.op, types), 0);
}

ref_cpu::CpuExecutor executor_of(const Taught& taught) {
  return ref_cpu::CpuExecutor({.threads = 1, .extra_kernels = {{&taught.op.schema(), taught.kernel}}});
}

}  // namespace

std::vector<parity::cases::NodeResult> judged(const Taught& taught, const std::vector<ir::Tensor>& inputs,
                                              const std::vector<ir::Tensor>& outputs, double lambda) {
  ref_cpu::CpuExecutor cpu = executor_of(taught);
  const parity::core::Segment segment = segment_of(taught, inputs);
  const std::vector<ir::TensorView> views(inputs.begin(), inputs.end());
  parity::bounds::Manner manner;
  manner.arithmetic.deviations = lambda;
  parity::judges::ExtraJudges extra;
  extra.by_op.emplace(&taught.op.schema(), [&](const ir::Op&) { return std::optional(taught.judge); });
  ir::Feeds fed;
  for (std::size_t i = 0; i < inputs.size(); ++i) fed.emplace(segment.graph.inputs()[i], ir::passes::widen(inputs[i]));
  parity::bounds::Bounded bounded = parity::judges::evaluate(cpu, segment, fed, manner, &extra);
  const parity::settle::Subject subject{cpu, segment, views, {}, manner};
  std::vector<const ir::Tensor*> pointers;
  for (const ir::Tensor& one : outputs) pointers.push_back(&one);
  parity::judges::NodeJudge judge(subject, bounded, pointers, &extra);
  std::vector<parity::cases::NodeResult> results;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    auto& result = results.emplace_back();
    result.node = 0;
    result.output = k;
    result.label = "y";
    result.op = std::string(taught.op.name());
    judge.compare(k, outputs[k], result);
    result.telling = judge.telling(k, result);
    result.sensitivity = judge.sensitivity(k);
  }
  return results;
}

void expect_deviations_without_lambda(const Taught& taught, const std::vector<ir::Tensor>& inputs,
                                      const std::vector<ir::Tensor>& outputs) {
  const auto narrow = judged(taught, inputs, outputs, 6), wide = judged(taught, inputs, outputs, 12);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    EXPECT_LE(narrow[k].local.sigma_max, 6) << k;
    EXPECT_NEAR(wide[k].local.sigma_max, narrow[k].local.sigma_max, 1e-6) << k;
    EXPECT_LT(wide[k].local.ratio(), narrow[k].local.ratio()) << k;
  }
}

std::vector<ir::Tensor> rounded_truth(const Taught& taught, const std::vector<ir::Tensor>& inputs) {
  ref_cpu::CpuExecutor cpu = executor_of(taught);
  const parity::core::Segment segment = segment_of(taught, inputs);
  ir::Feeds fed;
  for (std::size_t i = 0; i < inputs.size(); ++i) fed.emplace(segment.graph.inputs()[i], ir::passes::widen(inputs[i]));
  std::vector<ir::Tensor> outputs = parity::core::evaluate_widened(cpu, segment, fed).outputs;
  for (std::size_t k = 0; k < outputs.size(); ++k)
    outputs[k] = ir::convert(outputs[k], segment.graph.type(segment.outputs[k]).dtype);
  return outputs;
}

std::string finding(const std::vector<parity::cases::NodeResult>& results) {
  for (const auto& result : results) {
    if (result.local.n_without_limit > 0) return "a limit that is not finite";
    if (!result.local.agrees()) return result.name() + ": " + result.summary();
  }
  return "";
}

double largest_ratio(const std::vector<parity::cases::NodeResult>& results) {
  double most = 0;
  for (const auto& result : results)
    if (result.local.ratio() > most) most = result.local.ratio();
  return most;
}

std::vector<double> hard_numbers(std::string_view kind, std::size_t count, unsigned seed) {
  NormalNumbers normal(seed);
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    double x = normal.next();
    if (kind == "risen_fallen") x = (1 + 0.03 * x) * (2 * i < count ? 1 : -1);
    if (kind == "alternating") x = (1 + 0.03 * x) * (i % 2 == 0 ? 1 : -1);
    if (kind == "constant") x = 0.7;
    if (kind == "outlier" && i == count / 3) x = 1e4;
    if (kind == "scaled") x = std::ldexp(x, static_cast<int>(i % 7) * 3 - 9);
    numbers[i] = static_cast<float>(x);
  }
  return numbers;
}

ir::Tensor floats(const ir::Shape& shape, const std::vector<double>& numbers) {
  return ir::convert(ir::Tensor::of<double>(shape, numbers), ir::DType::f32);
}

}  // namespace plumb::testing
