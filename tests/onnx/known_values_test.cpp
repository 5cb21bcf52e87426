// Operators whose results have shapes that depend on values, where the values are known; sequences, whose lengths are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::known_values_test {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

const double nan = std::numeric_limits<double>::quiet_NaN();

ir::Tensor floats(const ir::Shape& shape, const std::vector<double>& values) {
  return ir::convert(ir::Tensor::of<double>(shape, values), ir::DType::f32);
}

TEST(OnnxNonZero, OfConstantsAndOfGivenInputs) {
  ModelMaker maker(13);
  maker.input("x", {2, 3}).output("y");
  maker.node("NonZero", {"x"}, {"y"});
  const auto y = maker.run({{"x", floats({2, 3}, {0, 5, -0.0, nan, 0, -1})}});
  EXPECT_EQ(y.shape(), (ir::Shape{2, 3}));
  EXPECT_THAT(numbers(y), ElementsAre(0, 1, 1, 1, 0, 2));
  EXPECT_THAT(maker.read({.given = {{"x", floats({2, 3}, {1, 0, 0, 0, 0, 0})}}}).notes,
              ElementsAre(HasSubstr("input 'x'")));
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("must be known"));
  EXPECT_THROW(maker.read(), ir::Unsupported);
}

TEST(OnnxNonZero, OfNothingAndOfOneNumber) {
  for (const double value : {0.0, 2.0}) {
    ModelMaker maker(13);
    maker.initializer("x", floats({}, {value})).initializer("none", floats({0, 2}, {})).output("y").output("z");
    maker.node("NonZero", {"x"}, {"y"});  // no axes, so no rows
    maker.node("NonZero", {"none"}, {"z"});
    const auto made = maker.run_all({});
    EXPECT_EQ(made[0].shape(), (ir::Shape{0, value == 0 ? 0 : 1}));
    EXPECT_EQ(made[1].shape(), (ir::Shape{2, 0}));
  }
}

TEST(OnnxNonZero, OfWhatIsLargerThanShapesAre) {
  ModelMaker maker(13);
  maker.initializer("x", ir::Tensor({ir::DType::f32, {100, 100}})).initializer("one", {}, {1}).output("y");
  maker.node("Add", {"x", "one"}, {"ones"});
  maker.node("NonZero", {"ones"}, {"y"});
  const auto y = numbers(maker.run({}));
  ASSERT_EQ(y.size(), 20000u);
  EXPECT_EQ(y[9999], 99);
  EXPECT_EQ(y[10101], 1);  // column 1 of the second line
}

TEST(OnnxCompress, TakesWhatIsTrue) {
  const auto ask = [](std::optional<std::int64_t> axis, const std::vector<double>& condition) {
    ModelMaker maker(13);
    maker.input("x", {3, 2}).output("y");
    const auto count = static_cast<std::int64_t>(condition.size());
    maker.initializer("which", ir::convert(ir::Tensor::of<double>({count}, condition), ir::DType::boolean));
    auto& node = maker.node("Compress", {"x", "which"}, {"y"});
    if (axis) set_int(node, "axis", *axis);
    return maker.run({{"x", floats({3, 2}, {1, 2, 3, 4, 5, 6})}});
  };
  EXPECT_THAT(numbers(ask(0, {0, 1, 1})), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(numbers(ask(-1, {0, 1})), ElementsAre(2, 4, 6));
  EXPECT_THAT(numbers(ask(0, {1})), ElementsAre(1, 2));
  EXPECT_THAT(numbers(ask({}, {0, 1, 0, 0, 1})), ElementsAre(2, 5));
  EXPECT_EQ(ask(0, {0, 0, 0}).shape(), (ir::Shape{0, 2}));
  EXPECT_THAT(message_of([&] { ask(1, {1, 1, 1}); }), HasSubstr("bool[3] for 2 elements"));
}

struct Uniques {
  std::vector<double> y, first, inverse, counts;
  ir::Shape shape;
};

Uniques unique(const ir::Tensor& x, bool sorted, std::optional<std::int64_t> axis) {
  ModelMaker maker(11);
  maker.initializer("x", x);
  for (const char* name : {"y", "first", "inverse", "counts"}) maker.output(name);
  auto& node = maker.node("Unique", {"x"}, {"y", "first", "inverse", "counts"});
  set_int(node, "sorted", sorted ? 1 : 0);
  if (axis) set_int(node, "axis", *axis);
  const auto made = maker.run_all({});
  return {numbers(made[0]), numbers(made[1]), numbers(made[2]), numbers(made[3]), made[0].shape()};
}

TEST(OnnxUnique, OfElements) {
  const ir::Tensor x = floats({2, 3}, {2, 1, 1, 3, 4, 3});
  const Uniques sorted = unique(x, true, {});
  EXPECT_THAT(sorted.y, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(sorted.first, ElementsAre(1, 0, 3, 4));
  EXPECT_THAT(sorted.inverse, ElementsAre(1, 0, 0, 2, 3, 2));
  EXPECT_THAT(sorted.counts, ElementsAre(2, 1, 2, 1));
  const Uniques in_order = unique(x, false, {});
  EXPECT_THAT(in_order.y, ElementsAre(2, 1, 3, 4));
  EXPECT_THAT(in_order.inverse, ElementsAre(0, 1, 1, 2, 3, 2));
}

TEST(OnnxUnique, OfSlices) {
  // By columns: (1, 2), (0, 9), (1, 2), (1, 0).
  const Uniques columns = unique(floats({2, 4}, {1, 0, 1, 1, 2, 9, 2, 0}), true, -1);
  EXPECT_EQ(columns.shape, (ir::Shape{2, 3}));
  EXPECT_THAT(columns.y, ElementsAre(0, 1, 1, 9, 0, 2));
  EXPECT_THAT(columns.first, ElementsAre(1, 3, 0));
  EXPECT_THAT(columns.inverse, ElementsAre(2, 0, 2, 1));
}

TEST(OnnxUnique, OfLargeIntegersAndOfNaN) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  EXPECT_THAT(unique(ir::Tensor::of<std::int64_t>({3}, {large, large - 1, large}), true, {}).first, ElementsAre(1, 0));
  EXPECT_THAT(unique(floats({4}, {nan, 1, nan, -1}), true, {}).counts, ElementsAre(1, 1, 2));
  EXPECT_EQ(unique(floats({0}, {}), true, {}).shape, (ir::Shape{0}));
}

TEST(OnnxNonMaxSuppression, KeepsTheBestOfWhatOverlaps) {
  // Boxes 0 and 1 have 0.5 of 1.5 in common, 2 is box 0 with its corners exchanged, 3 is far away.
  const ir::Tensor corners = floats({1, 4, 4}, {0, 0, 1, 1, 0, 0.5, 1, 1.5, 1, 1, 0, 0, 5, 5, 6, 6});
  const ir::Tensor centres = floats({1, 4, 4}, {.5, .5, 1, 1, 1, .5, 1, 1, .5, .5, 1, 1, 5.5, 5.5, 1, 1});
  const ir::Tensor scores = floats({1, 2, 4}, {.9, .8, .95, .1, .3, .3, .2, .5});
  const auto ask = [&](bool is_centred, double most, double overlap, double score) {
    ModelMaker maker(11);
    maker.initializer("boxes", is_centred ? centres : corners).initializer("scores", scores).output("y");
    maker.initializer("most", ir::convert(floats({1}, {most}), ir::DType::i64));
    maker.initializer("overlap", floats({1}, {overlap})).initializer("score", floats({1}, {score}));
    set_int(maker.node("NonMaxSuppression", {"boxes", "scores", "most", "overlap", "score"}, {"y"}), "center_point_box",
            is_centred ? 1 : 0);
    return numbers(maker.run({}));
  };
  for (const bool is_centred : {false, true}) {
    EXPECT_THAT(ask(is_centred, 9, 0.3, 0), ElementsAre(0, 0, 2, 0, 0, 3, 0, 1, 3, 0, 1, 0));
    EXPECT_THAT(ask(is_centred, 9, 0.4, 0.25), ElementsAre(0, 0, 2, 0, 0, 1, 0, 1, 3, 0, 1, 0, 0, 1, 1));
    EXPECT_THAT(ask(is_centred, 1, 0.4, 0.25), ElementsAre(0, 0, 2, 0, 1, 3));
    EXPECT_TRUE(ask(is_centred, 0, 0.4, 0).empty());
  }
}

/// A model that splits x [5, 2] along axis 0 and returns what `build` makes of the sequence "s" as "y".
ir::Tensor of_parts(const std::vector<std::int64_t>& split, bool is_list, bool keepdims,
                    const std::function<void(ModelMaker&)>& build) {
  ModelMaker maker(13);
  maker.input("x", {5, 2}).output("y");
  for (const std::int64_t k : {0, 1, 2}) maker.initializer(ir::cat("at", k), ir::Tensor::of<std::int64_t>({}, {k}));
  maker.initializer("last", ir::Tensor::of<std::int64_t>({}, {-1}));
  if (!split.empty() && is_list) maker.initializer("split", split);
  if (!split.empty() && !is_list) maker.initializer("split", ir::Tensor::of<std::int64_t>({}, split));
  auto& node = maker.node("SplitToSequence", {"x", split.empty() ? "" : "split"}, {"s"});
  set_int(node, "keepdims", keepdims ? 1 : 0);
  build(maker);
  return maker.run({{"x", floats({5, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})}});
}

TEST(OnnxSequences, SplitAndAt) {
  const auto at = [](const std::string& place) {
    return [=](ModelMaker& maker) { maker.node("SequenceAt", {"s", place}, {"y"}); };
  };
  EXPECT_THAT(numbers(of_parts({2}, false, true, at("last"))), ElementsAre(8, 9));  // 2, 2 and the rest
  EXPECT_THAT(numbers(of_parts({1, 4}, true, true, at("at1"))), ElementsAre(2, 3, 4, 5, 6, 7, 8, 9));
  EXPECT_EQ(of_parts({}, false, true, at("at2")).shape(), (ir::Shape{1, 2}));
  EXPECT_EQ(of_parts({}, false, false, at("at2")).shape(), (ir::Shape{2}));
  EXPECT_EQ(of_parts({1, 4}, true, false, at("at0")).shape(), (ir::Shape{1, 2}));  // keepdims is of no split only
  EXPECT_THAT(message_of([&] { of_parts({3}, false, true, at("at2")); }), HasSubstr("outside a sequence of 2"));
}

TEST(OnnxSequences, InsertEraseConcatAndLength) {
  const auto joined = [](bool new_axis) {
    return [=](ModelMaker& maker) {
      maker.node("SequenceErase", {"s", "at1"}, {"less"});
      maker.node("SequenceAt", {"s", "at0"}, {"first"});
      maker.node("SequenceInsert", {"less", "first", "at1"}, {"more"});
      maker.node("SequenceInsert", {"more", "first"}, {"all"});
      auto& node = maker.node("ConcatFromSequence", {"all"}, {"y"});
      set_int(node, "axis", new_axis ? -1 : 0);
      set_int(node, "new_axis", new_axis ? 1 : 0);
    };
  };
  EXPECT_THAT(numbers(of_parts({2, 2, 1}, true, true, [&](ModelMaker& maker) { joined(false)(maker); })),
              ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 8, 9, 0, 1, 2, 3));
  const ir::Tensor stacked = of_parts({}, false, false, joined(true));
  EXPECT_EQ(stacked.shape(), (ir::Shape{2, 6}));
  EXPECT_THAT(numbers(stacked), ElementsAre(0, 0, 4, 6, 8, 0, 1, 1, 5, 7, 9, 1));
  EXPECT_THAT(
      numbers(of_parts({2}, false, true, [](ModelMaker& maker) { maker.node("SequenceLength", {"s"}, {"y"}); })),
      ElementsAre(3));
}

TEST(OnnxSequences, GoThroughLoopsAndOptionals) {
  // y = the sequence that a loop of three iterations has filled with x, joined.
  ModelMaker maker(15);
  maker.input("x", {2}).output("y").initializer("trips", std::vector<std::int64_t>{3});
  maker.node("SequenceEmpty", {}, {"empty"});
  auto& loop = maker.node("Loop", {"trips", "", "empty"}, {"all"});
  auto& body = set_graph(loop, "body");
  for (const char* name : {"t", "go", "before"}) body.add_input()->set_name(name);
  for (const char* name : {"go", "after"}) body.add_output()->set_name(name);
  auto* insert = body.add_node();
  insert->set_op_type("SequenceInsert");
  for (const char* name : {"before", "x"}) insert->add_input(name);
  insert->add_output("after");
  maker.node("Optional", {"all"}, {"maybe"});
  maker.node("OptionalGetElement", {"maybe"}, {"again"});
  maker.node("Identity", {"again"}, {"same"});
  set_int(maker.node("ConcatFromSequence", {"same"}, {"y"}), "axis", 0);
  maker.proto().set_ir_version(99);
  EXPECT_THAT(numbers(maker.run({{"x", floats({2}, {1, 2})}})), ElementsAre(1, 2, 1, 2, 1, 2));
}

TEST(OnnxSequences, AreNoTensors) {
  const auto message = [](const std::function<void(ModelMaker&)>& build) {
    return message_of([&] { of_parts({2}, false, true, build); });
  };
  EXPECT_THAT(message([](ModelMaker& maker) { maker.node("Relu", {"s"}, {"y"}); }),
              HasSubstr("(Relu, opset 13): a sequence is where a tensor is wanted"));
  EXPECT_THAT(message([](ModelMaker& maker) { maker.node("Identity", {"s"}, {"y"}); }),
              HasSubstr("output 'y' is a sequence"));
  EXPECT_THAT(message([](ModelMaker& maker) { maker.node("SequenceLength", {"x"}, {"y"}); }),
              HasSubstr("input 0 (input_sequence) is of f32"));
}

}  // namespace
}  // namespace plumb::tests::known_values_test
