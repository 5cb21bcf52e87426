// Parts of a model that none of its outputs needs block nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::needed_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// y = -x.
ModelMaker negation() {
  ModelMaker maker(13);
  maker.input("x", {2}).output("y");
  maker.node("Neg", {"x"}, {"y"});
  return maker;
}

std::vector<float> answer(const ModelMaker& maker) {
  const auto y = maker.run({{"x", ir::Tensor::of<float>({2}, {1, -2})}});
  return {y.as<float>().begin(), y.as<float>().end()};
}

void add_tensor(ModelMaker& maker, const std::string& name, int type) {
  auto* tensor = maker.graph().add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  tensor->add_dims(1);
  if (type == ::onnx::TensorProto::STRING)
    tensor->add_string_data("cat");
  else
    tensor->add_int32_data(1);
}

constexpr int int4 = 22;

TEST(OnnxNeeded, NodesAndInitialisersThatNoOutputNeedsMayBeOfAnyKind) {
  ModelMaker maker = negation();
  add_tensor(maker, "names", ::onnx::TensorProto::STRING);
  add_tensor(maker, "codes", int4);
  maker.node("NonZero", {"x"}, {"where"});
  maker.node("NoSuchOperator", {"where", "codes"}, {"nothing"});
  maker.node("Unique", {"nothing"}, {"end"});
  EXPECT_THAT(answer(maker), ElementsAre(-1, 2));
}

TEST(OnnxNeeded, InputsThatNoOutputNeedsMayBeOfAnyKind) {
  ModelMaker maker = negation();
  maker.input("name", {1}, ::onnx::TensorProto::STRING).input("open", {-1, 3});
  EXPECT_THAT(maker.read().file.graph.inputs(), ElementsAre("x"));
  EXPECT_THAT(answer(maker), ElementsAre(-1, 2));
}

TEST(OnnxNeeded, ATypeThatIsNotReadIsNamedWhereAnOutputNeedsIt) {
  ModelMaker maker = negation();
  add_tensor(maker, "codes", int4);
  maker.node("Identity", {"codes"}, {"z"});
  maker.output("z");
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("initialiser 'codes': tensors of int4 are not read"));
  EXPECT_THROW(maker.read(), ir::Unsupported);
  ModelMaker cast(21);
  cast.proto().set_ir_version(10);
  cast.input("x", {2}).output("y");
  set_int(cast.node("Cast", {"x"}, {"y"}), "to", 17);
  EXPECT_THAT(message_of([&] { cast.read(); }), HasSubstr("float8e4m3fn"));
  EXPECT_THROW(cast.read(), ir::Unsupported);
}

TEST(OnnxNeeded, OnlyWhatAnOutputNeedsIsReported) {
  ModelMaker maker = negation();
  maker.node("NonZero", {"x"}, {"where"});
  maker.node("Unique", {"x"}, {"end"});
  maker.node("Cast", {"where"}, {"z"});
  set_int(*maker.graph().mutable_node(3), "to", ::onnx::TensorProto::FLOAT);
  maker.output("z");
  const auto message = message_of([&] { maker.read(); });
  EXPECT_THAT(message, HasSubstr("NonZero"));
  EXPECT_THAT(message, Not(HasSubstr("Unique")));
}

TEST(OnnxNeeded, FurtherOutputsThatNothingReadsBlockNothing) {
  ModelMaker maker(9);
  maker.input("x", {2, 1}).initializer("one", {1}, {1}).initializer("zero", {1}, {0}).output("y");
  maker.node("BatchNormalization", {"x", "one", "zero", "zero", "one"}, {"y", "m", "v", "sm", "sv"});
  EXPECT_NO_THROW(maker.read());
  maker.node("Neg", {"m"}, {"z"});
  maker.output("z");
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("its output 'm' is of training"));
}

TEST(OnnxNeeded, TheBranchThatIsNotTakenBlocksNothing) {
  ModelMaker maker(13);
  maker.input("x", {2}).output("y");
  auto* yes = maker.graph().add_initializer();
  yes->set_name("yes");
  yes->set_data_type(::onnx::TensorProto::BOOL);
  yes->add_int32_data(1);
  maker.node("NonZero", {"x"}, {"where"});
  auto& node = maker.node("If", {"yes"}, {"y"});
  const auto add = [](::onnx::GraphProto& graph, const char* op, const char* input) {
    auto* inner = graph.add_node();
    inner->set_op_type(op);
    inner->add_input(input);
    inner->add_output(graph.name());
    graph.add_output()->set_name(graph.name());
  };
  add(set_graph(node, "then_branch"), "Neg", "x");
  add(set_graph(node, "else_branch"), "Unique", "where");
  maker.proto().set_ir_version(99);
  EXPECT_THAT(answer(maker), ElementsAre(-1, 2));
}

TEST(OnnxNeeded, AFunctionNeedNotBeReadForAnOutputThatNothingReads) {
  ModelMaker maker(17);
  maker.input("x", {2}).output("y");
  auto& function = *maker.proto().add_functions();
  function.set_name("Both");
  function.add_input("v");
  for (const auto& [op, output] : {std::pair{"Neg", "w"}, std::pair{"NonZero", "u"}}) {
    auto* inner = function.add_node();
    inner->set_op_type(op);
    inner->add_input("v");
    inner->add_output(output);
    function.add_output(output);
  }
  *function.add_opset_import() = maker.proto().opset_import(0);
  maker.proto().set_ir_version(10);
  maker.node("Both", {"x"}, {"y", "unread"});
  EXPECT_THAT(answer(maker), ElementsAre(-1, 2));
}

TEST(OnnxInput, OfIndicesIsGeneratedInRange) {
  ModelMaker maker(13);
  maker.input("ids", {50}, ::onnx::TensorProto::INT64).initializer("rows", {2}, {5, 7}).output("y");
  maker.node("Gather", {"rows", "ids"}, {"y"});
  const auto file = maker.read().file;
  const auto feeds = ir::formats::materialise(file, 1);
  for (const auto id : feeds.at("ids").as<std::int64_t>()) EXPECT_TRUE(0 <= id && id < 2) << id;
  EXPECT_THAT(feeds.at("ids").as<std::int64_t>(), ::testing::Contains(1));
}

TEST(OnnxNeeded, AnInputsDefaultGivesWayToWhatIsGiven) {
  ModelMaker maker(13);
  maker.input("x", {2}).input("w", {2}).input("to", {1}, ::onnx::TensorProto::INT64);
  maker.initializer("w", {2}, {10, 20}).initializer("to", std::vector<std::int64_t>{2}).output("y");
  maker.node("Add", {"x", "w"}, {"sum"});
  maker.node("Expand", {"sum", "to"}, {"y"});
  const auto x = ir::Tensor::of<float>({2}, {1, 2}), w = ir::Tensor::of<float>({2}, {5, 7});
  const auto by_default = maker.run({{"x", x}});
  EXPECT_THAT(by_default.as<float>(), ElementsAre(11, 22));
  const auto model = maker.read({.given = {{"w", w}}});
  EXPECT_THAT(std::get<ir::Tensor>(model.file.sources.at("w")).as<float>(), ElementsAre(5, 7));
  maker.graph().mutable_input(2)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_param(
      "rank");
  const auto wide = maker.read({.given = {{"to", ir::Tensor::of<std::int64_t>({2}, {3, 2})}}}).file.graph;
  EXPECT_EQ(wide.type(wide.results().at(0)).shape, (ir::Shape{3, 2}));
  EXPECT_THAT(message_of([&] {
                maker.read({.given = {{"w", ir::Tensor::of<float>({3}, {5, 7, 9})}}});
              }),
              HasSubstr("input 'w': is f32[2], given [3]"));
}

}  // namespace
}  // namespace plumb::tests::needed_test
