// Explanations of a failure by how the results were computed: planted by an evaluation node after node, as a NumPy user
// would write it, with operands or results rounded in between.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ir/ops/binary.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "tests/parity/checks/expected/small_graph.hpp"

namespace plumb::expected_test {
namespace {

using ir::DType, ir::Tensor, ir::Value;
using parity::cases::ExpectedResult;
using parity::core::Verdict;

using Change = std::function<void(const ir::Node&, std::vector<Tensor>&)>;

void nothing(const ir::Node&, std::vector<Tensor>&) {}

/// The results of a graph whose operands and outputs are changed on the way.
Given evaluate(const ir::Graph& graph, const ir::Feeds& feeds, const Change& operands, const Change& outputs) {
  std::map<Value, Tensor> values;
  for (Value v = 0; graph.is_source(v); ++v) values.emplace(v, ir::fed(graph, feeds, v));
  for (const ir::Node& node : graph.nodes()) {
    std::vector<Tensor> in;
    for (const Value v : node.inputs) in.push_back(values.at(v));
    operands(node, in);
    std::vector<Tensor> out = ir::run_op(cpu(), node.op, in);
    outputs(node, out);
    for (std::size_t k = 0; k < out.size(); ++k) values.insert_or_assign(node.outputs[k], std::move(out[k]));
  }
  Given results;
  for (const Value v : graph.results()) results.emplace(graph.name(v), values.at(v));
  return results;
}

/// Rounds f32 numbers to so many bits, to nearest.
void round_to(int bits, Tensor& x) {
  if (x.dtype() != DType::f32) return;
  for (float& number : x.as<float>()) {
    int exponent = 0;
    const double significand = std::frexp(static_cast<double>(number), &exponent);
    number = static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(significand, bits)), exponent - bits));
  }
}

/// Rounds the operands of products.
Change operands_of(int bits) {
  return [bits](const ir::Node& node, std::vector<Tensor>& operands) {
    if (!node.op.is<ir::ops::Matmul>() && !node.op.is<ir::ops::Gemm>()) return;
    for (Tensor& x : operands) round_to(bits, x);
  };
}
/// Rounds every value.
Change values_of(int bits) {
  return [bits](const ir::Node&, std::vector<Tensor>& outputs) {
    for (Tensor& x : outputs) round_to(bits, x);
  };
}

/// Two products with a norm and a gelu between them.
Small network() {
  Small small;
  const Value x = small.input("x", drawn({16, 48}, 1)), up = small.input("up", drawn({48, 64}, 2)),
              down = small.input("down", drawn({64, 8}, 3));
  const Value scale = small.input("scale", drawn({64}, 4));
  const Value hidden = small.add("hidden", ir::ops::Matmul{}, {x, up});
  const Value norm = small.add("norm", ir::ops::RmsNorm{}, {hidden, scale});
  const Value gelu = small.add("gelu", ir::ops::Unary{ir::ops::UnaryFunction::gelu}, {norm});
  small.returns(small.add("y", ir::ops::Matmul{}, {gelu, down}));
  return small;
}

TEST(Explain, CoarserOperandsAndValuesAreNamed) {
  const Small small = network();
  const auto explained = [&](const Change& operands, const Change& outputs) {
    const ExpectedResult result = small.hold("y", evaluate(small.graph(), small.feeds(), operands, outputs).at("y"));
    EXPECT_EQ(result.verdict, Verdict::failed);
    EXPECT_NE(result.why.find(result.explanation.text), std::string::npos) << result.why;
    EXPECT_LT(result.explanation.ratio, 1) << result.why;
    return result.explanation.precision;
  };
  EXPECT_EQ(explained(operands_of(11), nothing), "tf32");
  EXPECT_EQ(explained(operands_of(8), nothing), "bf16_products");
  EXPECT_EQ(explained(operands_of(11), values_of(11)), "f16");
  EXPECT_EQ(explained(operands_of(8), values_of(8)), "bf16");
}

TEST(Explain, NumbersOfF32InAFileOfF64AreAskedAbout) {
  constexpr auto question = "; all are f32 numbers: --expected-precision f32?";
  const Small small = network();
  Tensor wide = ir::convert(evaluate(small.graph(), small.feeds(), nothing, nothing).at("y"), DType::f64);
  const ExpectedResult asked = small.hold("y", wide);
  EXPECT_EQ(asked.verdict, Verdict::failed);  // it is held to roundings of f64
  EXPECT_TRUE(asked.why.ends_with(question)) << asked.why;
  EXPECT_EQ(small.hold("y", wide, {.precision = "f32"}).verdict, Verdict::passed);
  const ExpectedResult told = small.hold("y", wide, {.precision = "f64"});
  EXPECT_EQ(told.verdict, Verdict::failed);
  EXPECT_EQ(told.why.find(question), std::string::npos) << told.why;
  wide.as<double>()[5] *= 1 + 0x1p-30;  // one number that no f32 is
  EXPECT_EQ(small.hold("y", wide).why.find(question), std::string::npos);
}

TEST(Explain, EachTensorOfAnArchiveIsHeldToWhatItIsStoredIn) {
  const Small small = network();
  const auto truth = [&](const std::string& name) {
    const ir::Graph wide = ir::passes::widen(small.graph());
    ir::Feeds feeds;
    for (const auto& [from, tensor] : small.feeds()) feeds.emplace(from, ir::passes::widen(tensor));
    const Value value = *wide.find(name);
    return cpu().run(wide, feeds, {value}).at(value);
  };
  const Tensor y = evaluate(small.graph(), small.feeds(), nothing, nothing).at("y");
  Tensor hidden = truth("hidden");
  const auto held = [&] { return small.hold({{"hidden", hidden}, {"y", y}}); };
  const auto both = held();
  EXPECT_EQ(both.at(0).precision, "f64");
  EXPECT_EQ(both.at(0).verdict, Verdict::passed) << both.at(0).why;
  EXPECT_EQ(both.at(1).precision, "f32");
  EXPECT_EQ(both.at(1).verdict, Verdict::passed) << both.at(1).why;
  hidden.as<double>()[7] += 1e-10;  // far within the limits of f32
  EXPECT_EQ(held().at(0).verdict, Verdict::failed);
  EXPECT_EQ(held().at(1).verdict, Verdict::passed);
  // A tensor that was cast from f32 has its numbers.
  hidden = ir::convert(ir::convert(truth("hidden"), DType::f32), DType::f64);
  EXPECT_EQ(held().at(0).precision, "f32");
  EXPECT_EQ(held().at(0).verdict, Verdict::passed) << held().at(0).why;
}

/// Mixed precision hands on what it rounded: a result that is f32 again has these roundings, what is before has not.
TEST(Explain, WhatIsBehindACoarseTensorIsHeldNoTighter) {
  const Small small = network();
  std::optional<Tensor> hidden, half;
  const Change rounds_hidden = [&](const ir::Node& node, std::vector<Tensor>& outputs) {
    if (node.label != "hidden") return;
    hidden = outputs[0];
    half = ir::convert(outputs[0], DType::f16);
    outputs[0] = ir::convert(*half, DType::f32);
  };
  const Tensor y = evaluate(small.graph(), small.feeds(), nothing, rounds_hidden).at("y");
  const auto behind = small.hold({{"hidden", *half}, {"y", y}});
  EXPECT_EQ(behind.at(0).precision, "f16");
  EXPECT_EQ(behind.at(1).precision, "f16");
  EXPECT_EQ(behind.at(1).verdict, Verdict::passed) << behind.at(1).why;
  EXPECT_EQ(small.hold("y", y).verdict, Verdict::failed);  // by itself it is f32, and has other roundings
  const auto before = small.hold({{"hidden", *hidden}, {"y", ir::convert(y, DType::f16)}});
  EXPECT_EQ(before.at(0).precision, "f32");
  EXPECT_EQ(before.at(1).precision, "f16");
}

TEST(Explain, WhatNoRoundingMakesIsNotExplained) {
  const Small small = network();
  Tensor given = evaluate(small.graph(), small.feeds(), nothing, nothing).at("y");
  ASSERT_EQ(small.hold("y", given).verdict, Verdict::passed);
  given.as<float>()[3] += 1e-3f;
  const ExpectedResult one = small.hold("y", given);
  EXPECT_EQ(one.verdict, Verdict::failed);
  EXPECT_EQ(one.explanation.text, "") << one.why;
  for (float& x : given.as<float>()) x += 3;
  EXPECT_EQ(small.hold("y", given).explanation.text, "");
}

/// A product, a bias and a sigmoid, of random numbers.
Small layer() {
  Small small;
  const Value x = small.input("x", drawn({8, 64}, 5)), w = small.input("w", drawn({64, 8}, 6));
  const Value product = small.add("product", ir::ops::Matmul{}, {x, w});
  const Value third = small.scalar("third", 1.0f / 3);
  const Value shifted =
      small.add("shifted", ir::ops::Binary{ir::ops::BinaryFunction::subtract}, {product, small.scalar("eight", 8.0f)});
  const Value gate = small.add("gate", ir::ops::Unary{ir::ops::UnaryFunction::sigmoid}, {shifted});
  small.returns(small.add("y", ir::ops::Binary{ir::ops::BinaryFunction::multiply}, {gate, third}));
  return small;
}

TEST(Explain, AnAbsoluteErrorOfAFunctionIsNamedWithItsSize) {
  const Small small = layer();
  const auto off = [](const ir::Node& node, std::vector<Tensor>& outputs) {
    if (!node.op.is<ir::ops::Unary>()) return;
    int i = 0;
    for (float& x : outputs[0].as<float>()) x += 7e-8f * static_cast<float>(std::cos(7.0 * i++));
  };
  const Given given = evaluate(small.graph(), small.feeds(), nothing, off);
  const ExpectedResult behind = small.hold("y", given.at("y"));
  EXPECT_EQ(behind.verdict, Verdict::failed);
  EXPECT_NE(behind.why.find("sigmoid"), std::string::npos) << behind.why;
  EXPECT_GT(behind.explanation.absolute, 3e-8) << behind.why;
  EXPECT_LT(behind.explanation.absolute, 3e-7) << behind.why;
  // Where the function's own result is given, the size is what was seen.
  Tensor gates = cpu().run(small.graph(), small.feeds(), {*small.graph().find("gate")}).begin()->second;
  for (float& x : gates.as<float>()) x += 6e-8f;
  const ExpectedResult direct = small.hold("gate", gates);
  EXPECT_NEAR(direct.explanation.absolute, 6e-8, 1e-8) << direct.why;
}

TEST(Explain, DoublesFromOtherConstantsWouldPassAsF32) {
  const Small small = layer();
  ir::Feeds wide;
  for (const auto& [name, tensor] : small.feeds()) wide.emplace(name, ir::passes::widen(tensor));
  const auto third = [](const ir::Node& node, std::vector<Tensor>& outputs) {
    if (node.label == "third") outputs[0].as<double>()[0] = 1.0 / 3;
  };
  const Given given = evaluate(ir::passes::widen(small.graph()), wide, nothing, third);
  const ExpectedResult result = small.hold("y", given.at("y"));
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_EQ(result.explanation.precision, "f32") << result.why;
  EXPECT_EQ(small.hold("y", given.at("y"), {.precision = "f32"}).verdict, Verdict::passed);
}

TEST(Explain, SumsInF16AreNamed) {
  Small small;
  constexpr std::int64_t terms = 1000;
  Tensor x({DType::f32, {4, terms}}), w({DType::f32, {terms, 4}}), y({DType::f32, {4, 4}});
  for (std::size_t i = 0; i < 4 * terms; ++i) {
    x.as<float>()[i] = 1 + static_cast<float>(i * 37 % 101) / 128;
    w.as<float>()[i] = 1 + static_cast<float>(i * 53 % 97) / 128;
  }
  small.returns(small.add("y", ir::ops::Matmul{}, {small.input("x", x), small.input("w", w)}));
  const auto to_f16 = [](double number) {
    int exponent = 0;
    const double significand = std::frexp(number, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(significand, 11)), exponent - 11);
  };
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < terms; ++k)
        sum = to_f16(sum + to_f16(x.as<float>()[i * terms + k]) * to_f16(w.as<float>()[k * 4 + j]));
      y.as<float>()[i * 4 + j] = static_cast<float>(sum);
    }
  const ExpectedResult result = small.hold("y", y);
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_EQ(result.explanation.precision, "f16_sums") << result.why;
}

TEST(Explain, WhatLeftTheRangeOfF16OnItsWayIsOutOfRange) {
  Small small;
  using ir::ops::Binary, ir::ops::BinaryFunction;
  const Value x = small.input("x", Tensor::of<float>({3}, {300, 2, 3})),
              square = small.add("square", ir::ops::Unary{ir::ops::UnaryFunction::square}, {x});
  small.returns(small.add("y", Binary{BinaryFunction::divide}, {square, small.scalar("many", 100.0f)}));
  const Tensor given = ir::convert(Tensor::of<float>({3}, {INFINITY, 0.04f, 0.09f}), DType::f16);
  const ExpectedResult result = small.hold("y", given);
  EXPECT_EQ(result.verdict, Verdict::out_of_range) << result.why;
  EXPECT_NE(result.why.find("square"), std::string::npos) << result.why;
  const Tensor wrong = ir::convert(Tensor::of<float>({3}, {900, INFINITY, 0.09f}), DType::f16);
  EXPECT_EQ(small.hold("y", ir::convert(wrong, DType::f32)).verdict, Verdict::failed) << "f32 holds the square";
}

}  // namespace
}  // namespace plumb::expected_test
