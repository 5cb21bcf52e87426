// RNN, GRU and LSTM as the file has them: what becomes an attribute of the op, what is left out and what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/formats/onnx/onnx_file.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/rnn.hpp"
#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::recurrence_test {
namespace {

using ir::kernels::RecurrentActivation;
using ir::kernels::RecurrentDirection;
using ::testing::HasSubstr;

/// A network of one unit and one input in both directions or one: every weight is 1, so are the others in `more`.
ModelMaker network(const std::string& op, std::int64_t gates, const std::vector<std::string>& more = {},
                   std::int64_t directions = 1, std::int64_t opset = 14) {
  ModelMaker maker(opset);
  const auto ones = [](std::int64_t count) { return std::vector<float>(static_cast<std::size_t>(count), 1.0f); };
  maker.input("x", {2, 1, 1}).output("y");
  maker.initializer("w", {directions, gates, 1}, ones(directions * gates));
  maker.initializer("r", {directions, gates, 1}, ones(directions * gates));
  maker.initializer("bias", {directions, 2 * gates},
                    std::vector<float>(static_cast<std::size_t>(2 * directions * gates)));
  maker.initializer("state", {directions, 1, 1}, ones(directions));
  maker.initializer("peephole", {directions, 3}, ones(3 * directions));
  std::vector<std::string> operands = {"x", "w", "r"};
  operands.insert(operands.end(), more.begin(), more.end());
  maker.node(op, operands, {"y"});
  return maker;
}

::onnx::NodeProto& node_of(ModelMaker& maker) { return *maker.graph().mutable_node(0); }

template <class T>
T op_of(const ModelMaker& maker) {
  const auto model = maker.read();
  for (const ir::Node& node : model.file.graph.nodes())
    if (node.op.is<T>()) return node.op.as<T>();
  ir::fail("there is no ", T::name);
}

TEST(OnnxRecurrence, StepsGoOnFromTheStateBefore) {
  const ir::Tensor y = network("RNN", 1).run({{"x", ir::Tensor::of<float>({2, 1, 1}, {1, 1})}});
  EXPECT_EQ(y.shape(), (ir::Shape{2, 1, 1, 1}));
  EXPECT_FLOAT_EQ(y.as<float>()[0], std::tanh(1.0f));
  EXPECT_FLOAT_EQ(y.as<float>()[1], std::tanh(1 + std::tanh(1.0f)));
}

TEST(OnnxRecurrence, AttributesAreThoseOfTheOp) {
  ModelMaker lstm = network("LSTM", 4, {"", "", "state", "state", "peephole"}, 2);
  set_text(node_of(lstm), "direction", "bidirectional");
  set_texts(node_of(lstm), "activations", {"HARDSIGMOID", "relu", "Softsign", "HardSigmoid", "Relu", "softsign"});
  set_real(node_of(lstm), "clip", 2);
  set_int(node_of(lstm), "input_forget", 1);
  const auto op = op_of<ir::ops::Lstm>(lstm);
  EXPECT_EQ(op, (ir::ops::Lstm{.direction = RecurrentDirection::bidirectional,
                               .gate_activation = RecurrentActivation::hard_sigmoid,
                               .cell_activation = RecurrentActivation::relu,
                               .hidden_activation = RecurrentActivation::softsign,
                               .clip = 2,
                               .input_forget = true,
                               .has_initial_h = true,
                               .has_initial_c = true,
                               .has_peephole = true}));
  ModelMaker gru = network("GRU", 3, {"", "", "state"});
  set_int(node_of(gru), "linear_before_reset", 1);
  set_text(node_of(gru), "direction", "reverse");
  const auto other = op_of<ir::ops::Gru>(gru);
  EXPECT_TRUE(other.linear_before_reset && other.has_initial_h && !other.has_bias);
  EXPECT_EQ(other.direction, RecurrentDirection::reverse);
}

TEST(OnnxRecurrence, ZerosInTheFileAreLeftOut) {
  EXPECT_FALSE(op_of<ir::ops::Rnn>(network("RNN", 1, {"bias"})).has_bias);
  ModelMaker fed = network("RNN", 1, {"b"});
  fed.input("b", {1, 2});
  EXPECT_TRUE(op_of<ir::ops::Rnn>(fed).has_bias);
}

TEST(OnnxRecurrence, BatchesInFront) {
  ModelMaker maker = network("RNN", 1);
  maker.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(0)->set_dim_value(
      3);
  set_int(node_of(maker), "layout", 1);
  const ir::Tensor y = maker.run({{"x", ir::Tensor::of<float>({3, 1, 1}, {1, 2, 3})}});  // three sequences of one step
  EXPECT_EQ(y.shape(), (ir::Shape{3, 1, 1, 1}));
  for (std::size_t b = 0; b < 3; ++b) EXPECT_FLOAT_EQ(y.as<float>()[b], std::tanh(static_cast<float>(b + 1)));
}

TEST(OnnxRecurrence, WhatNobodyHasIsRefusedByName) {
  const auto message = [](const std::string& name) {
    ModelMaker maker = network("RNN", 1);
    set_texts(node_of(maker), "activations", {name});
    return message_of([&] { maker.read(); });
  };
  EXPECT_THAT(message("Swish"), HasSubstr("the activation swish"));
  EXPECT_THAT(message("ScaledTanh"), HasSubstr("scaledtanh has no parameter"));
  EXPECT_THAT(message_of([&] { network("LSTM", 4, {}, 1, 6).read(); }), HasSubstr("from opset 7 on"));
}

TEST(OnnxRecurrence, UsualParametersLeaveTheOp) {
  ModelMaker maker = network("RNN", 1);
  set_texts(node_of(maker), "activations", {"HardSigmoid"});
  set_reals(node_of(maker), "activation_alpha", {0.2f});
  EXPECT_EQ(op_of<ir::ops::Rnn>(maker).activation, RecurrentActivation::hard_sigmoid);
}

}  // namespace
}  // namespace plumb::tests::recurrence_test
