#include "tests/support/op_check.hpp"

#include <gtest/gtest.h>

#include "ir/ops/matmul.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/compare/tolerance.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"

namespace plumb::testing {
namespace {

/// Sums are held to f32's, but for those that may be f16's and were.
parity::bounds::Arithmetic arithmetic_of(const ir::Op& op, std::span<const ir::Sum> sums) {
  const bool may_be_narrow = op.is<ir::ops::Matmul>() && op.as<ir::ops::Matmul>().accumulator == ir::DType::f16;
  return may_be_narrow ? parity::bounds::safe_arithmetic(sums) : parity::bounds::Arithmetic{};
}

parity::bounds::Bounded truth_of(const ir::Op& op, const std::vector<ir::Tensor>& inputs, bool on_gpu,
                                 std::span<const ir::Sum> sums = {}) {
  ir::TensorTypes types;
  for (const ir::Tensor& input : inputs) types.push_back(input.type());
  parity::core::Segment segment = parity::core::segment_of(ir::graph_of(op, types), 0);
  for (const ir::Tensor& input : inputs) segment.judged.inputs.push_back(input);
  ref_cpu::CpuExecutor cpu;
  return parity::bounds::evaluate_bounded(cpu, segment, [&](ir::Value v) { return ir::passes::widen(inputs.at(v)); },
                                          {arithmetic_of(op, sums), on_gpu});
}

/// "softmax of f32[2, 3], axis -1": what to run to see it again.
std::string describe(const ir::Op& op, const std::vector<ir::Tensor>& inputs, std::size_t output) {
  std::string text = ir::cat(op.name(), " of");
  for (const ir::Tensor& input : inputs) text += ir::cat(" ", input.type());
  for (const auto& [name, attribute] : op.attributes()) {
    text += ir::cat(", ", name, " ");
    const auto show = [&]<class T>(const T& value) {
      if constexpr (std::is_same_v<T, bool>)
        text += value ? "true" : "false";
      else if constexpr (requires { std::string_view(value); })
        text += value;
      else if constexpr (requires { std::to_string(value); })
        text += ir::cat(value);
      else
        text += ir::cat("(", value.size(), ")");
    };
    std::visit(show, attribute);
  }
  return ir::cat(text, ", output ", output);
}

void expect_stated(ir::Executor& executor, const ir::Op& op, const std::vector<ir::Tensor>& inputs,
                   const std::vector<ir::Tensor>& expected, bool on_gpu) {
  const auto [got, report] = ir::run_op_with_report(executor, op, inputs);
  ASSERT_EQ(got.size(), expected.size()) << op.name();
  const auto truth = truth_of(op, inputs, on_gpu, report.sums);
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(expected[k].type(), got[k].type()) << describe(op, inputs, k);
    const auto limit = parity::compare::with_rounded_decimals(truth.allowed[k], got[k].dtype());
    const auto comparison = parity::compare::compare(expected[k], got[k], limit);
    EXPECT_TRUE(comparison.agrees()) << executor.name() << ", " << describe(op, inputs, k) << ": "
                                     << parity::compare::summary(comparison);
  }
}

}  // namespace

OpCheck check_op(const ir::Op& op, const std::vector<ir::Tensor>& inputs, Where where, Data data) {
  ref_cpu::CpuExecutor cpu;
  const auto native = ir::run_op(cpu, op, inputs);
  const bool with_gpu = where == Where::cpu_and_gpu && gpu().executor != nullptr;
  const auto [device, report] = with_gpu ? ir::run_op_with_report(*gpu().executor, op, inputs) : ir::OpRun{};
  const auto on_host = truth_of(op, inputs, false), on_device = truth_of(op, inputs, true, report.sums);
  OpCheck result;
  for (std::size_t k = 0; k < native.size(); ++k) {
    const auto& truth = on_host.truth.outputs[k];
    const auto on_cpu = result.cpu.emplace_back(parity::compare::compare(truth, native[k], on_host.allowed[k]));
    EXPECT_TRUE(on_cpu.agrees()) << "ref_cpu, " << describe(op, inputs, k) << ": " << parity::compare::summary(on_cpu);
    EXPECT_FALSE(data == Data::ordinary && parity::compare::is_too_loose(on_host.allowed[k], on_cpu))
        << "ref_cpu, " << describe(op, inputs, k) << ": the error allowed would allow anything";
    if (!with_gpu) continue;
    const auto on_gpu = result.gpu.emplace_back(parity::compare::compare(truth, device[k], on_device.allowed[k]));
    EXPECT_TRUE(on_gpu.agrees()) << gpu().executor->name() << ", " << describe(op, inputs, k) << ": "
                                 << parity::compare::summary(on_gpu);
  }
  if (where == Where::cpu_and_gpu && !with_gpu && !::testing::Test::HasFailure())
    [] { GTEST_SKIP() << "only the CPU was checked: " << gpu().why_not; }();
  return result;
}

void check_cpu(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const std::vector<ir::Tensor>& expected) {
  ref_cpu::CpuExecutor cpu;
  expect_stated(cpu, op, inputs, expected, false);
}

void check_gpu(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const std::vector<ir::Tensor>& expected) {
  if (gpu().executor == nullptr) GTEST_SKIP() << gpu().why_not;
  expect_stated(*gpu().executor, op, inputs, expected, true);
}

ir::Tensor random_tensor(const ir::TensorType& type, std::uint64_t seed) {
  return random_tensor(type, seed, ir::default_fill(type.dtype));
}

ir::Tensor random_tensor(const ir::TensorType& type, std::uint64_t seed, const ir::Fill& how) {
  return ir::fill(type, how, seed, 0);
}

}  // namespace plumb::testing
