// Operators of integers where ONNX takes them, and quantised products of vectors, against sums in loops.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::integers_test {
namespace {

using ir::DType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;

ir::Tensor whole(DType dtype, const ir::Shape& shape, const Numbers& values) {
  return ir::convert(ir::convert(ir::Tensor::of<double>(shape, values), DType::i64), dtype);
}

/// One node of operands "a", "b", ... that are fed.
class Question {
 public:
  Question(const std::string& op, std::int64_t opset, const std::vector<ir::Tensor>& operands) : maker_(opset) {
    std::vector<std::string> names;
    for (const ir::Tensor& operand : operands) {
      names.emplace_back(1, static_cast<char>('a' + names.size()));
      maker_.input(names.back(), operand.shape(), onnx_type(operand.dtype()));
      feeds_.emplace(names.back(), operand);
    }
    maker_.output("y");
    maker_.node(op, names, {"y"});
  }

  ::onnx::NodeProto& node() { return *maker_.graph().mutable_node(0); }
  ir::Tensor answer() const { return maker_.run(feeds_); }
  std::string refusal() const {
    return message_of([&] { maker_.read({.given = feeds_}); });
  }

 private:
  ModelMaker maker_;
  ir::Feeds feeds_;
};

TEST(OnnxGemm, OfIntegersWrapsAndTakesWholeFactors) {
  for (const DType dtype : {DType::i32, DType::i64}) {
    Question gemm("Gemm", 13,
                  {whole(dtype, {2, 2}, {1, 3, 2, 4}), whole(dtype, {2, 2}, {5, 6, 7, 8}), whole(dtype, {2}, {1, -1})});
    set_int(gemm.node(), "transA", 1);
    set_int(gemm.node(), "transB", 1);
    EXPECT_EQ(gemm.answer().dtype(), dtype);
    EXPECT_THAT(numbers(gemm.answer()), ElementsAre(18, 22, 40, 52));  // (1 2; 3 4)·(5 7; 6 8) + (1, -1)
    set_real(gemm.node(), "alpha", 2);
    set_real(gemm.node(), "beta", -3);
    EXPECT_THAT(numbers(gemm.answer()), ElementsAre(31, 49, 75, 109));
  }
  const double large = 2147483647;
  Question wraps("Gemm", 13, {whole(DType::i32, {1, 1}, {large}), whole(DType::i32, {1, 1}, {2})});
  EXPECT_THAT(numbers(wraps.answer()), ElementsAre(-2));
  set_real(wraps.node(), "alpha", 0.5f);
  EXPECT_THAT(wraps.refusal(), HasSubstr("alpha 0.5"));
}

TEST(OnnxReduce, OfIntegersCutsOff) {
  const auto ask = [](const std::string& op, const Numbers& values) {
    const auto n = static_cast<std::int64_t>(values.size());
    Question reduce(op, 13, {whole(DType::i32, {1, n}, values)});
    set_ints(reduce.node(), "axes", {1});
    EXPECT_EQ(reduce.answer().dtype(), DType::i32);
    return numbers(reduce.answer()).at(0);
  };
  EXPECT_EQ(ask("ReduceMean", {1, 2, 5}), 2);
  EXPECT_EQ(ask("ReduceMean", {-1, -2, -5}), -2);
  EXPECT_EQ(ask("ReduceL2", {3, 4}), 5);
  EXPECT_EQ(ask("ReduceL2", {3, 3}), 4);
  EXPECT_EQ(ask("ReduceL1", {3, -3}), 6);
  EXPECT_EQ(ask("ReduceLogSum", {20, 1}), 3);       // ln 21 is 3.04
  EXPECT_EQ(ask("ReduceLogSumExp", {5, 4}), 5);     // 5.31
  EXPECT_EQ(ask("ReduceLogSumExp", {-5, -5}), -4);  // -4.31
  EXPECT_EQ(ask("ReduceLogSumExp", {1000, 1000}), 1000);
}

TEST(OnnxEinsum, OfBytesWrapsAsBytes) {
  Question einsum("Einsum", 13, {whole(DType::u8, {2, 2}, {200, 100, 3, 4}), whole(DType::u8, {2}, {2, 1})});
  set_text(einsum.node(), "equation", "ij,j->i");
  EXPECT_EQ(einsum.answer().dtype(), DType::u8);
  EXPECT_THAT(numbers(einsum.answer()), ElementsAre(500 - 256, 10));
}

TEST(OnnxResize, OfBytesCutsOffWhatLiesBetween) {
  for (const DType dtype : {DType::u8, DType::i8, DType::i32}) {
    ModelMaker maker(13);
    maker.input("x", {1, 1, 2, 4}, onnx_type(dtype)).output("y");
    maker.initializer("scales", {4}, {1, 1, 0.6f, 0.6f});
    set_text(maker.node("Resize", {"x", "", "scales"}, {"y"}), "mode", "linear");
    // Half-pixel: row 1/3, columns 1/3 and 2: 1 + 1/3·4 + 1/3 = 8/3 and 3 + 4/3 = 13/3.
    const auto y = maker.run({{"x", whole(dtype, {1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8})}});
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_THAT(numbers(y), ElementsAre(2, 4));
  }
  ModelMaker cubic(13);  // overshoots both ends of the range, where it stays
  cubic.input("x", {1, 1, 4}, ::onnx::TensorProto::UINT8).output("y");
  cubic.initializer("sizes", std::vector<std::int64_t>{1, 1, 8});
  set_text(cubic.node("Resize", {"x", "", "", "sizes"}, {"y"}), "mode", "cubic");
  const auto y = numbers(cubic.run({{"x", whole(DType::u8, {1, 1, 4}, {0, 0, 255, 255})}}));
  EXPECT_EQ(y.front(), 0);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[5], 255);
}

TEST(OnnxGridSample, OfBytesAndOfTwoTypes) {
  const ir::Tensor grid = ir::convert(ir::Tensor::of<double>({1, 1, 3, 2}, {-1, -1, 0, 0, 0.5, 1}), DType::f32);
  for (const DType dtype : {DType::u8, DType::f16, DType::f64}) {
    Question sample("GridSample", 16, {whole(dtype, {1, 1, 2, 3}, {0, 1, 2, 3, 4, 6}), grid});
    set_int(sample.node(), "align_corners", 1);
    const auto y = sample.answer();
    EXPECT_EQ(y.dtype(), dtype);
    EXPECT_THAT(numbers(y), ElementsAre(0, dtype == DType::u8 ? 2 : 2.5, 5)) << dtype;
  }
}

TEST(OnnxShrink, OfIntegers) {
  Question shrink("Shrink", 9, {whole(DType::i8, {5}, {-3, -1, 0, 1, 3})});
  set_real(shrink.node(), "lambd", 1.5f);
  set_real(shrink.node(), "bias", 1.5f);
  EXPECT_THAT(numbers(shrink.answer()), ElementsAre(-1, 0, 0, 0, 1));
}

TEST(OnnxPow, OfIntegersToRealPowersIsExact) {
  Question power("Pow", 13, {whole(DType::i32, {2}, {7, -3}), ir::Tensor::of<float>({2}, {10, 3})});
  EXPECT_THAT(numbers(power.answer()), ElementsAre(282475249, -27));
}

TEST(OnnxCol2Im, OfBytesWraps) {
  ModelMaker maker(18);
  maker.input("x", {1, 2, 2}, ::onnx::TensorProto::UINT8).output("y");
  maker.initializer("image", std::vector<std::int64_t>{3}).initializer("block", std::vector<std::int64_t>{2});
  maker.node("Col2Im", {"x", "image", "block"}, {"y"});
  EXPECT_THAT(numbers(maker.run({{"x", whole(DType::u8, {1, 2, 2}, {1, 200, 100, 3})}})), ElementsAre(1, 300 - 256, 3));
}

TEST(OnnxCenterCropPad, CutsAndPadsInTheMiddle) {
  const auto ask = [](const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& axes) {
    ModelMaker maker(18);
    maker.input("x", {3, 2}, ::onnx::TensorProto::INT32).initializer("shape", shape).output("y");
    auto& node = maker.node("CenterCropPad", {"x", "shape"}, {"y"});
    if (!axes.empty()) set_ints(node, "axes", axes);
    return numbers(maker.run({{"x", whole(DType::i32, {3, 2}, {1, 2, 3, 4, 5, 6})}}));
  };
  EXPECT_THAT(ask({1, 2}, {}), ElementsAre(3, 4));
  EXPECT_THAT(ask({2}, {0}), ElementsAre(1, 2, 3, 4));  // an odd rest is cut off at the end
  EXPECT_THAT(ask({5, 1}, {}), ElementsAre(0, 1, 3, 5, 0));
  EXPECT_THAT(ask({5, 1}, {-1, 0}), ElementsAre(0, 3, 4, 0, 0));  // the line in the middle, an odd pad behind it
  EXPECT_THAT(ask({3, 2}, {}), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(OnnxMatMulInteger, OfVectors) {
  const ir::Tensor row = whole(DType::u8, {3}, {1, 2, 250}), matrix = whole(DType::i8, {3, 2}, {1, -1, 2, -2, 3, 100});
  const ir::Tensor column = whole(DType::i8, {3}, {-1, 0, 2}), zero = whole(DType::u8, {}, {2});
  EXPECT_THAT(numbers(Question("MatMulInteger", 10, {row, matrix}).answer()), ElementsAre(755, 24995));
  const auto with_zero = Question("MatMulInteger", 10, {row, matrix, zero}).answer();
  EXPECT_EQ(with_zero.shape(), (ir::Shape{2}));
  EXPECT_THAT(numbers(with_zero), ElementsAre(743, 24801));
  const auto dot = Question("MatMulInteger", 10, {row, column}).answer();
  EXPECT_EQ(dot.shape(), (ir::Shape{}));
  EXPECT_THAT(numbers(dot), ElementsAre(499));
  const auto product = Question("MatMulInteger", 10, {whole(DType::u8, {2, 3}, {1, 2, 3, 4, 5, 6}), column}).answer();
  EXPECT_EQ(product.shape(), (ir::Shape{2}));
  EXPECT_THAT(numbers(product), ElementsAre(5, 8));
}

TEST(OnnxMatMulInteger, ZeroPointsOfRowsAndColumns) {
  const ir::Shape a_shape{2, 2, 3}, b_shape{2, 3, 2};
  Numbers a, b;
  for (int i = 0; i < 12; ++i) {
    a.push_back(17 * i % 251);
    b.push_back(101 * i % 241);
  }
  const auto right = [&](const Numbers& a_zero, const Numbers& b_zero) {  // one zero point for each [batch, line]
    Numbers y;
    for (std::size_t n = 0; n < 2; ++n)
      for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < 3; ++k)
            sum += (a[(n * 2 + i) * 3 + k] - a_zero[n * 2 + i]) * (b[(n * 3 + k) * 2 + j] - b_zero[n * 2 + j]);
          y.push_back(sum);
        }
    return y;
  };
  const auto ask = [&](const ir::Tensor& a_zero, const ir::Tensor& b_zero) {
    return Question("MatMulInteger", 10, {whole(DType::u8, a_shape, a), whole(DType::u8, b_shape, b), a_zero, b_zero});
  };
  EXPECT_EQ(numbers(ask(whole(DType::u8, {2, 2, 1}, {3, 5, 7, 9}), whole(DType::u8, {2, 1, 2}, {1, 2, 3, 4})).answer()),
            right({3, 5, 7, 9}, {1, 2, 3, 4}));
  EXPECT_EQ(numbers(ask(whole(DType::u8, {2}, {3, 5}), whole(DType::u8, {2}, {1, 2})).answer()),
            right({3, 5, 3, 5}, {1, 2, 1, 2}));
  EXPECT_EQ(numbers(ask(whole(DType::u8, {1, 2, 1}, {3, 5}), whole(DType::u8, {1}, {9})).answer()),
            right({3, 5, 3, 5}, {9, 9, 9, 9}));
  EXPECT_THAT(ask(whole(DType::u8, {3}, {1, 2, 3}), whole(DType::u8, {}, {0})).refusal(), HasSubstr("for the rows of"));
}

TEST(OnnxQLinearMatMul, OfAVectorWithAScaleForEachColumn) {
  const auto f32 = [](const ir::Shape& shape, const Numbers& values) {
    return ir::convert(ir::Tensor::of<double>(shape, values), DType::f32);
  };
  const auto y = Question("QLinearMatMul", 10,
                          {whole(DType::u8, {2}, {10, 20}), f32({}, {0.5}), whole(DType::u8, {}, {5}),
                           whole(DType::u8, {2, 2}, {3, 7, 4, 1}), f32({2}, {0.25, 2}), whole(DType::u8, {2}, {2, 3}),
                           f32({}, {1}), whole(DType::u8, {}, {100})})
                     .answer();
  // Sums 5·1 + 15·2 = 35 and 5·4 − 15·2 = −10; times 1/8 and 1: 4.375 and −10.
  EXPECT_EQ(y.shape(), (ir::Shape{2}));
  EXPECT_THAT(numbers(y), ElementsAre(104, 90));
}

TEST(OnnxQuantizeLinear, OfLargeIntegers) {
  // 16777217/2^25 is just above one half; f32 would have made it a tie.
  Question quantize("QuantizeLinear", 10, {whole(DType::i32, {1}, {16777217}), ir::Tensor::of<float>({}, {33554432})});
  EXPECT_THAT(numbers(quantize.answer()), ElementsAre(1));
}

}  // namespace
}  // namespace plumb::tests::integers_test
