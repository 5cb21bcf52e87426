// Causal convolution with a state: optional operands, both names of its activation, and both results.

#include "ir/ops/causal_conv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::causal_conv_test {
namespace {

using ir::Tensor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelMaker causal_model(const std::vector<std::string>& operands, const std::string& result) {
  ModelMaker maker(27);
  maker.proto().set_ir_version(99);  // newer than any checker
  maker.input("x", {1, 1, 4}).initializer("w", {1, 1, 3}, {1, 10, 100}).initializer("b", {1}, {0.5f});
  maker.initializer("s", {1, 1, 2}, {7, 8}).output(result);
  maker.node("CausalConvWithState", operands, {"y", "next"});
  return maker;
}

std::vector<float> given(const ModelMaker& maker) {
  const Tensor y = maker.run({{"x", Tensor::of<float>({1, 1, 4}, {1, 2, 3, 4})}});
  return {y.as<float>().begin(), y.as<float>().end()};
}

TEST(OnnxCausalConv, TakesBiasAndStateOrNeither) {
  EXPECT_THAT(given(causal_model({"x", "w"}, "y")), ElementsAre(100, 210, 321, 432));
  EXPECT_THAT(given(causal_model({"x", "w", "b"}, "y")), ElementsAre(100.5, 210.5, 321.5, 432.5));
  EXPECT_THAT(given(causal_model({"x", "w", "", "s"}, "y")), ElementsAre(187, 218, 321, 432));
  EXPECT_THAT(given(causal_model({"x", "w", "b", "s"}, "next")), ElementsAre(3, 4));
}

TEST(OnnxCausalConv, SiluAndSwishAreOne) {
  for (const std::string name : {"silu", "swish"}) {
    ModelMaker maker = causal_model({"x", "w"}, "y");
    set_text(*maker.graph().mutable_node(0), "activation", name);
    const ir::formats::OnnxModel model = maker.read();
    ASSERT_EQ(model.file.graph.nodes().size(), 1u);
    EXPECT_EQ(model.file.graph.nodes()[0].op, ir::Op(ir::ops::CausalConv{ir::ops::CausalActivation::silu}));
  }
  ModelMaker other = causal_model({"x", "w"}, "y");
  set_text(*other.graph().mutable_node(0), "activation", "relu");
  EXPECT_THAT(message_of([&] { other.read(); }), HasSubstr("relu"));
}

TEST(OnnxCausalConv, OfImagesIsRefused) {
  ModelMaker maker = causal_model({"x", "w"}, "y");
  set_int(*maker.graph().mutable_node(0), "ndim", 2);
  EXPECT_THAT(message_of([&] { maker.read(); }), HasSubstr("a causal convolution along 2 axes"));
}

}  // namespace
}  // namespace plumb::tests::causal_conv_test
