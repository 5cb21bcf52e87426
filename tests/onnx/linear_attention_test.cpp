// Linear attention with its four rules, heads packed into the last axis.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/onnx/model.hpp"
#include "tests/support/noise.hpp"

namespace plumb::tests::linear_attention_test {
namespace {

using ::testing::HasSubstr;

/// Three steps of one head, keys and queries of one number each.
struct Model {
  std::string rule = "gated_delta";
  std::int64_t heads = 1, queries = 1;
  std::vector<std::string> operands = {"q", "k", "v", "", "g", "b"};
  std::vector<std::int64_t> of_decay = {1, 3, 1}, of_beta = {1, 3, 1};
  float scale = 1;

  ModelMaker make() const {
    ModelMaker maker(27);
    maker.proto().set_ir_version(99);  // newer than any checker
    maker.input("q", {1, 3, queries}).input("k", {1, 3, heads}).input("v", {1, 3, heads}).output("y");
    for (const std::string& one : operands) {
      if (one == "s") maker.input("s", {1, heads, 1, 1});
      if (one == "g") maker.input("g", of_decay);
      if (one == "b") maker.input("b", of_beta);
    }
    auto& node = maker.node("LinearAttention", operands, {"y", "state"});
    set_text(node, "update_rule", rule);
    set_int(node, "q_num_heads", queries);
    set_int(node, "kv_num_heads", heads);
    set_int(node, "chunk_size", 64);
    if (scale != 0) set_real(node, "scale", scale);
    return maker;
  }
  std::vector<float> run(const std::map<std::string, std::vector<float>>& values) const {
    ir::Feeds feeds;
    const auto feed = [&](const std::string& name, std::vector<std::int64_t> extents) {
      if (values.contains(name))
        feeds.emplace(name, ir::Tensor::of<float>(ir::Shape(extents.begin(), extents.end()), values.at(name)));
    };
    feed("q", {1, 3, queries});
    feed("k", {1, 3, heads});
    feed("v", {1, 3, heads});
    feed("s", {1, heads, 1, 1});
    feed("g", of_decay);
    feed("b", of_beta);
    const ir::Tensor y = make().run(feeds);
    EXPECT_EQ(y.shape(), (ir::Shape{1, 3, queries}));
    return {y.as<float>().begin(), y.as<float>().end()};
  }
};

const std::vector<float> ones = {1, 1, 1}, half(3, -0.69314718f);

auto near(std::vector<float> values) { return ::testing::Pointwise(::testing::FloatNear(1e-6f), values); }

TEST(OnnxLinearAttention, FourRules) {
  const std::vector<float> v = {1, 3, -2};
  EXPECT_THAT((Model{.rule = "linear", .operands = {"q", "k", "v"}}.run({{"q", ones}, {"k", ones}, {"v", v}})),
              near({1, 4, 2}));
  EXPECT_THAT((Model{.rule = "gated", .operands = {"q", "k", "v", "", "g"}}.run(
                  {{"q", ones}, {"k", ones}, {"v", v}, {"g", half}})),
              near({1, 3.5, -0.25}));
  EXPECT_THAT((Model{.rule = "delta", .operands = {"q", "k", "v", "", "", "b"}}.run(
                  {{"q", ones}, {"k", ones}, {"v", v}, {"b", {1, 0.5, 0}}})),
              near({1, 2, 2}));
  EXPECT_THAT(Model{}.run({{"q", ones}, {"k", ones}, {"v", ones}, {"g", half}, {"b", {0.5, 0.5, 0.5}}}),
              near({0.5, 0.625, 0.65625}));
}

/// Two heads with a state and a decay for each row, here of one row, whose strength they share; four queries.
TEST(OnnxLinearAttention, HeadsOfTheLastAxis) {
  const Model model{.heads = 2, .queries = 4, .operands = {"q", "k", "v", "s", "g", "b"}, .of_decay = {1, 3, 2}};
  const std::vector<float> queries = {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, keys(6, 1), zeros(6, 0);
  EXPECT_THAT(
      model.run(
          {{"q", queries}, {"k", keys}, {"v", {1, 10, 2, 20, 3, 30}}, {"s", {4, 40}}, {"g", zeros}, {"b", {0, 1, 0}}}),
      near({4, 8, 40, 80, 2, 4, 20, 40, 2, 4, 20, 40}));
}

/// Without a scale, or with one of 0, that of the keys' length.
TEST(OnnxLinearAttention, DecaysByRowAndTheUsualScale) {
  ModelMaker maker(27);
  maker.proto().set_ir_version(99);
  maker.input("q", {1, 1, 4}).input("k", {1, 1, 4}).input("v", {1, 1, 1}).input("g", {1, 1, 4}).output("y");
  maker.input("s", {1, 1, 4, 1});
  auto& node = maker.node("LinearAttention", {"q", "k", "v", "s", "g"}, {"y"});
  set_text(node, "update_rule", "gated");
  set_int(node, "q_num_heads", 1);
  set_int(node, "kv_num_heads", 1);
  set_real(node, "scale", 0);
  const float log2 = std::log(2.0f);
  const ir::Tensor y = maker.run({{"q", ir::Tensor::of<float>({1, 1, 4}, {1, 1, 1, 1})},
                                  {"k", ir::Tensor::of<float>({1, 1, 4}, {0, 0, 0, 1})},
                                  {"v", ir::Tensor::of<float>({1, 1, 1}, {3})},
                                  {"g", ir::Tensor::of<float>({1, 1, 4}, {0, -log2, log2, 0})},
                                  {"s", ir::Tensor::of<float>({1, 1, 4, 1}, {8, 8, 8, 8})}});
  EXPECT_NEAR(y.as<float>()[0], (8 + 4 + 16 + 8 + 3) / 2.0f, 1e-5f);
}

TEST(OnnxLinearAttention, RefusesWhatARuleDoesNotHave) {
  const auto said = [](const Model& model) { return message_of([&] { model.make().read(); }); };
  EXPECT_THAT(said({.operands = {"q", "k", "v"}}), HasSubstr("update_rule gated_delta needs decay"));
  EXPECT_THAT(said({.rule = "linear"}), HasSubstr("update_rule linear has no decay"));
  EXPECT_THAT(said({.rule = "gated"}), HasSubstr("update_rule gated has no beta"));
  EXPECT_THAT(said({.rule = "quadratic"}), HasSubstr("no such rule: quadratic"));
  EXPECT_THAT(said({.heads = 2, .queries = 3, .of_decay = {1, 3, 2}, .of_beta = {1, 3, 2}}),
              HasSubstr("H must divide Hq"));
}

}  // namespace
}  // namespace plumb::tests::linear_attention_test
