// The facts of a graph that adversarial numbers depend on, and numbers that heed them.
#include "ir/adversarial/use.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/adversarial/adversarial.hpp"
#include "ir/convert.hpp"
#include "ir/formats/graph_file.hpp"

namespace plumb::ir::adversarial::use_test {
namespace {

/// A graph of a file whose nodes are `nodes`.
Graph graph_of(const std::string& inputs, const std::string& nodes) {
  return formats::parse_graph(R"({"format": "plumb.graph/1", "inputs": {)" + inputs + R"(}, "nodes": [)" + nodes +
                                  R"(], "results": ["y"]})",
                              ".")
      .graph;
}

Use use_of_input(const Graph& graph, std::string_view name) { return use_of(graph, *graph.find(name)); }

TEST(Use, FindsTheInnerAxesOfAProductBehindATranspose) {
  const Graph graph = graph_of(R"("a": {"type": "f32[6, 4, 5]"}, "b": {"type": "f32[5, 7]"})",
                               R"({"label": "t", "op": "transpose", "inputs": ["a"], "permutation": [1, 2, 0]},
                                  {"label": "s", "op": "unary", "inputs": ["t"], "function": "negate"},
                                  {"label": "u", "op": "transpose", "inputs": ["s"], "permutation": [2, 0, 1]},
                                  {"label": "y", "op": "matmul", "inputs": ["u", "b"]})");
  EXPECT_THAT(use_of_input(graph, "a").axes, testing::ElementsAre(2));
  EXPECT_EQ(use_of_input(graph, "a").terms, 5);
  EXPECT_EQ(use_of_input(graph, "a").role, Role::data);
  EXPECT_THAT(use_of_input(graph, "b").axes, testing::ElementsAre(0));
  EXPECT_EQ(use_of_input(graph, "b").role, Role::factor);
}

TEST(Use, FindsTheAxesThatAttributesName) {
  const Graph graph =
      graph_of(R"("x": {"type": "f32[6, 4, 5]"})",
               R"({"label": "y", "op": "reduce", "inputs": ["x"], "function": "sum", "axes": [-1, 0]})");
  EXPECT_THAT(use_of_input(graph, "x").axes, testing::ElementsAre(0, 2));
  EXPECT_EQ(use_of_input(graph, "x").terms, 30);
}

TEST(Use, IndicesAreInTheRangeOfAllTheirReaders) {
  const Graph graph = graph_of(R"("x": {"type": "f32[9, 2]"}, "z": {"type": "f32[4, 2]"}, "i": {"type": "i64[40]"})",
                               R"({"label": "c", "op": "cast", "inputs": ["i"], "to": "i32"},
                                  {"label": "g", "op": "gather", "inputs": ["x", "c"]},
                                  {"label": "h", "op": "gather", "inputs": ["z", "i"]},
                                  {"label": "y", "op": "binary", "inputs": ["g", "h"], "function": "add"})");
  const Use use = use_of_input(graph, "i");
  EXPECT_EQ(use.role, Role::index);
  EXPECT_EQ(use.low, -4);
  EXPECT_EQ(use.high, 4);
  for (std::uint64_t seed = 0; seed < kind_count; ++seed) {
    const Tensor made = fill(graph, *graph.find("i"), {}, seed, 0);
    EXPECT_THAT(made.as<std::int64_t>(), testing::Each(testing::AllOf(testing::Ge(-4), testing::Lt(4)))) << seed;
  }
}

TEST(Use, VariancesAreNeverNegative) {
  const Graph graph = graph_of(
      R"("x": {"type": "f32[2, 50, 3]"}, "s": {"type": "f32[50]"}, "b": {"type": "f32[50]"}, "m": {"type": "f32[50]"},
         "v": {"type": "f32[50]"})",
      R"({"label": "y", "op": "batch_norm", "inputs": ["x", "s", "b", "m", "v"]})");
  EXPECT_EQ(use_of_input(graph, "v").role, Role::variance);
  EXPECT_EQ(use_of_input(graph, "m").role, Role::parameter);
  for (std::uint64_t seed = 0; seed < kind_count; ++seed) {
    const Tensor made = fill(graph, *graph.find("v"), {}, seed, 0);
    for (const float x : made.as<float>()) EXPECT_FALSE(x < 0) << seed;
  }
}

TEST(Use, MasksOfAttentionAreMasks) {
  const Graph graph = graph_of(
      R"("q": {"type": "f16[1, 2, 8, 4]"}, "k": {"type": "f16[1, 2, 16, 4]"}, "v": {"type": "f16[1, 2, 16, 4]"},
         "m": {"type": "bool[8, 16]"}, "b": {"type": "f16[8, 16]"}, "n": {"type": "i32[1]"})",
      R"({"label": "y", "op": "attention", "inputs": ["q", "k", "v", "m", "b", "n"], "has_mask": true, "has_bias": true,
          "has_kv_lengths": true})");
  EXPECT_EQ(use_of_input(graph, "k").role, Role::key);
  EXPECT_EQ(use_of_input(graph, "k").share, 0.5);
  EXPECT_EQ(use_of_input(graph, "v").role, Role::value);
  EXPECT_EQ(use_of_input(graph, "n").high, 17);
  EXPECT_EQ(use_of_input(graph, "b").role, Role::score);
  const auto mask = fill(graph, *graph.find("m"), AdversarialKind::masked, 1, 0);
  const auto line = [&](std::size_t l) { return mask.as<bool>().subspan(l * 16, 16); };
  EXPECT_THAT(line(1), testing::Each(false));
  EXPECT_EQ(std::ranges::count(line(2), true), 1);
  EXPECT_THAT(line(3), testing::Each(true));
  const auto bias = fill(graph, *graph.find("b"), AdversarialKind::masked, 1, 0);
  EXPECT_THAT(bias.as<f16>().subspan(16, 16), testing::Each(testing::Truly([](f16 x) { return float(x) == -65504; })));
}

/// Every kind in every dtype of floats: finite but where it is to be otherwise, and the same again.
TEST(Use, NumbersAreInTheRangeOfTheirDtype) {
  for (const std::string dtype : {"f16", "bf16", "f32", "f64", "c64"}) {
    const Graph graph =
        graph_of(R"("a": {"type": ")" + dtype + R"([8, 100]"}, "b": {"type": ")" + dtype + R"([100, 8]"})",
                 R"({"label": "y", "op": "matmul", "inputs": ["a", "b"]})");
    for (std::uint64_t seed = 0; seed < kind_count; ++seed) {
      if (kind_of_seed(seed) == AdversarialKind::specials) continue;
      for (const Value v : {Value{0}, Value{1}}) {
        const Tensor made = fill(graph, v, {}, seed, 3);
        visit_any(made.dtype(), [&]<class T>(T) {
          for (const T x : made.as<T>())
            ASSERT_TRUE(std::isfinite(std::abs(convert_value<double>(x)))) << seed << dtype;
        });
      }
    }
  }
}

}  // namespace
}  // namespace plumb::ir::adversarial::use_test
