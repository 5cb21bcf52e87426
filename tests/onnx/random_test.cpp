// Random numbers: those of the op, by the file's seed and by a stream for each node.

#include "ir/ops/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/sample.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/onnx/model.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::onnx_random_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Random;
using ir::ops::RandomDistribution;
using ::testing::HasSubstr;

Tensor drawn(const Random& op) {
  ref_cpu::CpuExecutor cpu;
  return ir::run_op(cpu, op, {}).front();
}

/// A node of an operator that takes a shape, behind another such node.
ModelMaker second_node(const std::string& op) {
  ModelMaker maker(22);
  maker.output("y").output("first");
  set_ints(maker.node(op, {}, {"first"}), "shape", {3, 5});
  auto& node = maker.node(op, {}, {"y"});
  set_ints(node, "shape", {3, 5});
  set_real(node, "seed", 2.5f);
  return maker;
}

TEST(OnnxRandom, IsTheOpBySeedAndPlace) {
  const Random op{.shape = {3, 5}, .seed = 2, .stream = 1};  // 2.5 is rounded to even
  EXPECT_TRUE(same_bytes(second_node("RandomUniform").run({}), drawn(op)));
  Random normal = op;
  normal.distribution = RandomDistribution::normal;
  EXPECT_TRUE(same_bytes(second_node("RandomNormal").run({}), drawn(normal)));
}

TEST(OnnxRandom, TakesItsNumbersAndItsDtype) {
  ModelMaker maker = second_node("RandomUniform");
  auto& node = *maker.graph().mutable_node(1);
  set_real(node, "low", -2);
  set_real(node, "high", 6);
  set_int(node, "dtype", ::onnx::TensorProto::FLOAT16);
  const Random op{.shape = {3, 5}, .dtype = DType::f16, .low = -2, .high = 6, .seed = 2, .stream = 1};
  maker.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(::onnx::TensorProto::FLOAT16);
  EXPECT_TRUE(same_bytes(maker.run({}), drawn(op)));
  ModelMaker other = second_node("RandomUniform");
  set_int(*other.graph().mutable_node(1), "dtype", ::onnx::TensorProto::INT32);
  EXPECT_THAT(message_of([&] { other.read(); }), HasSubstr("random numbers of i32"));
}

TEST(OnnxRandom, LikeAnOperand) {
  ModelMaker maker(22);
  maker.input("x", {2, 7}).output("y");
  auto& node = maker.node("RandomNormalLike", {"x"}, {"y"});
  set_real(node, "mean", 3);
  set_real(node, "scale", 0.5f);
  const Random op{
      .shape = {2, 7}, .distribution = RandomDistribution::normal, .mean = 3, .scale = 0.5, .seed = 0, .stream = 0};
  EXPECT_TRUE(same_bytes(maker.run({{"x", Tensor({DType::f32, {2, 7}})}}), drawn(op)));
}

TEST(OnnxRandom, BernoulliComparesWithItsProbability) {
  ModelMaker maker(22);
  maker.input("p", {4}).output("y");
  set_real(maker.node("Bernoulli", {"p"}, {"y"}), "seed", 1);
  // The first numbers of seed 1 are 0.890, 0.895, 0.586 and 0.711 (ops.md K.1).
  const Tensor y = maker.run({{"p", Tensor::of<float>({4}, {0.88f, 0.9f, 0, 1})}});
  EXPECT_EQ(y.dtype(), DType::f32);
  EXPECT_THAT(std::vector<float>(y.as<float>().begin(), y.as<float>().end()), ::testing::ElementsAre(0, 1, 0, 1));
}

/// Four draws from each of two rows.
ModelMaker multinomial(std::int32_t dtype) {
  ModelMaker maker(22);
  maker.input("x", {2, 3}).output("y");
  auto& node = maker.node("Multinomial", {"x"}, {"y"});
  set_int(node, "sample_size", 4);
  set_int(node, "dtype", dtype);
  set_real(node, "seed", 3);
  maker.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(dtype);
  return maker;
}

TEST(OnnxRandom, MultinomialDrawsFromRowsOfTheirOwn) {
  const std::vector<float> a = {0, 1, 0.5f}, b = {2, -1, 0};
  std::vector<float> rows;
  for (int draw = 0; draw < 8; ++draw) {
    const std::vector<float>& row = draw < 4 ? a : b;
    rows.insert(rows.end(), row.begin(), row.end());
  }
  ref_cpu::CpuExecutor cpu;
  const ir::ops::Sample draw{.seed = 3, .stream = 0};
  const Tensor each = ir::run_op(cpu, draw, {Tensor::of<float>({2, 4, 3}, rows)}).front();
  const Tensor logits = Tensor::of<float>({2, 3}, {0, 1, 0.5f, 2, -1, 0});
  EXPECT_TRUE(same_bytes(multinomial(::onnx::TensorProto::INT64).run({{"x", logits}}), each));
  EXPECT_THAT(message_of([&] { multinomial(::onnx::TensorProto::FLOAT).read(); }), HasSubstr("draws of f32"));
}

/// Elements are kept where the node's number is at least the ratio.
TEST(OnnxRandom, DropoutInTrainingDropsByItsRatio) {
  const auto dropped = [](float ratio) {
    ModelMaker maker(22);
    maker.input("x", {4}).initializer("ratio", {}, {ratio}).output("y");
    maker.initializer("trains", std::vector<std::int64_t>{1});
    set_int(maker.node("Cast", {"trains"}, {"training"}), "to", ::onnx::TensorProto::BOOL);
    set_int(maker.node("Dropout", {"x", "ratio", "training"}, {"y", "mask"}), "seed", 7);
    return maker.run({{"x", Tensor::of<float>({4}, {1, 2, 3, 4})}});
  };
  const Tensor numbers = drawn(Random{.shape = {4}, .seed = 7, .stream = 1}), y = dropped(0.5f), whole = dropped(0);
  for (std::size_t i = 0; i < 4; ++i) {
    const float x = static_cast<float>(i + 1);
    EXPECT_EQ(y.as<float>()[i], numbers.as<float>()[i] >= 0.5f ? 2 * x : 0);
    EXPECT_EQ(whole.as<float>()[i], x);
  }
}

}  // namespace
}  // namespace plumb::tests::onnx_random_test
