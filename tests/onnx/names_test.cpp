// Tensors are found by the names that the file has for them, whatever computes them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/formats/result_names.hpp"
#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::names_test {
namespace {

using ::testing::ElementsAre;

/// The name that the graph has for result `k`.
std::string name_of(const ir::formats::OnnxModel& model, std::size_t k) {
  return model.file.graph.name(model.file.graph.results().at(k));
}

struct Nothing {
  const char* op;
  std::function<void(ModelMaker&)> add;  ///< makes y of x, and changes nothing
};

void PrintTo(const Nothing& nothing, std::ostream* out) { *out << nothing.op; }

class OnnxNames : public ::testing::TestWithParam<Nothing> {};

TEST_P(OnnxNames, AnOutputHasItsOwnWhereNothingIsComputed) {
  for (const bool is_inner : {false, true}) {
    ModelMaker maker(13);
    maker.input(is_inner ? "v" : "x", {2}).output("y");
    if (is_inner) maker.node("Neg", {"v"}, {"x"});
    GetParam().add(maker);
    const auto model = maker.read();
    EXPECT_EQ(name_of(model, 0), "y") << ir::to_text(model.file.graph);
    EXPECT_EQ(ir::formats::find_computed(model.file.graph, "y"), model.file.graph.results().at(0));
  }
}

INSTANTIATE_TEST_SUITE_P(
    , OnnxNames,
    ::testing::Values(Nothing{"Identity", [](ModelMaker& m) { m.node("Identity", {"x"}, {"y"}); }},
                      Nothing{"Dropout", [](ModelMaker& m) { m.node("Dropout", {"x"}, {"y"}); }},
                      Nothing{"Cast", [](ModelMaker& m) { set_int(m.node("Cast", {"x"}, {"y"}), "to", 1); }},
                      Nothing{"Sum", [](ModelMaker& m) { m.node("Sum", {"x"}, {"y"}); }},
                      Nothing{"Reshape",
                              [](ModelMaker& m) {
                                m.initializer("to", std::vector<std::int64_t>{-1}).node("Reshape", {"x", "to"}, {"y"});
                              }},
                      Nothing{"Expand", [](ModelMaker& m) {
                                m.initializer("to", std::vector<std::int64_t>{1}).node("Expand", {"x", "to"}, {"y"});
                              }}));

TEST(OnnxOutputs, ThatAreNotANodesFirstHaveTheirOwnNames) {
  ModelMaker maker(13);
  maker.input("x", {4}).initializer("k", std::vector<std::int64_t>{2}).output("indices").output("values");
  maker.node("TopK", {"x", "k"}, {"values", "indices"});
  const auto model = maker.read();
  EXPECT_EQ(name_of(model, 0), "indices");
  EXPECT_EQ(name_of(model, 1), "values");
}

TEST(OnnxOutputs, ThatAreOneValueAreTwoValues) {
  ModelMaker maker(13);
  maker.input("x", {2}).output("b").output("a").output("c");
  maker.node("Neg", {"x"}, {"a"});
  maker.node("Identity", {"a"}, {"b"});
  maker.node("Identity", {"x"}, {"c"});
  const auto model = maker.read();
  EXPECT_EQ(name_of(model, 0), "b");
  EXPECT_EQ(name_of(model, 1), "a");
  EXPECT_EQ(name_of(model, 2), "c");
  EXPECT_NE(model.file.graph.results()[0], model.file.graph.results()[1]);
}

TEST(OnnxOutputs, ThatAreInputsOrInitialisersAreFoundByTheirNames) {
  ModelMaker maker(13);
  maker.input("x", {2}).initializer("w", {2}, {1, 2}).output("x").output("w").output("y");
  maker.node("Neg", {"x"}, {"y"});
  const auto model = maker.read();
  for (const std::size_t k : {0u, 1u, 2u}) {
    const std::string name = maker.proto().graph().output(static_cast<int>(k)).name();
    EXPECT_EQ(ir::formats::find_computed(model.file.graph, name), model.file.graph.results().at(k)) << name;
    EXPECT_EQ(ir::formats::result_name(model.file.graph, k), name);
  }
}

TEST(OnnxOutputs, OfAFunctionHaveTheNamesOfTheModel) {
  ModelMaker maker(17);
  maker.input("x", {2}).output("Y").output("Z");
  auto& function = *maker.proto().add_functions();
  function.set_name("F");
  function.add_input("v");
  function.add_output("w");
  function.add_output("v");
  auto* inner = function.add_node();
  inner->set_op_type("Neg");
  inner->add_input("v");
  inner->add_output("w");
  *function.add_opset_import() = maker.proto().opset_import(0);
  maker.node("F", {"x"}, {"Y", "Z"});
  maker.proto().set_ir_version(10);
  const auto model = maker.read();
  EXPECT_EQ(name_of(model, 0), "Y");
  EXPECT_EQ(name_of(model, 1), "Z");
}

TEST(OnnxInnerNames, OfInnerTensorsAreKnownWhateverTheGraphCallsThem) {
  ModelMaker maker(13);
  maker.input("x", {4}).initializer("k", std::vector<std::int64_t>{2}).output("y").output("z");
  maker.node("TopK", {"x", "k"}, {"values", "indices"});
  maker.node("Identity", {"values"}, {"same"});
  maker.node("Neg", {"same"}, {"y"});
  maker.node("Neg", {"indices"}, {"z"});
  const auto model = maker.read();
  EXPECT_EQ(model.names.values.at("same"), "values");
  EXPECT_EQ(model.names.values.at("indices"), "values:1");
  EXPECT_FALSE(model.names.values.contains("y"));
  EXPECT_TRUE(model.names.sources.empty());
}

TEST(OnnxInnerNames, BeyondAsciiStayAndDoNotRunTogether) {
  ModelMaker maker(13);
  const std::string first = "输入", second = "输出", odd = "a\tb";
  maker.input(first, {2}).input(second, {2}).input(odd, {2}).output("y");
  maker.node("Sum", {first, second, odd}, {"y"});
  const auto one = ir::Tensor::of<float>({2}, {1, 2}), two = ir::Tensor::of<float>({2}, {10, 20});
  const auto model = maker.read({.given = {{first, one}, {second, two}}});
  EXPECT_THAT(model.file.graph.inputs(), ElementsAre(first, second, "a?b"));
  EXPECT_EQ(model.names.sources.at(odd), "a?b");
}

}  // namespace
}  // namespace plumb::tests::names_test
