#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/reshape.hpp"
#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<float> floats(const ir::Tensor& tensor) {
  const auto values = tensor.as<float>();
  return {values.begin(), values.end()};
}

TEST(OnnxReader, NamesOfTheFileStay) {
  ModelMaker maker(13);
  maker.input("x", {2}).initializer("w", {2}, {10, 20}).output("y");
  maker.node("Add", {"x", "w"}, {"sum"});
  maker.node("Relu", {"sum"}, {"y"});
  const auto model = maker.read();
  const auto& graph = model.file.graph;
  EXPECT_THAT(graph.inputs(), ElementsAre("x"));
  EXPECT_THAT(graph.params(), ElementsAre("w"));
  ASSERT_EQ(graph.nodes().size(), 2u);
  EXPECT_EQ(graph.nodes()[0].label, "sum");
  EXPECT_EQ(graph.name(graph.results().at(0)), "y");
  EXPECT_THAT(model.outputs, ElementsAre("y"));
  EXPECT_THAT(floats(maker.run({{"x", ir::Tensor::of<float>({2}, {-30, 5})}})), ElementsAre(0, 25));
}

TEST(OnnxReader, OneErrorNamesEveryNodeThatIsNotRead) {
  ModelMaker maker(13);
  maker.input("x", {2}).output("z").output("a");
  maker.node("NonZero", {"x"}, {"a"}).set_name("first");
  maker.node("NonZero", {"x"}, {"b"});
  maker.node("Relu", {"b"}, {"z"});  // a known operator after an unknown one is not blamed
  const auto message = message_of([&] { maker.read(); });
  EXPECT_THAT(message, HasSubstr("node 'first' (NonZero, opset 13): "));
  EXPECT_THAT(message, HasSubstr("the node of 'b' (NonZero, opset 13): "));
  EXPECT_THAT(message, ::testing::Not(HasSubstr("Relu")));
  EXPECT_THROW(maker.read(), ir::Unsupported);
}

TEST(OnnxReader, ShapeArithmeticLeavesOneReshape) {
  ModelMaker maker(13);
  maker.input("x", {2, 3, 4}).initializer("zero", std::vector<std::int64_t>{0}).output("y");
  maker.initializer("rest", std::vector<std::int64_t>{-1});
  maker.node("Shape", {"x"}, {"shape"});
  maker.node("Gather", {"shape", "zero"}, {"batch"});
  maker.node("Concat", {"batch", "rest"}, {"wanted"}).add_attribute()->set_name("axis");
  maker.graph().mutable_node(2)->mutable_attribute(0)->set_type(::onnx::AttributeProto::INT);
  maker.node("Reshape", {"x", "wanted"}, {"y"});
  const auto model = maker.read();
  ASSERT_EQ(model.file.graph.nodes().size(), 1u);
  EXPECT_EQ(model.file.graph.nodes()[0].op, ir::Op(ir::ops::Reshape{{2, 12}}));
  EXPECT_TRUE(model.file.graph.params().empty());
}

TEST(OnnxReader, AMissingExtentIsAskedFor) {
  ModelMaker maker(13);
  maker.input("x", {-1, 3}).output("y");
  maker.node("Relu", {"x"}, {"y"});
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("f32[n, 3]: which extents are meant?"));
  EXPECT_EQ(maker.read({.shapes = {{"n", {5}}}}).file.graph.type(0).shape, (ir::Shape{5, 3}));
  EXPECT_EQ(maker.read({.shapes = {{"x", {7, 3}}}}).file.graph.type(0).shape, (ir::Shape{7, 3}));
  EXPECT_THAT(message_of([&] { maker.read({.shapes = {{"x", {7, 4}}}}); }), HasSubstr("given [7, 4]"));
}

TEST(OnnxReader, AnInputThatDecidesOnAShapeIsPinned) {
  ModelMaker maker(13);
  maker.input("x", {2, 3}).input("shape", {1}, ::onnx::TensorProto::INT64).output("y");
  maker.node("Reshape", {"x", "shape"}, {"y"});
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("shape must be known"));
  const auto model = maker.read({.given = {{"shape", ir::Tensor::of<std::int64_t>({1}, {6})}}});
  EXPECT_EQ(model.file.graph.type(model.file.graph.results().at(0)).shape, (ir::Shape{6}));
  EXPECT_THAT(model.notes, ElementsAre(HasSubstr("input 'shape'")));
}

TEST(OnnxReader, WhatIsOpenStillIsAllOfOneExtent) {
  ModelMaker maker(13);
  maker.input("x", {-1, 3, -1}).output("y");
  maker.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(2)->set_dim_param(
      "?");
  maker.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(maker.read({.shapes = {{"n", {5}}}, .rest = 2}).file.graph.type(0).shape, (ir::Shape{5, 3, 2}));
  EXPECT_EQ(maker.read({.rest = 7}).file.graph.type(0).shape, (ir::Shape{7, 3, 7}));
}

TEST(OnnxReader, GivenTensorsSettleExtentsAndContradictionsNameTheAxis) {
  ModelMaker maker(13);
  maker.input("x", {-1, 3}).input("z", {2, -1}).output("y");
  maker.node("MatMul", {"z", "x"}, {"y"});
  const auto x = ir::Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(maker.read({.given = {{"x", x}}}).file.graph.type(1).shape, (ir::Shape{2, 2}));
  const auto refusal = [&](const ir::formats::OnnxOptions& options) {
    return message_of([&] { maker.read(options); });
  };
  EXPECT_THAT(refusal({.given = {{"x", x}, {"z", ir::Tensor::of<float>({2, 1}, {1, 2})}}}),
              HasSubstr("input 'z': is f32[2, n]: axis 1 is 'n', given with 1, but 2 by input 'x', axis 0"));
  EXPECT_THAT(refusal({.shapes = {{"n", {4}}}, .given = {{"x", x}}}),
              HasSubstr("input 'x': is f32[n, 3]: axis 0 is 'n', given with 2, but 4 by --shape n=4"));
  EXPECT_THAT(refusal({.shapes = {{"x", {4, 3}}}, .given = {{"x", x}}}),
              HasSubstr("input 'x': is f32[n, 3]: axis 0 is given with 2, but --shape says 4"));
  EXPECT_THAT(refusal({.given = {{"x", ir::Tensor::of<float>({1, 4}, {1, 2, 3, 4})}}}),
              HasSubstr("axis 1 is 3 in the file and 4 as given"));
}

TEST(OnnxReader, ExpectedTensorsSettleWhatNoInputDoes) {
  ModelMaker maker(13);
  maker.input("x", {-1, 3}).output("y").output("z");
  maker.node("Relu", {"x"}, {"y"});
  maker.node("Neg", {"x"}, {"z"});
  for (auto& output : *maker.graph().mutable_output())
    output.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_param("n");
  EXPECT_EQ(maker.read({.expected = {{"y", {4, 3}}}}).file.graph.type(0).shape, (ir::Shape{4, 3}));
  // Exporters give an axis of an output the name of a longer one of the input: what is given has the last word.
  const auto x = ir::Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(maker.read({.given = {{"x", x}}, .expected = {{"y", {4, 3}}}}).file.graph.type(0).shape, (ir::Shape{2, 3}));
  EXPECT_THAT(message_of([&] {
                maker.read({.expected = {{"y", {4, 3}}, {"z", {5, 3}}}});
              }),
              HasSubstr("output 'z', axis 0: is 'n', expected with 5, but with 4 of output 'y', axis 0"));
}

TEST(OnnxReader, OneNumberFillsAnInputOfAnyShape) {
  ModelMaker maker(13);
  maker.input("x", {-1, 3}).output("y");
  maker.node("Relu", {"x"}, {"y"});
  const auto model = maker.read({.shapes = {{"n", {2}}}, .spread = {{"x", ir::Tensor::of<float>({}, {0.5F})}}});
  const auto& tensor = std::get<ir::Tensor>(model.file.sources.at("x"));
  EXPECT_EQ(tensor.shape(), (ir::Shape{2, 3}));
  for (const float element : tensor.as<float>()) EXPECT_EQ(element, 0.5F);
}

TEST(OnnxReader, AnInitialiserIsWhatIsGivenForIt) {
  ModelMaker maker(13);
  maker.input("x", {2, 3}).initializer("shape", std::vector<std::int64_t>{3, 2}).output("y");
  maker.node("Reshape", {"x", "shape"}, {"y"});
  const auto shape_of = [&](const ir::formats::OnnxOptions& options) {
    const auto model = maker.read(options);
    return model.file.graph.type(model.file.graph.results().at(0)).shape;
  };
  EXPECT_EQ(shape_of({}), (ir::Shape{3, 2}));
  EXPECT_EQ(shape_of({.given = {{"shape", ir::Tensor::of<std::int64_t>({2}, {1, 6})}}}), (ir::Shape{1, 6}));
  EXPECT_THAT(message_of([&] {
                shape_of({.given = {{"shape", ir::Tensor::of<std::int64_t>({1}, {6})}}});
              }),
              HasSubstr("initialiser 'shape': is i64[2], given i64[1]"));
}

TEST(OnnxReader, ANewerFileIsReadWithoutTheChecker) {
  ModelMaker maker(21);
  maker.proto().set_ir_version(99);
  maker.input("x", {2}).output("y");
  maker.node("Relu", {"x"}, {"y"});
  EXPECT_THAT(maker.read().notes, ElementsAre(HasSubstr("not checked")));
}

TEST(OnnxReader, DamagedBytesAreRefused) {
  ModelMaker maker(13);
  maker.input("x", {2}).initializer("w", {2}, {10, 20}).output("y");
  maker.node("Add", {"x", "w"}, {"y"});
  const std::string good = maker.bytes();
  ir::formats::OnnxOptions options{
      .evaluate = [](const ir::Op&, std::span<const ir::Tensor>) -> std::vector<ir::Tensor> {
        ir::fail("nothing is evaluated here");
      }};
  EXPECT_NO_THROW(ir::formats::parse_onnx(good, {}, options));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(ir::formats::parse_onnx(good.substr(0, length), {}, options), ir::Error) << length;
  std::size_t read = 0;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    try {
      ir::formats::parse_onnx(bad, {}, options);
      ++read;
    } catch (const ir::Error&) {
      continue;
    }
  }
  EXPECT_LT(read, good.size() * 8);
}

}  // namespace
}  // namespace plumb::tests::reader_test
