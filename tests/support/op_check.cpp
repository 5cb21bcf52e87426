#include "tests/support/op_check.hpp"

#include <gtest/gtest.h>

#include "ir/passes/widen.hpp"
#include "parity/tolerance.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"

namespace plumb::testing {
namespace {

/// An op alone in a graph, with its operands as inputs "0", "1", ...
struct Alone {
  ir::Graph graph;
  std::vector<ir::Value> outputs;
};

Alone alone(const ir::Op& op, const std::vector<ir::Tensor>& inputs) {
  Alone made;
  std::vector<ir::Value> operands;
  for (const ir::Tensor& input : inputs)
    operands.push_back(made.graph.input(std::to_string(operands.size()), input.type()));
  made.outputs = made.graph.add_all("y", op, operands);
  for (const ir::Value v : made.outputs) made.graph.returns(v);
  return made;
}

std::vector<ir::Tensor> run_alone(ir::Executor& executor, const Alone& made, const std::vector<ir::Tensor>& inputs) {
  ir::Feeds feeds;
  for (const ir::Tensor& input : inputs) feeds.emplace(std::to_string(feeds.size()), input);
  auto results = executor.run(made.graph, feeds, made.outputs);
  std::vector<ir::Tensor> outputs;
  for (const ir::Value v : made.outputs) outputs.push_back(std::move(results.at(v)));
  return outputs;
}

std::vector<ir::Tensor> truth_of(const ir::Op& op, const std::vector<ir::Tensor>& inputs) {
  Alone made = alone(op, inputs);
  made.graph = ir::widen(made.graph);
  std::vector<ir::Tensor> wide;
  for (const ir::Tensor& input : inputs) wide.push_back(ir::widen(input));
  ref_cpu::CpuExecutor cpu;
  return run_alone(cpu, made, wide);
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

parity::Judged judged_alone(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const Alone& made, bool on_gpu) {
  ir::TensorTypes out;
  for (const ir::Value v : made.outputs) out.push_back(made.graph.type(v));
  auto what = parity::judged(op, {inputs.begin(), inputs.end()}, out);
  what.flushes_subnormals = on_gpu;
  return what;
}

void expect_stated(ir::Executor& executor, const ir::Op& op, const std::vector<ir::Tensor>& inputs,
                   const std::vector<ir::Tensor>& expected, bool on_gpu) {
  const Alone made = alone(op, inputs);
  const auto got = run_alone(executor, made, inputs);
  ASSERT_EQ(got.size(), expected.size()) << op.name();
  const auto what = judged_alone(op, inputs, made, on_gpu);
  for (std::size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(expected[k].type(), got[k].type()) << describe(op, inputs, k);
    const auto limit = parity::allowed_for(what, got[k].dtype(), parity::measure(expected[k], expected[k]));
    const auto comparison = parity::compare(expected[k], got[k], limit);
    EXPECT_TRUE(comparison.agrees()) << executor.name() << ", " << describe(op, inputs, k) << ": "
                                     << parity::summary(comparison);
  }
}

}  // namespace

std::vector<ir::Tensor> run_op(ir::Executor& executor, const ir::Op& op, const std::vector<ir::Tensor>& inputs) {
  return run_alone(executor, alone(op, inputs), inputs);
}

OpCheck check_op(const ir::Op& op, const std::vector<ir::Tensor>& inputs, Where where) {
  const Alone made = alone(op, inputs);
  const auto truth = truth_of(op, inputs);
  ref_cpu::CpuExecutor cpu;
  const auto native = run_alone(cpu, made, inputs);
  const bool with_gpu = where == Where::cpu_and_gpu && gpu().executor != nullptr;
  const auto device = with_gpu ? run_alone(*gpu().executor, made, inputs) : std::vector<ir::Tensor>{};
  OpCheck result;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const auto what = judged_alone(op, inputs, made, false), what_gpu = judged_alone(op, inputs, made, true);
    const auto measured = parity::measure(truth[k], native[k]);
    const ir::DType dtype = native[k].dtype();
    const auto limit = parity::allowed_for(what, dtype, measured);
    const auto on_cpu = result.cpu.emplace_back(parity::compare(truth[k], native[k], limit));
    EXPECT_TRUE(on_cpu.agrees()) << "ref_cpu, " << describe(op, inputs, k) << ": " << parity::summary(on_cpu);
    EXPECT_FALSE(parity::is_too_loose(limit, on_cpu, dtype))
        << "ref_cpu, " << describe(op, inputs, k) << ": its own error, up to " << measured.max_abs.value
        << ", would allow anything";
    if (!with_gpu) continue;
    const auto on_gpu =
        result.gpu.emplace_back(parity::compare(truth[k], device[k], parity::allowed_for(what_gpu, dtype, measured)));
    EXPECT_TRUE(on_gpu.agrees()) << gpu().executor->name() << ", " << describe(op, inputs, k) << ": "
                                 << parity::summary(on_gpu);
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
