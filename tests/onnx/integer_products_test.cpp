// Products and convolutions of codes are ops of their own, whatever the shapes of their scales and zero points.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::integer_products_test {
namespace {

using ir::DType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<double>;

ir::Tensor tensor(DType dtype, const ir::Shape& shape, const Numbers& values) {
  return ir::convert(ir::Tensor::of<double>(shape, values), dtype);
}

/// One node of operands that are fed; a tensor of rank 1 without elements stands for one that is left out.
class Question {
 public:
  Question(const std::string& op, std::int64_t opset, const std::vector<ir::Tensor>& operands) : maker_(opset) {
    std::vector<std::string> names;
    for (const ir::Tensor& operand : operands) {
      const bool is_absent = operand.shape() == ir::Shape{0};
      names.push_back(is_absent ? "" : std::string(1, static_cast<char>('a' + names.size())));
      if (is_absent) continue;
      maker_.input(names.back(), operand.shape(), onnx_type(operand.dtype()));
      feeds_.emplace(names.back(), operand);
    }
    maker_.output("y");
    maker_.node(op, names, {"y"});
  }

  ::onnx::NodeProto& node() { return *maker_.graph().mutable_node(0); }
  Numbers answer() const { return numbers(maker_.run(feeds_)); }
  std::string refusal() const {
    return message_of([&] { maker_.read({.given = feeds_}); });
  }
  /// The ops of the graph but for those that only reshape or stretch.
  std::vector<std::string> ops() const {
    std::vector<std::string> names;
    const ir::formats::OnnxModel model = maker_.read({.given = feeds_});
    for (const ir::Node& one : model.file.graph.nodes())
      if (one.op.name() != "reshape" && one.op.name() != "expand") names.emplace_back(one.op.name());
    return names;
  }

 private:
  ModelMaker maker_;
  ir::Feeds feeds_;
};

const ir::Tensor absent({DType::u8, {0}});

TEST(OnnxIntegerProducts, AreOpsOfTheirOwn) {
  const ir::Tensor u8 = tensor(DType::u8, {2, 2}, {1, 2, 3, 4}), i8 = tensor(DType::i8, {2, 2}, {1, -1, 2, -2});
  const ir::Tensor zero = tensor(DType::u8, {}, {1}), i8_zero = tensor(DType::i8, {1}, {-1});
  const Question product("MatMulInteger", 10, {u8, i8, absent, i8_zero});
  EXPECT_THAT(product.ops(), ElementsAre("matmul_integer"));
  EXPECT_THAT(product.answer(), ElementsAre(8, -2, 18, -4));
  const ir::Tensor one = tensor(DType::f32, {1}, {1});
  const Question codes("QLinearMatMul", 21, {u8, one, zero, i8, one, i8_zero, one, i8_zero});
  EXPECT_THAT(codes.ops(), ElementsAre("qmatmul"));
  EXPECT_THAT(codes.answer(), ElementsAre(2, -2, 12, -4));  // 3, -1, 13 and -3 less 1
}

TEST(OnnxIntegerProducts, ConvolutionsArePaddedWithTheZeroPoint) {
  const ir::Tensor x = tensor(DType::u8, {1, 1, 3}, {5, 6, 7}), w = tensor(DType::u8, {2, 1, 2}, {1, 1, 0, 3});
  Question sums("ConvInteger", 10, {x, w, tensor(DType::u8, {1}, {5}), tensor(DType::u8, {2}, {0, 1})});
  set_ints(sums.node(), "pads", {1, 0});
  EXPECT_THAT(sums.ops(), ElementsAre("conv_integer"));
  EXPECT_THAT(sums.answer(), ElementsAre(0, 1, 3, 0, 2, 3));
  Question same("ConvInteger", 10, {x, w});
  set_text(same.node(), "auto_pad", "SAME_LOWER");
  EXPECT_THAT(same.answer(), ElementsAre(5, 11, 13, 15, 18, 21));
  EXPECT_THAT(
      Question("ConvInteger", 10, {x, w, tensor(DType::u8, {}, {0}), tensor(DType::u8, {3}, {1, 2, 3})}).refusal(),
      HasSubstr("for the filters of"));
}

/// Sums 0, 1, 3 of the first filter and 0, 2, 3 of the second.
TEST(OnnxQLinearConv, ScalesOfFiltersMayHaveOneZeroPoint) {
  const ir::Tensor x = tensor(DType::u8, {1, 1, 3}, {5, 6, 7}), w = tensor(DType::i8, {2, 1, 2}, {1, 1, -1, 2});
  const auto ask = [&](const ir::Tensor& w_scale, const ir::Tensor& w_zero, const ir::Tensor& bias) {
    Question conv("QLinearConv", 10,
                  {x, tensor(DType::f32, {}, {0.5}), tensor(DType::u8, {}, {5}), w, w_scale, w_zero,
                   tensor(DType::f32, {1}, {1}), tensor(DType::u8, {1}, {100}), bias});
    set_ints(conv.node(), "pads", {1, 0});
    EXPECT_THAT(conv.ops(), ElementsAre("qconv"));
    return conv.answer();
  };
  const ir::Tensor none({DType::i32, {0}}), two = tensor(DType::f32, {2}, {1, 4}),
                                            zeros = tensor(DType::i8, {2}, {0, 0});
  EXPECT_THAT(ask(two, zeros, none), ElementsAre(100, 100, 102, 100, 104, 106));  // 0.5 and 1.5 are even
  EXPECT_THAT(ask(two, tensor(DType::i8, {}, {0}), none), ElementsAre(100, 100, 102, 100, 104, 106));
  EXPECT_THAT(ask(tensor(DType::f32, {}, {1}), zeros, none), ElementsAre(100, 100, 102, 100, 101, 102));
  EXPECT_THAT(ask(two, zeros, tensor(DType::i32, {2}, {2, -1})), ElementsAre(101, 102, 102, 98, 102, 104));
}

TEST(OnnxQLinearMatMul, ScalesAndZeroPointsOfOneAndOfSeveralLines) {
  const ir::Tensor a = tensor(DType::i8, {2, 1}, {2, 4}), b = tensor(DType::i8, {1, 2}, {3, -5});
  const auto ask = [&](const ir::Tensor& a_scale, const ir::Tensor& a_zero, const ir::Tensor& b_scale) {
    return Question("QLinearMatMul", 10,
                    {a, a_scale, a_zero, b, b_scale, tensor(DType::i8, {1}, {1}), tensor(DType::f32, {}, {1}),
                     tensor(DType::i8, {}, {0})});
  };
  const ir::Tensor one = tensor(DType::f32, {}, {1}), zero = tensor(DType::i8, {}, {0});
  EXPECT_THAT(ask(one, zero, one).answer(), ElementsAre(4, -12, 8, -24));
  EXPECT_THAT(ask(tensor(DType::f32, {2}, {1, 0.5}), zero, one).answer(), ElementsAre(4, -12, 4, -12));
  EXPECT_THAT(ask(one, tensor(DType::i8, {2, 1}, {0, 2}), tensor(DType::f32, {1, 2}, {0.25, 1})).answer(),
              ElementsAre(1, -12, 1, -12));
  EXPECT_THAT(ask(tensor(DType::f32, {3}, {1, 1, 1}), zero, one).refusal(), HasSubstr("for the rows of"));
}

}  // namespace
}  // namespace plumb::tests::integer_products_test
