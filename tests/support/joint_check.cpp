#include "tests/support/joint_check.hpp"

#include <gtest/gtest.h>

#include "ir/passes/widen.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/samples/oracle_check.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"

namespace plumb::testing {
namespace {

using namespace parity;

std::vector<cases::NodeResult> judged_by(const bounds::Manner& manner, std::span<const ir::Sum> sums, const ir::Op& op,
                                         const std::vector<ir::Tensor>& inputs,
                                         const std::vector<ir::Tensor>& outputs) {
  ref_cpu::CpuExecutor cpu;
  ir::TensorTypes types;
  for (const ir::Tensor& input : inputs) types.push_back(input.type());
  core::Segment segment = core::segment_of(ir::graph_of(op, types), 0);
  const std::vector<ir::TensorView> views(inputs.begin(), inputs.end());
  segment.judged.inputs = views;
  ir::Feeds fed;
  for (std::size_t i = 0; i < inputs.size(); ++i) fed.emplace(segment.graph.inputs()[i], ir::passes::widen(inputs[i]));
  bounds::Bounded bounded = judges::evaluate(cpu, segment, fed, manner, nullptr);
  const elements::Subject subject{cpu, segment, views, sums, manner};
  std::vector<const ir::Tensor*> pointers;
  for (const ir::Tensor& one : outputs) pointers.push_back(&one);
  judges::NodeJudge judge(subject, bounded, pointers);
  std::vector<cases::NodeResult> results(outputs.size());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    cases::NodeResult& result = results[k];
    result.node = 0, result.output = k, result.label = ir::cat("y:", k), result.op = std::string(op.name());
    judge.compare(k, outputs[k], result);
    result.telling = judge.telling(k, result);
    const samples::OracleEffort effort{.drawn = 16, .least_work = 0x1p16};
    if (judge.knows_uncertainty(k)) result.oracle = samples::ask_oracles(subject, k, bounded, {1, "y"}, effort);
  }
  return results;
}

void expect_right(ir::Executor& executor, bool flushes, const ir::Op& op, const std::vector<ir::Tensor>& inputs) {
  std::string of = std::string(op.name()) + " of";
  for (const ir::Tensor& input : inputs) of += ir::cat(" ", input.type());
  const auto [outputs, report] = ir::run_op_with_report(executor, op, inputs);
  const bounds::Manner manner{bounds::safe_arithmetic(report.sums), flushes};
  for (const cases::NodeResult& result : judged_by(manner, report.sums, op, inputs, outputs)) {
    EXPECT_EQ(result.local.n_without_limit, 0u) << executor.name() << ", " << of << ": a limit that is not finite";
    EXPECT_TRUE(result.local.agrees()) << executor.name() << ", " << of << ": " << result.summary();
    EXPECT_EQ(result.oracle.bad, 0u) << of << ": " << result.oracle.said(std::string(op.name()));
  }
}

}  // namespace

std::vector<cases::NodeResult> judged(const ir::Op& op, const std::vector<ir::Tensor>& inputs,
                                      const std::vector<ir::Tensor>& outputs) {
  return judged_by({}, {}, op, inputs, outputs);
}

void check_jointly(const ir::Op& op, const std::vector<ir::Tensor>& inputs, Where where) {
  ref_cpu::CpuExecutor cpu;
  expect_right(cpu, false, op, inputs);
  if (where == Where::cpu_only) return;
  if (gpu().executor == nullptr) GTEST_SKIP() << "only the CPU was checked: " << gpu().why_not;
  expect_right(*gpu().executor, true, op, inputs);
}

}  // namespace plumb::testing
