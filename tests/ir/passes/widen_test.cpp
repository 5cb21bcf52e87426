#include "ir/passes/widen.hpp"

#include <gtest/gtest.h>

#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::ir::widen_test {
namespace {

ops::Constant zeros(DType dtype, Shape shape) { return {dtype, shape, Bytes(TensorType{dtype, shape}.bytes())}; }

TEST(Widen, W1MakesRealsF64AndComplexC128AndLeavesTheRest) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    const DType wide = is_float(dtype) ? DType::f64 : is_complex(dtype) ? DType::c128 : dtype;
    EXPECT_EQ(passes::wider(dtype), wide);
    Graph graph;
    graph.input("x", {dtype, {2, 0}});
    EXPECT_EQ(passes::widen(graph).type(0), (TensorType{wide, {2, 0}}));
    EXPECT_EQ(passes::widen(Tensor({dtype, {3}})).type(), (TensorType{wide, {3}}));
  }
}

TEST(Widen, W2MapsAttributesThatNameADtype) {
  Graph graph;
  const auto x = graph.input("x", {DType::f16, {2, 2}});
  const auto y = graph.add("y", ops::Cast{DType::f16}, {graph.add("i", ops::Cast{DType::i32}, {x})});
  graph.add("z", ops::Matmul{.output_dtype = DType::f32}, {y, x});
  const Graph wide = passes::widen(graph);
  EXPECT_EQ(wide.nodes()[0].op.as<ops::Cast>().to, DType::i32);
  EXPECT_EQ(wide.nodes()[1].op.as<ops::Cast>().to, DType::f64);
  EXPECT_EQ(wide.nodes()[2].op.as<ops::Matmul>().output_dtype, DType::f64);
  EXPECT_TRUE(verify(wide).empty());
}

TEST(Widen, W3RoundsRealsOfNodesThatComputeInF32) {
  const auto epsilon = [](DType dtype) {
    Graph graph;
    const auto x = graph.input("x", {dtype, {4}});
    graph.add("y", ops::LayerNorm{.epsilon = 1e-5, .has_scale = false, .has_bias = false}, {x});
    return passes::widen(graph).nodes()[0].op.as<ops::LayerNorm>().epsilon;
  };
  EXPECT_EQ(epsilon(DType::f32), double(1e-5f));
  EXPECT_EQ(epsilon(DType::f16), double(1e-5f));
  EXPECT_EQ(epsilon(DType::f64), 1e-5);
}

TEST(Widen, W4KeepsConstantsAndCastsThemAfterwards) {
  Graph graph;
  const auto k = graph.add("k", zeros(DType::bf16, {3}), {}), n = graph.add("n", zeros(DType::i64, {2}), {});
  graph.returns(k);
  const Graph wide = passes::widen(graph);
  EXPECT_EQ(wide.type(k), (TensorType{DType::f64, {3}}));
  EXPECT_EQ(wide.type(n), (TensorType{DType::i64, {2}}));
  EXPECT_EQ(wide.name(k), "k");
  EXPECT_EQ(wide.type(*wide.find("k.native")).dtype, DType::bf16);
  EXPECT_EQ(wide.results(), graph.results());
}

TEST(Widen, NodesItAddsTakeNoNameThatIsInUse) {
  Graph graph;
  const auto k = graph.add("k", zeros(DType::f32, {3}), {});
  const auto taken = graph.add("k.native", ops::Cast{DType::i32}, {k});
  const Graph wide = passes::widen(graph);
  EXPECT_EQ(wide.name(taken), "k.native");
  EXPECT_TRUE(wide.find("k.native'").has_value());
  EXPECT_TRUE(verify(wide).empty());
  EXPECT_TRUE(verify(passes::widen(wide)).empty());
}

TEST(Widen, TensorsAreWidenedExactly) {
  const Tensor x({DType::f16, {2}});
  Tensor y = x;
  y.as<f16>()[0] = f16::from_bits(0x0001);
  y.as<f16>()[1] = f16::from_bits(0x7BFF);
  EXPECT_EQ(passes::widen(y).as<double>()[0], 0x1p-24);
  EXPECT_EQ(passes::widen(y).as<double>()[1], 65504);
}

}  // namespace
}  // namespace plumb::ir::widen_test
