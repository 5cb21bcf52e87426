// Operators of com.microsoft, against their formulas.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/glu.hpp"
#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::microsoft_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using Numbers = std::vector<double>;

const Numbers x_values = {-1.5, -0.25, 0, 0.5, 1, 3}, bias_values = {0.5, -1, 0.25};

ir::Tensor floats(const ir::Shape& shape, const Numbers& values) {
  return ir::convert(ir::Tensor::of<double>(shape, values), ir::DType::f32);
}

/// A model of one node of com.microsoft of x [2, 3] and initialisers "b" [3], "ones" [3] and "skip" [3].
ModelMaker model(const std::string& op, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs = {"y"}) {
  ModelMaker maker(17);
  maker.domain("com.microsoft", 1).input("x", {2, 3});
  maker.initializer("b", floats({3}, bias_values)).initializer("ones", {3}, {1, 1, 1});
  maker.initializer("skip", floats({1, 3}, {1, 2, -3}));
  for (const auto& name : outputs)
    if (!name.empty()) maker.output(name);
  maker.node(op, inputs, outputs).set_domain("com.microsoft");
  return maker;
}

Numbers answer(const ModelMaker& maker) { return numbers(maker.run({{"x", floats({2, 3}, x_values)}})); }

template <class Function>
Numbers each(const Function& function, bool with_bias) {
  Numbers made;
  for (std::size_t i = 0; i < x_values.size(); ++i)
    made.push_back(function(x_values[i] + (with_bias ? bias_values[i % 3] : 0)));
  return made;
}

double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }
double fast_gelu(double x) { return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

TEST(OnnxMicrosoft, Gelus) {
  EXPECT_THAT(answer(model("Gelu", {"x"})), Pointwise(DoubleNear(1e-6), each(gelu, false)));
  EXPECT_THAT(answer(model("BiasGelu", {"x", "b"})), Pointwise(DoubleNear(1e-6), each(gelu, true)));
  EXPECT_THAT(answer(model("FastGelu", {"x"})), Pointwise(DoubleNear(1e-6), each(fast_gelu, false)));
  EXPECT_THAT(answer(model("FastGelu", {"x", "b"})), Pointwise(DoubleNear(1e-6), each(fast_gelu, true)));
  for (const float alpha : {0.0f, 2.5f}) {
    ModelMaker quick = model("QuickGelu", {"x"});
    if (alpha != 0) set_real(*quick.graph().mutable_node(0), "alpha", alpha);
    const double a = alpha == 0 ? 1.702 : static_cast<double>(alpha);
    const auto formula = [=](double x) { return x / (1 + std::exp(-a * x)); };
    EXPECT_THAT(answer(quick), Pointwise(DoubleNear(1e-6), each(formula, false)));
  }
  EXPECT_THAT(message_of([] { model("BiasGelu", {"x"}).read(); }), HasSubstr("input 1 is missing"));
}

/// (x + skip + bias), and it less its mean (or not) by its deviation (or root mean square), times scale plus shift.
Numbers normalised(bool about_mean, bool with_bias, const Numbers& scale, const Numbers& shift, double epsilon,
                   Numbers* sums) {
  Numbers made;
  const Numbers skip = {1, 2, -3};
  for (std::size_t line = 0; line < 2; ++line) {
    Numbers s;
    for (std::size_t i = 0; i < 3; ++i)
      s.push_back(x_values[line * 3 + i] + skip[i] + (with_bias ? bias_values[i] : 0));
    const double mean = about_mean ? (s[0] + s[1] + s[2]) / 3 : 0;
    double square = 0;
    for (const double v : s) square += (v - mean) * (v - mean) / 3;
    for (std::size_t i = 0; i < 3; ++i)
      made.push_back((s[i] - mean) / std::sqrt(square + epsilon) * scale[i] + shift[i]);
    sums->insert(sums->end(), s.begin(), s.end());
  }
  return made;
}

TEST(OnnxMicrosoft, SkipNorms) {
  const Numbers ones = {1, 1, 1}, none = {0, 0, 0};
  Numbers sums;
  ModelMaker full = model("SkipLayerNormalization", {"x", "skip", "b", "ones", "b"}, {"y", "", "", "sum"});
  set_real(*full.graph().mutable_node(0), "epsilon", 0.5f);
  const auto made = full.run_all({{"x", floats({2, 3}, x_values)}});
  EXPECT_THAT(numbers(made[0]), Pointwise(DoubleNear(1e-5), normalised(true, true, bias_values, ones, 0.5, &sums)));
  EXPECT_THAT(numbers(made[1]), Pointwise(DoubleNear(1e-6), sums));
  EXPECT_THAT(answer(model("SkipLayerNormalization", {"x", "skip", "ones"})),
              Pointwise(DoubleNear(1e-5), normalised(true, false, ones, none, 0, &sums)));
  EXPECT_THAT(answer(model("SkipSimplifiedLayerNormalization", {"x", "skip", "b", "b"})),
              Pointwise(DoubleNear(1e-5), normalised(false, true, bias_values, none, 0, &sums)));
}

TEST(OnnxMicrosoft, EpsilonOfSkipNormsIsTiny) {
  for (const char* op : {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"}) {
    ModelMaker maker = model(op, {"x", "x", "ones"});
    const auto y = numbers(maker.run({{"x", floats({2, 3}, {1e-4, -1e-4, 0, 0, 0, 0})}}));
    EXPECT_NEAR(y[0], std::sqrt(1.5), 1e-3) << op;  // 1e-5 beside a variance of 1e-8 would leave 0.04 of it
    EXPECT_EQ(y[3], 0) << op;
  }
}

TEST(OnnxMicrosoft, FusedProducts) {
  ModelMaker maker = model("FusedMatMul", {"x", "x"});
  auto& node = *maker.graph().mutable_node(0);
  set_int(node, "transB", 1);
  set_real(node, "alpha", 2);
  EXPECT_THAT(answer(maker), ElementsAre(2 * 2.3125, 2 * -1.0, 2 * -1.0, 2 * 10.25));
  ModelMaker gemm = model("FusedGemm", {"x", "x", "ones"});
  auto& fused = *gemm.graph().mutable_node(0);
  set_int(fused, "transB", 1);
  *fused.mutable_input(2) = "";
  set_text(fused, "activation", "LeakyRelu");
  set_real(fused, "activation_alpha", 0.5f);
  EXPECT_THAT(answer(gemm), ElementsAre(2.3125, -0.5, -0.5, 10.25));
  ModelMaker batches = model("FusedMatMul", {"x", "x"});
  set_int(*batches.graph().mutable_node(0), "transBatchA", 1);
  EXPECT_THAT(message_of([&] { batches.read(); }), HasSubstr("transBatchA"));
}

TEST(OnnxMicrosoft, FusedConvAddsBeforeItsActivation) {
  for (const auto& [activation, parameters, wanted] :
       {std::tuple{"Relu", std::vector<float>{}, Numbers{0, 11}},
        std::tuple{"Clip", std::vector<float>{-2, 6}, Numbers{-2, 6}},
        std::tuple{"LeakyRelu", std::vector<float>{0.25f}, Numbers{-1, 11}}}) {
    ModelMaker maker(17);
    maker.domain("com.microsoft", 1).input("x", {1, 1, 2}).output("y");
    maker.initializer("w", {1, 1, 1}, {3}).initializer("b", {1}, {1}).initializer("z", {1, 1, 2}, {-2, 4});
    auto& node = maker.node("FusedConv", {"x", "w", "b", "z"}, {"y"});
    node.set_domain("com.microsoft");
    set_text(node, "activation", activation);
    if (!parameters.empty()) set_reals(node, "activation_params", parameters);
    EXPECT_EQ(numbers(maker.run({{"x", floats({1, 1, 2}, {-1, 2})}})), wanted) << activation;
  }
}

TEST(OnnxMicrosoft, SimplifiedNormIsOfTheDefaultDomain) {
  ModelMaker maker(14);
  maker.input("x", {2, 3}).initializer("scale", floats({3}, bias_values)).output("y").output("inverse");
  set_real(maker.node("SimplifiedLayerNormalization", {"x", "scale"}, {"y", "inverse"}), "epsilon", 0.5f);
  const auto made = maker.run_all({{"x", floats({2, 3}, x_values)}});
  Numbers y, inverse;
  for (std::size_t line = 0; line < 2; ++line) {
    double square = 0;
    for (std::size_t i = 0; i < 3; ++i) square += x_values[line * 3 + i] * x_values[line * 3 + i] / 3;
    inverse.push_back(1 / std::sqrt(square + 0.5));
    for (std::size_t i = 0; i < 3; ++i) y.push_back(x_values[line * 3 + i] * inverse[line] * bias_values[i]);
  }
  EXPECT_THAT(numbers(made[0]), Pointwise(DoubleNear(1e-5), y));
  EXPECT_THAT(numbers(made[1]), Pointwise(DoubleNear(1e-5), inverse));
}

TEST(OnnxMicrosoft, OthersAreRefusedByName) {
  ModelMaker maker = model("QAttention", {"x"});
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("com.microsoft.QAttention, opset 1"));
  EXPECT_THROW(maker.read(), ir::Unsupported);
}

TEST(OnnxMicrosoft, SwiGlu) {
  ModelMaker maker(28);
  maker.input("x", {3}).initializer("v", {3}, {2, -1, 4}).output("y");
  set_real(maker.node("SwiGLU", {"x", "v"}, {"y"}), "alpha", 0.5f);
  EXPECT_EQ(maker.read().file.graph.nodes().front().op, ir::Op(ir::ops::Glu{.alpha = 0.5}));
  const auto y = numbers(maker.run({{"x", floats({3}, {1, -2, 3})}}));
  const auto swish = [](double x) { return x / (1 + std::exp(-x / 2)); };
  EXPECT_THAT(y, Pointwise(DoubleNear(1e-5), Numbers{2 * swish(1), -swish(-2), 4 * swish(3)}));
}

TEST(OnnxMicrosoft, SwiGluByOneIsGlu) {
  ModelMaker maker(28);
  maker.input("x", {3}).input("v", {3}).output("y");
  maker.node("SwiGLU", {"x", "v"}, {"y"});
  const ir::Graph graph = maker.read().file.graph;
  ASSERT_EQ(graph.nodes().size(), 1U);
  EXPECT_TRUE(graph.nodes()[0].op.is<ir::ops::Glu>());
  const auto y = numbers(maker.run({{"x", floats({3}, {1, -2, 3})}, {"v", floats({3}, {2, -1, 4})}}));
  const auto silu = [](double x) { return x / (1 + std::exp(-x)); };
  EXPECT_THAT(y, Pointwise(DoubleNear(1e-5), Numbers{2 * silu(1), -silu(-2), 4 * silu(3)}));
}

}  // namespace
}  // namespace plumb::tests::microsoft_test
