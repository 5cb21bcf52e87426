// Oracles evaluate single elements by the definitions of the ops, and verify asks them (verdict.md V57). That they
// agree with the executor over the cases of every op is asked where those cases are: tests/support/op_check.cpp.
#include "parity/element/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/op_list.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/unary.hpp"
#include "parity/element/functions.hpp"
#include "parity/element/stored.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::element::oracle_test {
namespace {

using core::Verdict;

TEST(Oracles, EveryOpHasOne) {
  auto have = ops_with_oracles();
  auto all = ir::all_schemas();
  std::ranges::sort(have);
  std::ranges::sort(all);
  EXPECT_EQ(have, all);
}

/// An executor whose values of one node are changed on their way.
class Wrong final : public ir::Executor {
 public:
  Wrong(std::string label, std::function<void(ir::Tensor&)> spoil)
      : label_(std::move(label)), spoil_(std::move(spoil)) {}
  std::string_view name() const override { return "wrong"; }
  bool has_kernel(const ir::OpSchema& schema) const override { return honest_.has_kernel(schema); }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    std::vector<ir::Value> spoilt;
    for (const ir::Node& node : graph.nodes())
      if (node.label == label_) spoilt = node.outputs;
    return std::make_unique<Program>(*this, honest_.compile(graph, params, capture), std::move(spoilt));
  }

 private:
  class Program final : public ir::Executable {
   public:
    Program(const Wrong& wrong, std::unique_ptr<ir::Executable> honest, std::vector<ir::Value> spoilt)
        : wrong_(wrong), honest_(std::move(honest)), spoilt_(std::move(spoilt)) {}
    ir::Tensors run(const ir::Feeds& inputs) override {
      ir::Tensors results = honest_->run(inputs);
      for (auto& [value, tensor] : results)
        if (std::ranges::count(spoilt_, value) > 0) wrong_.spoil_(tensor);
      return results;
    }
    std::vector<ir::NodeReport> nodes() const override { return honest_->nodes(); }

   private:
    const Wrong& wrong_;
    const std::unique_ptr<ir::Executable> honest_;
    const std::vector<ir::Value> spoilt_;
  };

  const std::string label_;
  const std::function<void(ir::Tensor&)> spoil_;
  ref_cpu::CpuExecutor honest_;
};

/// Moves every number by a part of itself.
std::function<void(ir::Tensor&)> moved_by(double part) {
  return [=](ir::Tensor& x) {
    if (x.dtype() == ir::DType::f64)
      for (double& number : x.as<double>()) number *= 1 + part;
  };
}

cases::CaseResult verified(ir::Executor& reference, const cases::Case& subject) {
  testing::Suspect candidate;
  cases::Observer nobody;
  return verify::verify(subject, {.reference = reference, .candidate = &candidate}, {.asks_programs = true}, nobody);
}

TEST(Oracles, AnHonestTruthIsWhatTheySay) {
  ref_cpu::CpuExecutor honest;
  const auto result = verified(honest, testing::make_case(testing::small_graph));
  for (const cases::NodeResult& one : result.nodes) {
    EXPECT_GE(one.oracle.asked, 30u) << one.name();
    EXPECT_EQ(one.oracle.bad, 0u) << one.name();
  }
}

TEST(Oracles, ATruthThatIsOffByLessThanAnyLimitIsAnError) {
  for (const char* label : {"scores", "weights", "back"}) {
    Wrong reference(label, moved_by(0x1p-40));
    const auto result = verified(reference, testing::make_case(testing::small_graph));
    const cases::NodeResult& found = testing::node(result, label);
    EXPECT_EQ(found.verdict, Verdict::error) << label;
    EXPECT_TRUE(found.why.starts_with("the truth of ")) << found.why;
    EXPECT_EQ(result.exit, core::ExitCode::tool_error);
  }
}

/// Evaluates formulas of limits by another op in place of one, and everything else as it should.
class WrongFormula final : public ir::Executor {
 public:
  explicit WrongFormula(std::function<std::optional<ir::Op>(const ir::Op&)> replace) : replace_(std::move(replace)) {}
  std::string_view name() const override { return "wrong formula"; }
  bool has_kernel(const ir::OpSchema& schema) const override { return honest_.has_kernel(schema); }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    ir::Graph other = graph.sources();
    for (const ir::Node& node : graph.nodes()) {
      const bool is_formula = node.label.starts_with("bound ");
      other.place(node.label, is_formula ? replace_(node.op).value_or(node.op) : node.op, node.inputs, node.outputs);
    }
    return honest_.compile(other, params, capture);
  }

 private:
  const std::function<std::optional<ir::Op>(const ir::Op&)> replace_;
  ref_cpu::CpuExecutor honest_;
};

/// A formula that is wrong in every element agrees with everything but the terms of an element (verdict.md V58).
TEST(Oracles, AWrongFormulaIsFound) {
  constexpr auto sums = R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[6, 40]"}, "image": {"type": "f32[1, 8, 7, 7]"}},
    "params": {"w": {"type": "f32[40, 7]"}, "filter": {"type": "f32[4, 4, 3, 3]"}, "back": {"type": "f32[8, 3, 3, 3]"}},
    "nodes": [{"label": "matmul", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "gemm", "op": "gemm", "inputs": ["x", "w"], "alpha": 0.3},
              {"label": "dot_general", "op": "dot_general", "inputs": ["x", "w"], "a_batch": [], "b_batch": [],
               "a_contract": [1], "b_contract": [0]},
              {"label": "einsum", "op": "einsum", "inputs": ["x", "w"], "equation": "ij,jk->ki"},
              {"label": "conv", "op": "conv", "inputs": ["image", "filter"], "group": 2, "pads": [1, 1, 1, 1]},
              {"label": "conv_transpose", "op": "conv_transpose", "inputs": ["image", "back"]},
              {"label": "sum", "op": "reduce", "inputs": ["x"], "function": "sum", "axes": [1]},
              {"label": "mean", "op": "reduce", "inputs": ["x"], "function": "mean", "axes": [1]},
              {"label": "average", "op": "pool", "inputs": ["image"], "function": "average", "kernel_shape": [7, 7]}],
    "results": ["matmul", "gemm", "dot_general", "einsum", "conv", "conv_transpose", "sum", "mean", "average"]})";
  const cases::Case subject = testing::make_case(sums);
  ref_cpu::CpuExecutor honest;
  for (const cases::NodeResult& one : verified(honest, subject).nodes) {
    EXPECT_EQ(one.verdict, Verdict::passed) << one.name() << ": " << one.why;
    EXPECT_GT(one.oracle.limits, 0u) << one.name();
  }
  using Unary = ir::ops::Unary;
  using F = ir::ops::UnaryFunction;
  const auto is_of = [](const ir::Op& op, F function) { return op == ir::Op(Unary{function}); };
  WrongFormula not_squared(
      [&](const ir::Op& op) { return is_of(op, F::square) ? std::optional<ir::Op>(Unary{F::abs}) : std::nullopt; });
  WrongFormula without_root(
      [&](const ir::Op& op) { return is_of(op, F::sqrt) ? std::optional<ir::Op>(Unary{F::abs}) : std::nullopt; });
  for (WrongFormula* const wrong : {&not_squared, &without_root})
    for (const cases::NodeResult& one : verified(*wrong, subject).nodes) {
      EXPECT_EQ(one.verdict, Verdict::error) << one.name();
      EXPECT_TRUE(one.why.starts_with("wrong limit")) << one.name() << ": " << one.why;
    }
}

/// Ops with sums inside of them.
constexpr auto composed = R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[6, 40]"}, "q": {"type": "f32[1, 2, 7, 8]"}, "k": {"type": "f32[1, 2, 9, 8]"},
               "v": {"type": "f32[1, 2, 9, 5]"},
               "large": {"type": "f32[3, 4, 11]", "fill": {"distribution": "normal", "scale": 100}}},
    "params": {"scale": {"type": "f32[4]"}, "bias": {"type": "f32[4]"}, "of_line": {"type": "f32[11]"}},
    "nodes": [{"label": "softmax", "op": "softmax", "inputs": ["x"]},
              {"label": "log_softmax", "op": "log_softmax", "inputs": ["x"]},
              {"label": "attention", "op": "attention", "inputs": ["q", "k", "v"]},
              {"label": "layer_norm", "op": "layer_norm", "inputs": ["large", "of_line", "of_line"]},
              {"label": "rms_norm", "op": "rms_norm", "inputs": ["large", "of_line"]},
              {"label": "group_norm", "op": "group_norm", "inputs": ["large", "scale", "bias"], "num_groups": 2},
              {"label": "instance_norm", "op": "instance_norm", "inputs": ["large", "scale", "bias"]}],
    "results": ["softmax", "log_softmax", "attention", "layer_norm", "rms_norm", "group_norm", "instance_norm"]})";

/// Takes the root away from formulas: where numbers are large, limits are then far too small.
std::optional<ir::Op> without_root_of(const ir::Op& op) {
  using ir::ops::Unary, ir::ops::UnaryFunction;
  return op == ir::Op(Unary{UnaryFunction::sqrt}) ? std::optional<ir::Op>(Unary{UnaryFunction::abs}) : std::nullopt;
}

/// A line that is not added up leaves limits too small, and so does a missing root where numbers are large. Magnitudes
/// in place of their squares make these limits too large.
TEST(Oracles, AWrongFormulaOfAnOpWithSumsInsideIsFound) {
  const cases::Case subject = testing::make_case(composed);
  ref_cpu::CpuExecutor honest;
  for (const cases::NodeResult& one : verified(honest, subject).nodes) {
    EXPECT_EQ(one.verdict, Verdict::passed) << one.name() << ": " << one.why;
    EXPECT_GT(one.oracle.limits, 0u) << one.name();
  }
  using ir::ops::Reduce, ir::ops::ReduceFunction, ir::ops::Unary, ir::ops::UnaryFunction;
  WrongFormula largest_of_line([](const ir::Op& op) {
    const bool is_sum = op.is<Reduce>() && op.as<Reduce>().function == ReduceFunction::sum;
    return is_sum ? std::optional<ir::Op>(Reduce{ReduceFunction::max, op.as<Reduce>().axes, op.as<Reduce>().keep_dims})
                  : std::nullopt;
  });
  WrongFormula without_root(without_root_of);
  WrongFormula not_squared([](const ir::Op& op) {
    return op == ir::Op(Unary{UnaryFunction::square}) ? std::optional<ir::Op>(Unary{UnaryFunction::abs}) : std::nullopt;
  });
  const auto expect_found = [&](WrongFormula& wrong, std::initializer_list<const char*> labels) {
    const auto result = verified(wrong, subject);
    for (const char* const label : labels) {
      const cases::NodeResult& one = testing::node(result, label);
      EXPECT_EQ(one.verdict, Verdict::error) << label;
      EXPECT_TRUE(one.why.starts_with("wrong limit") &&
                  one.why.find("the steps of its element program") != one.why.npos)
          << label << ": " << one.why;
    }
  };
  expect_found(largest_of_line, {"softmax", "log_softmax", "attention"});
  expect_found(without_root, {"layer_norm", "rms_norm", "group_norm", "instance_norm"});
  expect_found(not_squared, {"layer_norm", "group_norm", "instance_norm"});  // that of rms_norm is 16 times too large
}

/// A run asks fewer elements, and calls limits wrong where all of them disagree.
TEST(Oracles, RunsFindAFormulaThatIsWrongByMoreThanAFactorOfTwo) {
  const cases::Case subject = testing::make_case(composed);
  const auto run = [&](ir::Executor& reference) {
    testing::Suspect candidate;
    cases::Observer nobody;
    return verify::verify(subject, {.reference = reference, .candidate = &candidate}, {}, nobody);
  };
  ref_cpu::CpuExecutor honest;
  for (const cases::NodeResult& one : run(honest).nodes) {
    EXPECT_EQ(one.verdict, Verdict::passed) << one.name() << ": " << one.why;
    EXPECT_GT(one.oracle.limits, 1u) << one.name();
    EXPECT_LE(one.oracle.limits, 3u) << one.name();
  }
  WrongFormula without_root(without_root_of);
  const auto result = run(without_root);
  for (const char* const label : {"layer_norm", "instance_norm"}) {
    const cases::NodeResult& one = testing::node(result, label);
    EXPECT_EQ(one.verdict, Verdict::error) << label;
    EXPECT_TRUE(one.why.starts_with("wrong limit")) << label << ": " << one.why;
  }
}

TEST(Oracles, AskThoseOfTheOpsBeforeThem) {
  ir::Graph graph;
  const ir::Value x = graph.input("x", {ir::DType::f32, {2, 3}}), w = graph.input("w", {ir::DType::f32, {3, 2}});
  const ir::Value product = graph.add("product", ir::ops::Matmul{}, {x, w});
  const ir::Value squares =
      graph.add("squares", ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {product, product});
  const auto of_x = ir::Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}),
             of_w = ir::Tensor::of<float>({3, 2}, {1, 0, 0, 1, 1, 1});
  const ir::TensorView inputs[] = {of_x, of_w};
  Oracle oracle(graph, inputs, 1000);
  const auto found = oracle.element(squares, 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->re.value, 121);
  Oracle poor(graph, inputs, 5);
  EXPECT_FALSE(poor.element(squares, 3));
  EXPECT_TRUE(poor.is_exhausted());
}

TEST(Oracles, SayNothingWhereARoundingDecides) {
  ir::Graph graph;
  const ir::Value x = graph.input("x", {ir::DType::f64, {2}});
  const ir::Value third = graph.add("root", ir::ops::Unary{ir::ops::UnaryFunction::sqrt}, {x});
  const ir::Value square = graph.add("square", ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {third, third});
  const ir::Value floor = graph.add("floor", ir::ops::Unary{ir::ops::UnaryFunction::floor}, {square});
  const auto of_x = ir::Tensor::of<double>({2}, {3, 3.5});
  const ir::TensorView inputs[] = {of_x};
  Oracle oracle(graph, inputs, 1000);
  EXPECT_FALSE(oracle.element(floor, 0));
  const auto clear = oracle.element(floor, 1);
  ASSERT_TRUE(clear);
  EXPECT_EQ(clear->re.value, 3);
}

/// From -37.5 down Φ(x) is one of the smallest numbers of f64, and what it loses there is multiplied by x.
TEST(Functions, KnowWhatAProductWithASubnormalNumberLoses) {
  std::vector<double> x(1000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = -37.5 - 0.0011 * static_cast<double>(i);
  ref_cpu::CpuExecutor cpu;
  for (const auto function : {ir::ops::UnaryFunction::gelu, ir::ops::UnaryFunction::silu}) {
    const ir::Tensor of = ir::Tensor::of<double>({1000}, x);
    const ir::Tensor y = ir::run_op(cpu, ir::ops::Unary{function}, {of})[0];
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Real known = function_of(function, Real(x[i]));
      EXPECT_LE(std::fabs(known.value - y.as<double>()[i]), known.off) << "of " << x[i];
      EXPECT_LE(known.off, 0x1p-40L * std::fabs(known.value) + 50 * std::numeric_limits<double>::denorm_min());
    }
  }
}

TEST(Reals, KnowWhatF64MayBeOff) {
  const Real third = Real(1) / Real(3);
  EXPECT_GT(third.off, 0x1p-56L);
  EXPECT_LT(third.off, 0x1p-53L);
  EXPECT_EQ((Real(0.5L) * Real(6)).off, 0);
  EXPECT_EQ((Real(1) + Real(0x1p-30L)).off, 0);
  EXPECT_GT((Real(1) + Real(0x1p-60L)).off, 0);
  EXPECT_EQ((Real(7) / Real(2)).off, 0);
  EXPECT_THROW(less(third, Real(1) / Real(3)), NoAnswer);
  EXPECT_FALSE(less(Real(NAN), Real(1)));
}

TEST(Stored, IntegersOfAnySizeAreExact) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto x = ir::Tensor::of<std::int64_t>({2}, {most, -most - 1});
  EXPECT_EQ(static_cast<std::int64_t>(number_of(x, 0).re.value), most);
  EXPECT_EQ(static_cast<std::int64_t>(number_of(x, 1).re.value), -most - 1);
  EXPECT_EQ(wrapped(ir::DType::i8, 200), -56);
  EXPECT_EQ(stored_as(ir::DType::f32, ir::DType::u8, {Real(300)}).re.value, 255);
  EXPECT_EQ(stored_as(ir::DType::i64, ir::DType::i32, {Real(0x1p31L)}).re.value, -0x1p31L);
}

}  // namespace
}  // namespace plumb::parity::element::oracle_test
