#include "ir/graph.hpp"

#include <gtest/gtest.h>

#include "ir/ops/cast.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/passes/widen.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::graph_test {
namespace {

using tests::message_of;

TEST(Graph, NamesTheNodeTheConstraintAndBothShapes) {
  Graph graph;
  const auto a = graph.input("a", {DType::f32, {2, 3}}), b = graph.input("b", {DType::f32, {4, 5}});
  EXPECT_EQ(message_of([&] {
              graph.add("y", ops::Matmul{}, {a, b});
            }),
            "node 'y' (matmul): inner extents must be equal: a is f32[2, 3], b is f32[4, 5] (C2)");
  EXPECT_EQ(graph.value_count(), 2u);  // nothing was left behind
}

TEST(Graph, ChecksDtypesBeforeTheOpDoes) {
  Graph graph;
  const auto a = graph.input("a", {DType::f32, {2, 2}}), b = graph.input("b", {DType::f16, {2, 2}});
  EXPECT_EQ(message_of([&] {
              graph.add("y", ops::Matmul{}, {a, b});
            }),
            "node 'y' (matmul): b must be f32 like a, got f16");
  EXPECT_EQ(message_of([&] { graph.add("y", ops::Matmul{}, {a}); }), "node 'y' (matmul): takes 2 inputs, given 1");
}

TEST(Graph, FindsValuesByName) {
  Graph graph;
  const auto x = graph.input("x", {DType::f32, {}});
  const auto y = graph.add("y", ops::Cast{DType::i32}, {x});
  EXPECT_EQ(graph.find("x"), x);
  EXPECT_EQ(graph.find("y"), y);
  EXPECT_EQ(graph.find("y:0"), y);
  EXPECT_EQ(graph.find("y:1"), std::nullopt);
  EXPECT_EQ(graph.find("z"), std::nullopt);
}

TEST(Graph, PassesKeepTheNumbersOfSurvivingValues) {
  Graph graph;
  const auto x = graph.input("x", {DType::f16, {3}});
  const auto y = graph.add("y", ops::Cast{DType::f32}, {x});
  graph.returns(y);
  const Graph wide = passes::widen(graph);
  EXPECT_EQ(wide.type(x).dtype, DType::f64);
  EXPECT_EQ(wide.type(y).dtype, DType::f64);
  EXPECT_EQ(wide.name(y), "y");
  EXPECT_TRUE(verify(wide).empty());
}

TEST(Graph, TheStructuralHashSeesTypesAndAttributesButNotNames) {
  const auto hash = [](const char* label, DType to, Shape shape) {
    Graph graph;
    const auto x = graph.input("x", {DType::f32, std::move(shape)});
    graph.returns(graph.add(label, ops::Cast{to}, {x}));
    return structural_hash(graph);
  };
  EXPECT_EQ(hash("a", DType::f16, {3}), hash("b", DType::f16, {3}));
  EXPECT_NE(hash("a", DType::f16, {3}), hash("a", DType::bf16, {3}));
  EXPECT_NE(hash("a", DType::f16, {3}), hash("a", DType::f16, {1, 3}));
}

TEST(Shape, RefusesMoreElementsThanAnIntegerCounts) {
  EXPECT_NE(message_of([] { check_type({DType::f32, {1LL << 62, 4}}); }), "");
  EXPECT_EQ(message_of([] { check_type({DType::f32, {1LL << 62, 1LL << 62, 0}}); }), "");
}

}  // namespace
}  // namespace plumb::ir::graph_test
