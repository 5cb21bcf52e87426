#include "tests/support/joint_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/checks/samples/oracle_check.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/element/oracle.hpp"
#include "parity/judges/definitions/definition.hpp"
#include "parity/judges/node_judge.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/gpu.hpp"

namespace plumb::testing {
namespace {

using namespace parity;
using Results = std::vector<cases::NodeResult>;

ir::TensorTypes types_of(const std::vector<ir::Tensor>& tensors) {
  ir::TensorTypes types;
  for (const ir::Tensor& one : tensors) types.push_back(one.type());
  return types;
}

std::string described(const ir::Op& op, const std::vector<ir::Tensor>& inputs) {
  std::string text = ir::cat(op.name(), " of");
  for (const ir::Tensor& input : inputs) text += ir::cat(' ', input.type());
  return text;
}

/// How a kernel made the outputs.
struct Making {
  bounds::Manner manner = {};
  std::span<const ir::Sum> sums = {};
};

Results judged_by(const Making& making, const ir::Op& op, const std::vector<ir::Tensor>& inputs,
                  const std::vector<ir::Tensor>& outputs) {
  ref_cpu::CpuExecutor cpu;
  core::Segment segment = core::segment_of(ir::graph_of(op, types_of(inputs)), 0);
  const std::vector<ir::TensorView> views(inputs.begin(), inputs.end());
  segment.judged.inputs = views;
  ir::Feeds fed;
  for (std::size_t i = 0; i < inputs.size(); ++i) fed.emplace(segment.graph.inputs()[i], ir::passes::widen(inputs[i]));
  bounds::Bounded bounded = judges::evaluate(cpu, segment, fed, making.manner, nullptr);
  const settle::Subject subject{cpu, segment, views, making.sums, making.manner};
  std::vector<const ir::Tensor*> pointers;
  for (const ir::Tensor& one : outputs) pointers.push_back(&one);
  judges::NodeJudge judge(subject, bounded, pointers);
  Results results;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    cases::NodeResult& result = results.emplace_back();
    result.node = 0;
    result.output = k;
    result.label = "y";
    result.op = std::string(op.name());
    judge.compare(k, outputs[k], result);
    result.telling = judge.telling(k, result);
    const checks::samples::OracleEffort effort{.drawn = 64, .least_work = 0x1p16};
    if (judge.knows_uncertainty(k) && !making.manner.flushes_subnormals)
      result.oracle = checks::samples::ask_oracles(subject, k, bounded, {1, "y"}, effort);
  }
  return results;
}

Results expect_right(ir::Executor& executor, bool flushes, const ir::Op& op, const std::vector<ir::Tensor>& inputs,
                     Data data, std::vector<ir::Tensor>& outputs) {
  const std::string what = ir::cat(executor.name(), ", ", described(op, inputs));
  ir::OpRun run = ir::run_op_with_report(executor, op, inputs);
  outputs = std::move(run.outputs);
  const Making making{{bounds::safe_arithmetic(run.report.sums), flushes}, run.report.sums};
  Results results = judged_by(making, op, inputs, outputs);
  EXPECT_EQ(complaint_of(results), "") << what;
  for (const cases::NodeResult& one : results) {
    EXPECT_FALSE(data == Data::ordinary && compare::is_too_loose(one.allowed, one.local))
        << what << ", output " << one.output << ": anything would pass";
    EXPECT_EQ(one.oracle.bad + one.oracle.bad_limits, 0u) << what << ": " << one.oracle.said(std::string(op.name()));
  }
  return results;
}

}  // namespace

Results judged(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const std::vector<ir::Tensor>& outputs,
               bool on_gpu) {
  return judged_by({.manner = {{}, on_gpu}}, op, inputs, outputs);
}

std::string complaint_of(const Results& results) {
  for (const cases::NodeResult& result : results) {
    if (result.local.n_without_limit > 0) return "a limit that is not finite";
    if (!result.local.agrees()) return result.name() + ": " + result.summary();
  }
  return "";
}

JointCheck check_jointly(const ir::Op& op, const std::vector<ir::Tensor>& inputs, Data data, Where where) {
  JointCheck check;
  ref_cpu::CpuExecutor cpu({.threads = 1});
  check.of_cpu = expect_right(cpu, false, op, inputs, data, check.cpu);
  for (const int threads : {2, 7}) {
    ref_cpu::CpuExecutor several({.threads = threads});
    const std::vector<ir::Tensor> outputs = ir::run_op(several, op, inputs);
    for (std::size_t k = 0; k < outputs.size(); ++k)
      EXPECT_TRUE(tests::same_bytes(check.cpu[k], outputs[k]))
          << described(op, inputs) << ", output " << k << " by " << threads << " threads";
  }
  if (where == Where::cpu_only) return check;
  if (gpu().executor == nullptr) {
    if (!::testing::Test::HasFailure()) [] { GTEST_SKIP() << "only the CPU was checked: " << gpu().why_not; }();
    return check;
  }
  check.of_gpu = expect_right(*gpu().executor, true, op, inputs, data, check.gpu);
  return check;
}

void check_against_oracle(const ir::Op& op, const std::vector<ir::Tensor>& inputs) {
  ref_cpu::CpuExecutor cpu;
  std::vector<ir::Tensor> wide;
  for (const ir::Tensor& one : inputs) wide.push_back(ir::passes::widen(one));
  const std::vector<ir::Tensor> truth = ir::run_op(cpu, op, wide);
  const ir::Graph graph = ir::graph_of(op, types_of(wide));
  const std::vector<ir::TensorView> views(wide.begin(), wide.end());
  element::Oracle oracle(graph, views, std::int64_t{1} << 30);
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const ir::Tensor numbers = ir::convert(truth[k], ir::DType::f64);
    std::size_t silent = 0;
    for (std::size_t i = 0; i < numbers.as<double>().size(); ++i) {
      const auto found = oracle.element(graph.results()[k], static_cast<std::int64_t>(i));
      if (!found) {
        ++silent;
        continue;
      }
      const double y = numbers.as<double>()[i], defined = static_cast<double>(found->re.value);
      const bool is_near = std::abs(y - defined) <= static_cast<double>(found->re.off) * (1 + 0x1p-20);
      EXPECT_TRUE(is_near || y == defined || (std::isnan(y) && std::isnan(defined)))
          << described(op, wide) << ", output " << k << ", element " << i << ": " << y << ", its oracle says "
          << defined;
    }
    EXPECT_LE(10 * silent, numbers.as<double>().size()) << described(op, wide) << ", output " << k;
  }
}

void check_against_definitions(const ir::Op& op, const std::vector<ir::Tensor>& inputs) {
  ref_cpu::CpuExecutor cpu;
  std::vector<ir::Tensor> wide;
  for (const ir::Tensor& one : inputs) wide.push_back(ir::passes::widen(one));
  const std::vector<ir::Tensor> truth = ir::run_op(cpu, op, wide);
  const auto definition = judges::definitions::find_definition(op, types_of(wide));
  ASSERT_TRUE(definition) << op.name();
  ir::Feeds fed;
  for (std::size_t i = 0; i < wide.size(); ++i)
    fed.emplace(definition->graph.inputs()[definition->operands[i]], wide[i]);
  const ir::Tensors defined = cpu.run(definition->graph, fed, definition->graph.results());
  const ir::Graph graph = ir::graph_of(op, types_of(wide));
  const std::vector<ir::TensorView> views(wide.begin(), wide.end());
  element::Oracle oracle(graph, views, std::int64_t{1} << 30);
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const auto y = truth[k].as<double>(), by_definition = defined.at(definition->graph.results()[k]).as<double>();
    for (std::size_t i = 0; i < y.size(); ++i) {
      const auto found = oracle.element(graph.results()[k], static_cast<std::int64_t>(i));
      const std::string where = ir::cat(described(op, wide), ", output ", k, ", element ", i);
      ASSERT_TRUE(found) << where;
      const auto off = static_cast<double>(found->re.off) * (1 + 0x1p-20);
      EXPECT_NEAR(y[i], static_cast<double>(found->re.value), off) << where;
      EXPECT_NEAR(by_definition[i], static_cast<double>(found->re.value), 2 * off) << where;
    }
  }
}

}  // namespace plumb::testing
