// DFT and STFT, whose complex numbers are pairs along the last axis.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::transforms_test {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

struct Dft {
  std::int64_t opset = 20;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> length = {};  ///< an operand, where there is one
  std::vector<std::int64_t> axis = {};    ///< an operand from opset 20 on, before an attribute
  bool inverse = false, onesided = false;
};

ModelMaker model(const Dft& dft) {
  ModelMaker maker(dft.opset);
  maker.proto().set_ir_version(dft.opset < 20 ? 8 : 9);
  maker.input("x", dft.shape).output("y");
  std::vector<std::string> operands = {"x"};
  if (!dft.length.empty()) {
    maker.initializer("n", dft.length);
    operands.push_back("n");
  }
  const bool has_axis = !dft.axis.empty() && dft.opset >= 20;
  if (has_axis) {
    maker.initializer("axis", dft.axis);
    operands.resize(2, "");
    operands.push_back("axis");
  }
  for (auto& initializer : *maker.graph().mutable_initializer()) initializer.clear_dims();  // numbers, no lists
  auto& node = maker.node("DFT", operands, {"y"});
  if (!dft.axis.empty() && !has_axis) set_int(node, "axis", dft.axis[0]);
  set_int(node, "inverse", dft.inverse);
  set_int(node, "onesided", dft.onesided);
  return maker;
}

struct Values {
  ir::Shape shape;
  std::vector<float> numbers;
};

Values run(const ModelMaker& maker, const ir::Shape& shape, const std::vector<float>& x) {
  const ir::Tensor y = maker.run({{"x", ir::Tensor::of<float>(shape, x)}});
  return {y.shape(), {y.as<float>().begin(), y.as<float>().end()}};
}
Values run(const Dft& dft, const std::vector<float>& x) { return run(model(dft), ir::Shape(std::span(dft.shape)), x); }

TEST(OnnxDft, OfRealsAndOfPairs) {
  const Values whole = run({.shape = {1, 4, 1}}, {1, 2, 3, 4});
  EXPECT_THAT(whole.shape, ElementsAre(1, 4, 2));
  EXPECT_THAT(whole.numbers, ElementsAre(10, 0, -2, 2, -2, 0, -2, -2));
  const Values half = run({.opset = 17, .shape = {1, 4, 1}, .axis = {1}, .onesided = true}, {1, 2, 3, 4});
  EXPECT_THAT(half.shape, ElementsAre(1, 3, 2));
  EXPECT_THAT(half.numbers, ElementsAre(10, 0, -2, 2, -2, 0));
  const Values back = run({.shape = {1, 4, 2}, .inverse = true}, whole.numbers);
  EXPECT_THAT(back.numbers, ElementsAre(1, 0, 2, 0, 3, 0, 4, 0));
  EXPECT_THAT(run({.opset = 17, .shape = {1, 4, 2}, .axis = {-2}, .onesided = true}, back.numbers).numbers,
              ElementsAre(10, 0, -2, 2, -2, 0));
}

TEST(OnnxDft, RealLinesFromHalfOfTheirSpectrum) {
  const Values y = run({.shape = {3, 1, 2}, .axis = {0}, .inverse = true, .onesided = true}, {10, 5, -2, 2, -2, 7});
  EXPECT_THAT(y.shape, ElementsAre(4, 1, 1));
  EXPECT_THAT(y.numbers, ElementsAre(1, 2, 3, 4));
  const Values odd =
      run({.shape = {1, 2, 2}, .length = {3}, .inverse = true, .onesided = true}, {6, 0, -1.5f, 0.8660254f});
  EXPECT_THAT(odd.shape, ElementsAre(1, 3, 1));
  EXPECT_THAT(odd.numbers, Pointwise(FloatNear(1e-6f), {1.0f, 2.0f, 3.0f}));
}

TEST(OnnxDft, CutsOffOrAddsZeros) {
  EXPECT_THAT(run({.shape = {1, 6, 1}, .length = {4}, .axis = {-2}}, {1, 2, 3, 4, 5, 6}).numbers,
              ElementsAre(10, 0, -2, 2, -2, 0, -2, -2));
  EXPECT_THAT(run({.shape = {1, 2, 1}, .length = {4}, .onesided = true}, {1, 2}).numbers,
              ElementsAre(3, 0, 1, -2, -1, 0));
}

TEST(OnnxDft, RefusesTheAxisOfThePairs) {
  EXPECT_THAT(message_of([] { model({.shape = {1, 4, 2}, .axis = {-1}}).read(); }), HasSubstr("real and imaginary"));
  EXPECT_THAT(message_of([] { model({.shape = {1, 4, 3}}).read(); }), HasSubstr("one element, of reals, or two"));
}

struct Stft {
  std::vector<std::int64_t> shape;
  std::vector<float> window = {};
  std::int64_t frame_length = 0;  ///< 0: left out
  bool onesided = true;
};

ModelMaker model(const Stft& stft) {
  ModelMaker maker(17);
  maker.input("x", stft.shape).output("y");
  maker.initializer("step", std::vector<std::int64_t>{2});
  maker.graph().mutable_initializer(0)->clear_dims();
  std::vector<std::string> operands = {"x", "step", "", ""};
  if (stft.frame_length > 0) {
    maker.initializer("length", std::vector<std::int64_t>{stft.frame_length});
    maker.graph().mutable_initializer(1)->clear_dims();
    operands[3] = "length";
  }
  if (!stft.window.empty()) {
    maker.initializer("window", {std::ssize(stft.window)}, stft.window);
    operands[2] = "window";
  }
  while (operands.back().empty()) operands.pop_back();
  set_int(maker.node("STFT", operands, {"y"}), "onesided", stft.onesided);
  return maker;
}

Values run(const Stft& stft, const std::vector<float>& x) {
  return run(model(stft), ir::Shape(std::span(stft.shape)), x);
}

TEST(OnnxStft, TransformsFramesOfRealLines) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const Values half = run({.shape = {1, 6, 1}, .frame_length = 4}, x);
  EXPECT_THAT(half.shape, ElementsAre(1, 2, 3, 2));
  EXPECT_THAT(half.numbers, ElementsAre(10, 0, -2, 2, -2, 0, 18, 0, -2, 2, -2, 0));
  const Values whole = run({.shape = {1, 6, 1}, .frame_length = 4, .onesided = false}, x);
  EXPECT_THAT(whole.shape, ElementsAre(1, 2, 4, 2));
  EXPECT_THAT(whole.numbers, ElementsAre(10, 0, -2, 2, -2, 0, -2, -2, 18, 0, -2, 2, -2, 0, -2, -2));
}

TEST(OnnxStft, WeightsFramesByAWindow) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const std::vector<float> expected = {5, 0, -3, 0, 11, 0, -5, 0};  // 1 + 2·2 and 1 - 2·2, 3 + 2·4 and 3 - 2·4
  const Values y = run({.shape = {1, 4, 1}, .window = {1, 2}}, {1, 2, 3, 4});
  EXPECT_THAT(y.shape, ElementsAre(1, 2, 2, 2));
  EXPECT_EQ(y.numbers, expected);
  const Values longer = run({.shape = {1, 6, 1}, .window = {1, 2}, .frame_length = 4}, x);
  EXPECT_THAT(longer.numbers, ElementsAre(5, 0, 1, -4, -3, 0, 11, 0, 3, -8, -5, 0)) << "zeros behind the window";
  EXPECT_THAT(message_of([] {
                model(Stft{.shape = {1, 6, 1}, .window = {1, 2, 3}, .frame_length = 2}).read();
              }),
              HasSubstr("a window of 3 for frames of 2"));
}

TEST(OnnxStft, OfComplexLines) {
  const Values y = run({.shape = {1, 4, 2}, .frame_length = 4, .onesided = false}, {1, 0, 2, 0, 3, 0, 4, 0});
  EXPECT_THAT(y.shape, ElementsAre(1, 1, 4, 2));
  EXPECT_THAT(y.numbers, ElementsAre(10, 0, -2, 2, -2, 0, -2, -2));
  EXPECT_THAT(message_of([] {
                model(Stft{.shape = {1, 4, 2}, .frame_length = 4}).read();
              }),
              HasSubstr("onesided spectra of complex signals"));
}

}  // namespace
}  // namespace plumb::tests::transforms_test
