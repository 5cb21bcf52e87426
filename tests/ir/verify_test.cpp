#include <gtest/gtest.h>

#include "ir/graph.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/split.hpp"

namespace plumb::ir::verify_test {
namespace {

/// a [2, 3], b [3, 2], product = a b, y = product as f64, parts of y.
Graph valid() {
  Graph graph;
  const auto a = graph.input("a", {DType::f32, {2, 3}}), b = graph.param("b", {DType::f32, {3, 2}});
  const auto product = graph.add("product", ops::Matmul{}, {a, b});
  const auto y = graph.add("y", ops::Cast{DType::f64}, {product});
  for (const auto part : graph.add_all("parts", ops::Split{0, {1, 1}}, {y})) graph.returns(part);
  return graph;
}

/// A graph can only be built valid: breaking one takes force.
Node& node(Graph& graph, std::size_t i) { return const_cast<Node&>(graph.nodes()[i]); }

using Errors = std::vector<std::string>;

TEST(Verify, FindsNothingInAValidGraph) {
  EXPECT_EQ(verify(valid()), Errors{});
  EXPECT_EQ(verify(Graph{}), Errors{});
  EXPECT_NO_THROW(require_valid(valid()));
}

TEST(Verify, FindsAConstraintThatNoLongerHolds) {
  Graph graph = valid();
  node(graph, 0).op = ops::Matmul{false, true, {}};
  EXPECT_EQ(verify(graph), (Errors{"node 'product' (matmul): inner extents must be equal: a is f32[2, 3], b is f32[3, "
                                   "2] transposed (C2)"}));
}

TEST(Verify, FindsTypesThatAreNotTheInferredOnes) {
  Graph graph = valid();
  node(graph, 1).op = ops::Cast{DType::i32};
  EXPECT_EQ(verify(graph), (Errors{"node 'y' (cast): output 0 is f64[2, 2], inferred i32[2, 2]"}));
  node(graph, 1).op = ops::Split{0, {1, 1}};
  EXPECT_EQ(verify(graph).at(0), "node 'y' (split): computes 2 values, has 1");
}

TEST(Verify, FindsValuesReadBeforeTheyAreComputed) {
  Graph graph = valid();
  node(graph, 0).inputs[1] = 3;
  EXPECT_EQ(verify(graph), (Errors{"node 'product' (matmul): reads value 3, which is not computed before it"}));
  node(graph, 0).inputs[1] = 99;
  EXPECT_EQ(verify(graph), (Errors{"node 'product' (matmul): reads value 99, which is not computed before it"}));
}

TEST(Verify, FindsValuesComputedTwiceOrNever) {
  Graph graph = valid();
  node(graph, 1).outputs[0] = 2;
  EXPECT_EQ(verify(graph), (Errors{"node 'y' (cast): computes value 2, which is not free",
                                   "node 'y' (cast): output 0 is f32[2, 2], inferred f64[2, 2]",
                                   "node 'parts' (split): reads value 3, which is not computed before it"}));
  graph = valid();
  node(graph, 2).outputs[1] = 99;
  EXPECT_EQ(verify(graph).at(0), "node 'parts' (split): computes value 99, which is not free");
}

TEST(Verify, FindsNamesUsedTwiceAndReportsEveryError) {
  Graph graph = valid();
  node(graph, 0).label = "a";
  node(graph, 1).inputs[0] = 4;
  try {
    require_valid(graph);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "node 'a' (matmul): its name is used twice\n"
                 "node 'y' (cast): reads value 4, which is not computed before it");
  }
}

TEST(Verify, FindsSourcesThatNoGraphMayHold) {
  const Graph graph = valid().sources([](const TensorType& type) { return TensorType{type.dtype, {-1}}; });
  EXPECT_EQ(verify(graph), (Errors{"source 'a': f32[-1] has a negative extent",
                                   "source 'b': f32[-1] has a negative "
                                   "extent"}));
}

}  // namespace
}  // namespace plumb::ir::verify_test
