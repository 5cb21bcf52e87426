// Newer opsets take inputs where older ones took attributes; and some words changed
// their meaning. The same question in both must have the same answer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::opsets_test {
namespace {

using ::testing::HasSubstr;

/// The answer of one node, called "y", to x = 0, 1, 2, ... of this shape.
ir::Tensor answer(ModelMaker& maker, const ir::Shape& shape) {
  maker.input("x", shape).output("y");
  ir::Tensor x({ir::DType::f32, shape});
  for (std::size_t i = 0; i < x.as<float>().size(); ++i) x.as<float>()[i] = static_cast<float>(i);
  return maker.run({{"x", x}});
}

std::string text(const ir::Tensor& tensor) {
  std::string all = ir::cat(tensor.type());
  for (const float value : tensor.as<float>()) all += ir::cat(' ', value);
  return all;
}

using Build = std::function<void(ModelMaker&)>;

struct Question {
  const char* name;
  ir::Shape shape;
  std::int64_t old_opset;
  Build old_way;
  std::int64_t new_opset;
  Build new_way;
};

void PrintTo(const Question& question, std::ostream* out) { *out << question.name; }

class Opsets : public ::testing::TestWithParam<Question> {};

TEST_P(Opsets, Agree) {
  ModelMaker before(GetParam().old_opset), after(GetParam().new_opset);
  GetParam().old_way(before);
  GetParam().new_way(after);
  EXPECT_EQ(text(answer(before, GetParam().shape)), text(answer(after, GetParam().shape)));
}

/// A node "y" of x with lists of integers as attributes.
Build with_lists(std::string op, std::map<std::string, std::vector<std::int64_t>> lists) {
  return [=](ModelMaker& maker) {
    auto& node = maker.node(op, {"x"}, {"y"});
    for (const auto& [name, values] : lists) set_ints(node, name, values);
  };
}

/// A node "y" of x and of initialisers with these integers.
Build with_inputs(std::string op, std::vector<std::vector<std::int64_t>> lists) {
  return [=](ModelMaker& maker) {
    std::vector<std::string> names = {"x"};
    for (const auto& values : lists) {
      names.push_back(ir::cat("list", names.size()));
      maker.initializer(names.back(), values);
    }
    maker.node(op, names, {"y"});
  };
}

Build softmax(std::int64_t axis) {
  return [=](ModelMaker& maker) { set_int(maker.node("Softmax", {"x"}, {"y"}), "axis", axis); };
}

/// Softmax over the last two axes, spelled out.
void softmax_of_planes(ModelMaker& maker) {
  maker.initializer("flat", std::vector<std::int64_t>{2, -1}).initializer("shape", std::vector<std::int64_t>{2, 3, 4});
  maker.node("Reshape", {"x", "flat"}, {"lines"});
  set_int(maker.node("Softmax", {"lines"}, {"soft"}), "axis", -1);
  maker.node("Reshape", {"soft", "shape"}, {"y"});
}

void clip_by_attributes(ModelMaker& maker) {
  auto& node = maker.node("Clip", {"x"}, {"y"});
  set_real(node, "min", 2);
  set_real(node, "max", 4);
}
void clip_by_inputs(ModelMaker& maker) {
  maker.initializer("low", {}, {2}).initializer("high", {}, {4});
  maker.node("Clip", {"x", "low", "high"}, {"y"});
}

void add_along_axis(ModelMaker& maker) {
  maker.initializer("b", {3}, {10, 20, 30});
  auto& node = maker.node("Add", {"x", "b"}, {"y"});
  set_int(node, "broadcast", 1);
  set_int(node, "axis", 1);
}
void add_column(ModelMaker& maker) {
  maker.initializer("b", {3, 1}, {10, 20, 30});
  maker.node("Add", {"x", "b"}, {"y"});
}

void dropout(ModelMaker& maker) { maker.node("Dropout", {"x"}, {"y"}); }
void identity(ModelMaker& maker) { maker.node("Identity", {"x"}, {"y"}); }

void top_k_by_attribute(ModelMaker& maker) { set_int(maker.node("TopK", {"x"}, {"y", "i"}), "k", 2); }
void top_k_by_input(ModelMaker& maker) {
  maker.initializer("k", std::vector<std::int64_t>{2});
  maker.node("TopK", {"x", "k"}, {"y", "i"});
}

INSTANTIATE_TEST_SUITE_P(
    , Opsets,
    ::testing::Values(
        Question{"squeeze", {1, 3, 1}, 11, with_lists("Squeeze", {{"axes", {-1}}}), 13, with_inputs("Squeeze", {{2}})},
        Question{
            "unsqueeze", {3}, 11, with_lists("Unsqueeze", {{"axes", {0, 2}}}), 13, with_inputs("Unsqueeze", {{-1, 0}})},
        Question{"sum", {2, 3}, 11, with_lists("ReduceSum", {{"axes", {1}}}), 13, with_inputs("ReduceSum", {{-1}})},
        Question{"slice",
                 {4, 5},
                 9,
                 with_lists("Slice", {{"axes", {1, 0}}, {"starts", {-3, 1}}, {"ends", {1000, -1}}}),
                 10,
                 with_inputs("Slice", {{1, 2}, {3, 9}, {0, 1}})},
        Question{"softmax", {2, 3, 4}, 11, softmax(1), 13, softmax_of_planes},
        Question{"softmax of the last axis", {2, 3}, 11, softmax(1), 13, softmax(-1)},
        Question{"clip", {7}, 6, clip_by_attributes, 11, clip_by_inputs},
        Question{"broadcasting", {2, 3, 2}, 6, add_along_axis, 7, add_column},
        Question{"dropout", {5}, 7, dropout, 13, identity},
        Question{"top k", {2, 5}, 9, top_k_by_attribute, 11, top_k_by_input}),
    [](const auto& question) {
      std::string name = question.param.name;
      for (char& c : name) c = c == ' ' ? '_' : c;
      return name;
    });

/// A Clip of x whose limits are the attributes or inputs that are not NaN.
ModelMaker clip(std::int64_t opset, double low, double high, ir::DType dtype = ir::DType::f32) {
  ModelMaker maker(opset);
  maker.input("x", {5}, onnx_type(dtype)).output("y");
  std::vector<std::string> operands = {"x"};
  const auto limit = [&](double value) {
    if (value == value) maker.initializer(ir::cat("limit", operands.size()), ir::Tensor::of<float>({}, {float(value)}));
    operands.push_back(value == value ? ir::cat("limit", operands.size()) : "");
  };
  if (opset >= 11) {
    limit(low);
    limit(high);
  }
  auto& node = maker.node("Clip", operands, {"y"});
  if (opset < 11 && low == low) set_real(node, "min", static_cast<float>(low));
  if (opset < 11 && high == high) set_real(node, "max", static_cast<float>(high));
  return maker;
}

TEST(OnnxClip, TakesTheLargestFiniteNumbersForLimitsThatItDoesNotHave) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto text_of = [&](const ModelMaker& maker, ir::DType dtype = ir::DType::f32) {
    const ir::Tensor x = ir::Tensor::of<double>({5}, {-infinity, -3, 0, 3, infinity});
    std::string all;
    for (const double y : numbers(maker.run({{"x", ir::convert(x, dtype)}}))) all += ir::cat(y, ' ');
    return all;
  };
  for (const std::int64_t opset : {6, 10, 11, 12, 13}) {
    SCOPED_TRACE(opset);
    EXPECT_EQ(text_of(clip(opset, -1, none)), "-1 -1 0 3 3.40282e+38 ");
    EXPECT_EQ(text_of(clip(opset, none, 1)), "-3.40282e+38 -3 0 1 1 ");
    EXPECT_EQ(text_of(clip(opset, none, none)), "-3.40282e+38 -3 0 3 3.40282e+38 ");
    EXPECT_EQ(text_of(clip(opset, -1, infinity)), "-1 -1 0 3 inf ");
    EXPECT_EQ(text_of(clip(opset, none, none, ir::DType::f16), ir::DType::f16), "-65504 -3 0 3 65504 ");
  }
}

TEST(OnnxSlice, BackwardsFromFarOutside) {
  ModelMaker maker(13);
  with_inputs("Slice", {{1000}, {-1000}, {0}, {-2}})(maker);
  EXPECT_EQ(text(answer(maker, {5})), "f32[3] 4 2 0");
}

TEST(OnnxReshape, CopiesZerosUnlessTheyAreAllowed) {
  ModelMaker copies(14);
  with_inputs("Reshape", {{0, -1}})(copies);
  EXPECT_EQ(answer(copies, {2, 3, 2}).shape(), (ir::Shape{2, 6}));
  ModelMaker keeps(14);
  with_inputs("Reshape", {{0, 7}})(keeps);
  set_int(*keeps.graph().mutable_node(0), "allowzero", 1);
  EXPECT_EQ(answer(keeps, {2, 0}).shape(), (ir::Shape{0, 7}));
}

TEST(OnnxConv, PadsToTheSameSize) {
  // 5 positions, kernel 4, stride 2: 3 outputs need 3 pads, the odd one at the end or the beginning.
  for (const auto& [mode, first] : {std::pair{"SAME_UPPER", 0 + 0 + 1 + 2}, std::pair{"SAME_LOWER", 0 + 0 + 0 + 1}}) {
    ModelMaker maker(13);
    maker.initializer("w", {1, 1, 4}, {1, 1, 1, 1});
    auto& node = maker.node("Conv", {"x", "w"}, {"y"});
    set_text(node, "auto_pad", mode);
    set_ints(node, "strides", {2});
    const auto y = answer(maker, {1, 1, 5});
    EXPECT_EQ(y.shape(), (ir::Shape{1, 1, 3}));
    EXPECT_EQ(y.as<float>()[0], static_cast<float>(first)) << mode;
  }
}

TEST(OnnxMatMul, OfVectorsDropsTheirAxes) {
  ModelMaker maker(13);
  maker.initializer("v", {3}, {1, 10, 100});
  maker.node("MatMul", {"x", "v"}, {"y"});
  EXPECT_EQ(text(answer(maker, {2, 3})), "f32[2] 210 543");
  ModelMaker dot(13);
  dot.initializer("v", {3}, {1, 10, 100});
  dot.node("MatMul", {"v", "x"}, {"y"});
  EXPECT_EQ(text(answer(dot, {3})), "f32[] 210");
}

TEST(OnnxGroupNormalization, HasAScaleForEachGroupBeforeOpset21) {
  for (const std::int64_t opset : {18, 21}) {
    ModelMaker maker(opset);
    if (opset == 18)
      maker.initializer("scale", {2}, {1, 3}).initializer("bias", {2}, {0, 5});
    else
      maker.initializer("scale", {4}, {1, 1, 3, 3}).initializer("bias", {4}, {0, 0, 5, 5});
    set_int(maker.node("GroupNormalization", {"x", "scale", "bias"}, {"y"}), "num_groups", 2);
    const auto y = answer(maker, {1, 4, 1});  // each group holds k, k + 1
    EXPECT_NEAR(y.as<float>()[0], -1, 1e-4) << opset;
    EXPECT_NEAR(y.as<float>()[2], 2, 1e-4) << opset;
    EXPECT_NEAR(y.as<float>()[3], 8, 1e-4) << opset;
  }
}

}  // namespace
}  // namespace plumb::tests::opsets_test
