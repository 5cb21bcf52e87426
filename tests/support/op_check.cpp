#include "tests/support/op_check.hpp"

#include <gtest/gtest.h>

#include "ir/ops/matmul.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/checks/samples/oracle_check.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/settle/settle.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/gpu.hpp"

namespace plumb::testing {
namespace {

/// Sums are held to f32's, but for those that may be f16's and were.
parity::bounds::Arithmetic arithmetic_of(const ir::Op& op, std::span<const ir::Sum> sums) {
  const bool may_be_narrow = op.is<ir::ops::Matmul>() && op.as<ir::ops::Matmul>().accumulator == ir::DType::f16;
  return may_be_narrow ? parity::bounds::safe_arithmetic(sums) : parity::bounds::Arithmetic{};
}

/// The truth of an op on these inputs, and what its outputs may be.
class Truth {
 public:
  Truth(const ir::Op& op, const std::vector<ir::Tensor>& inputs, bool on_gpu, std::span<const ir::Sum> sums = {})
      : inputs_(inputs.begin(), inputs.end()), manner_{arithmetic_of(op, sums), on_gpu} {
    ir::TensorTypes types;
    for (const ir::Tensor& input : inputs) types.push_back(input.type());
    segment_ = parity::core::segment_of(ir::graph_of(op, types), 0);
    segment_.judged.inputs = inputs_;
    bounded_ = parity::bounds::evaluate_bounded(
        cpu_, segment_, [&](ir::Value v) { return ir::passes::widen(inputs.at(v)); }, manner_);
  }

  const ir::Tensor& output(std::size_t k) const { return bounded_.truth.outputs.at(k); }
  /// The limits of output k, elements that are off by more than half of theirs looked at one by one.
  parity::compare::Allowed allowed(std::size_t k, const ir::TensorView& got) {
    return parity::settle::settle({cpu_, segment_, inputs_, {}, manner_}, k, bounded_, got).allowed;
  }

  /// Elements of output k, held to the definition of the op.
  parity::cases::OracleSample oracle(std::size_t k) {
    const parity::checks::samples::OracleEffort effort{.drawn = 256, .least_work = 0x1p16};
    return parity::checks::samples::ask_oracles({cpu_, segment_, inputs_, {}, manner_}, k, bounded_, {1, "y"}, effort);
  }

 private:
  ref_cpu::CpuExecutor cpu_;
  std::vector<ir::TensorView> inputs_;
  parity::bounds::Manner manner_;
  parity::core::Segment segment_;
  parity::bounds::Bounded bounded_;
};

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

/// Decimals in a test's source are rounded, as are those of the operands that they were computed from.
parity::compare::Allowed with_rounded_decimals(parity::compare::Allowed allowed, ir::DType dtype) {
  using parity::compare::Allowed;
  if (allowed.rule == Allowed::Rule::rounded) allowed = {.rule = Allowed::Rule::within};
  allowed.relative += 8 * ir::unit_roundoff(dtype);
  return allowed;
}

void expect_stated(ir::Executor& executor, const ir::Op& op, const std::vector<ir::Tensor>& inputs,
                   const std::vector<ir::Tensor>& expected, bool on_gpu) {
  const auto [got, report] = ir::run_op_with_report(executor, op, inputs);
  ASSERT_EQ(got.size(), expected.size()) << op.name();
  Truth truth(op, inputs, on_gpu, report.sums);
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(expected[k].type(), got[k].type()) << describe(op, inputs, k);
    const auto limit = with_rounded_decimals(truth.allowed(k, got[k]), got[k].dtype());
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
  Truth on_host(op, inputs, false), on_device(op, inputs, true, report.sums);
  OpCheck result;
  for (std::size_t k = 0; k < native.size(); ++k) {
    const ir::Tensor& truth = on_host.output(k);
    const parity::cases::OracleSample oracle = on_host.oracle(k);  // before any limit is made the element's own
    EXPECT_EQ(oracle.bad + oracle.bad_limits, 0u)
        << describe(op, inputs, k) << ": " << oracle.said(std::string(op.name()));
    const parity::compare::Allowed of_host = on_host.allowed(k, native[k]);
    const auto on_cpu = result.cpu.emplace_back(parity::compare::compare(truth, native[k], of_host));
    EXPECT_TRUE(on_cpu.agrees()) << "ref_cpu, " << describe(op, inputs, k) << ": " << parity::compare::summary(on_cpu);
    EXPECT_FALSE(data == Data::ordinary && parity::compare::is_too_loose(of_host, on_cpu))
        << "ref_cpu, " << describe(op, inputs, k) << ": the error allowed would allow anything";
    if (!with_gpu) continue;
    const parity::compare::Allowed of_device = on_device.allowed(k, device[k]);
    const auto on_gpu = result.gpu.emplace_back(parity::compare::compare(truth, device[k], of_device));
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

void check_bytes(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const ir::Tensor& expected) {
  ref_cpu::CpuExecutor cpu;
  EXPECT_TRUE(tests::same_bytes(ir::run_op(cpu, op, inputs).front(), expected))
      << "ref_cpu, " << describe(op, inputs, 0);
  if (gpu().executor == nullptr) GTEST_SKIP() << gpu().why_not;
  ir::Executor& device = *gpu().executor;
  EXPECT_TRUE(tests::same_bytes(ir::run_op(device, op, inputs).front(), expected))
      << device.name() << ", " << describe(op, inputs, 0);
}

ir::Tensor random_tensor(const ir::TensorType& type, std::uint64_t seed) {
  return random_tensor(type, seed, ir::default_fill(type.dtype));
}

ir::Tensor random_tensor(const ir::TensorType& type, std::uint64_t seed, const ir::Fill& how) {
  return ir::fill(type, how, seed, 0);
}

}  // namespace plumb::testing
