// Values that the reader put others in the place of are found by the names that the file has for them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/model.hpp"

namespace plumb::tests::aliases_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// The graph's names of values by their aliases.
std::map<std::string, std::string> aliases(const ir::formats::OnnxModel& model) {
  std::map<std::string, std::string> names;
  for (const auto& [name, value] : model.file.aliases) names.emplace(name, model.file.graph.name(value));
  return names;
}

TEST(OnnxAliases, OfNodesWithoutEffectAreWhatTheyHandOn) {
  ModelMaker maker(13);
  maker.input("x", {2}).initializer("to", std::vector<std::int64_t>{2}).output("y");
  maker.node("Identity", {"x"}, {"source"});
  maker.node("Neg", {"source"}, {"a"});
  maker.node("Identity", {"a"}, {"b"});
  maker.node("Dropout", {"b"}, {"c"});
  set_int(maker.node("Cast", {"c"}, {"d"}), "to", ::onnx::TensorProto::FLOAT);
  maker.node("Reshape", {"d", "to"}, {"e"});
  maker.node("Abs", {"e"}, {"y"});
  EXPECT_THAT(aliases(maker.read()),
              ElementsAre(Pair("b", "a"), Pair("c", "a"), Pair("d", "a"), Pair("e", "a"), Pair("source", "x")));
}

TEST(OnnxAliases, OfFurtherOutputsAreResultsOfTheNode) {
  ModelMaker maker(13);
  maker.input("x", {4}).initializer("k", std::vector<std::int64_t>{2}).output("y").output("z");
  maker.node("TopK", {"x", "k"}, {"values", "indices"});
  maker.node("Neg", {"values"}, {"y"});
  maker.node("Neg", {"indices"}, {"z"});
  EXPECT_THAT(aliases(maker.read()), ElementsAre(Pair("indices", "values:1")));
}

TEST(OnnxAliases, HaveNoNamesOfTheGraphAndNoneOfValuesThatVanish) {
  ModelMaker maker(13);
  maker.input("x", {2}).output("y").output("x");
  maker.node("Neg", {"x"}, {"y"});
  maker.node("Abs", {"y"}, {"unread"});
  maker.node("Identity", {"unread"}, {"unread too"});
  EXPECT_THAT(aliases(maker.read()), IsEmpty());
}

/// Fills a graph that returns the absolute value of a negative.
void add_body(::onnx::GraphProto& body, const std::string& in, const std::string& inner, const std::string& out) {
  body.set_name("body");
  const auto add = [&body](const char* op, const std::string& from, const std::string& to) {
    auto& node = *body.add_node();
    node.set_op_type(op);
    node.add_input(from);
    node.add_output(to);
  };
  add("Neg", in, inner);
  add("Abs", inner, out);
  body.add_output()->set_name(out);
}

TEST(OnnxAliases, OfABranchThatIsTakenAreItsValues) {
  ModelMaker maker(13);
  maker.input("x", {2}).output("y");
  maker.initializer("yes", ir::convert(ir::Tensor::of<double>({}, {1}), ir::DType::boolean));
  auto& choice = maker.node("If", {"yes"}, {"r"});
  add_body(set_graph(choice, "then_branch"), "x", "t", "u");
  add_body(set_graph(choice, "else_branch"), "x", "f", "g");
  maker.node("Neg", {"r"}, {"y"});
  const auto model = maker.read();
  const auto names = aliases(model);
  ASSERT_TRUE(names.contains("t") && names.contains("u")) << ir::to_text(model.file.graph);
  EXPECT_EQ(names.at("u"), "r");
  EXPECT_FALSE(names.contains("f") || names.contains("g"));
  const auto& graph = model.file.graph;
  EXPECT_EQ(graph.nodes().at(*graph.producer(model.file.aliases.at("t"))).inputs, std::vector<ir::Value>{0});
}

TEST(OnnxAliases, OfAFunctionAreNotItsInnerNames) {
  ModelMaker maker(17);
  maker.input("x", {2}).output("y");
  auto& function = *maker.proto().add_functions();
  function.set_name("F");
  function.add_input("v");
  function.add_output("w");
  *function.add_opset_import() = maker.proto().opset_import(0);
  for (const auto& [op, from, to] : {std::array{"Neg", "v", "t"}, std::array{"Abs", "t", "w"}}) {
    auto& inner = *function.add_node();
    inner.set_op_type(op);
    inner.add_input(from);
    inner.add_output(to);
  }
  maker.node("F", {"x"}, {"r"});
  maker.node("Identity", {"r"}, {"s"});
  maker.node("Neg", {"s"}, {"y"});
  maker.proto().set_ir_version(10);
  EXPECT_THAT(aliases(maker.read()), ElementsAre(Pair("s", "r")));
}

}  // namespace
}  // namespace plumb::tests::aliases_test
