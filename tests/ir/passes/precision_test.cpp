#include "ir/passes/precision.hpp"

#include <gmock/gmock.h>

#include "ir/ops/cast.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/dot_general.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/passes/widen.hpp"

namespace plumb::ir::precision_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::string> labels(const Graph& graph) {
  std::vector<std::string> found;
  for (const Node& node : graph.nodes()) found.push_back(node.label);
  return found;
}

/// a = x w, b = x v, y = softmax(a), in f32.
struct TwoProducts {
  Graph graph;
  Value x = graph.input("x", {DType::f32, {4, 3}});
  Value w = graph.param("w", {DType::f32, {3, 5}}), v = graph.param("v", {DType::f32, {3, 5}});
  Value a = graph.add("a", ops::Matmul{}, {x, w}), b = graph.add("b", ops::Matmul{}, {x, v});
  Value y = graph.add("y", ops::Softmax{}, {a});

  TwoProducts() {
    graph.returns(y);
    graph.returns(b);
  }
};

TEST(AtPrecision, CastsTheOperandsOfItsNodesOnceAndKeepsTheSum) {
  const TwoProducts two;
  const Graph both = passes::at_precision(two.graph, passes::all_at(two.graph, passes::Precision::f16acc32));
  EXPECT_TRUE(verify(both).empty());
  EXPECT_THAT(labels(both), ElementsAre("x.f16", "w.f16", "a", "v.f16", "b", "y"));
  EXPECT_EQ(both.type(*both.find("x.f16")).dtype, DType::f16);
  EXPECT_EQ(both.nodes()[2].op, Op(ops::Matmul{.output_dtype = DType::f32}));
  for (const Value v : {two.x, two.a, two.b, two.y}) {
    EXPECT_EQ(both.name(v), two.graph.name(v));
    EXPECT_EQ(both.type(v), two.graph.type(v));
  }
  EXPECT_EQ(both.results(), two.graph.results());
}

TEST(AtPrecision, LeavesOtherNodesAsTheyAre) {
  const TwoProducts two;
  const Graph one =
      passes::at_precision(two.graph, {{"b", passes::Precision::f16acc32}, {"a", passes::Precision::f32}});
  EXPECT_THAT(labels(one), ElementsAre("a", "x.f16", "v.f16", "b", "y"));
  EXPECT_EQ(one.nodes()[0].op, Op(ops::Matmul{}));
  EXPECT_EQ(structural_hash(passes::at_precision(two.graph, {})), structural_hash(two.graph));
}

TEST(AtPrecision, AMatmulMaySumInF16) {
  const TwoProducts two;
  const Graph narrow =
      passes::at_precision(two.graph, {{"a", passes::Precision::f16acc16}, {"b", passes::Precision::f16acc32}});
  EXPECT_TRUE(verify(narrow).empty());
  EXPECT_EQ(narrow.nodes()[2].op, Op(ops::Matmul{.output_dtype = DType::f32, .accumulator = DType::f16}));
  EXPECT_EQ(narrow.nodes()[4].op, Op(ops::Matmul{.output_dtype = DType::f32}));
  EXPECT_TRUE(verify(passes::widen(narrow)).empty());
  EXPECT_EQ(passes::all_at(two.graph, passes::Precision::f16acc16).size(), 2u);
}

TEST(AtPrecision, OtherProductsMaySumInF16Too) {
  Graph graph;
  const Value x = graph.input("x", {DType::f32, {4, 3}}), image = graph.input("image", {DType::f32, {1, 2, 5}});
  const Value w = graph.param("w", {DType::f32, {3, 5}}), k = graph.param("k", {DType::f32, {2, 2, 3}});
  graph.returns(graph.add("gemm", ops::Gemm{.alpha = 2}, {x, w}));
  graph.returns(graph.add("dots", ops::DotGeneral{{}, {}, {1}, {0}}, {x, w}));
  graph.returns(graph.add("sums", ops::Einsum{"ik,kj->ij"}, {x, w}));
  graph.returns(graph.add("conv", ops::Conv{.strides = {}, .dilations = {}, .pads = {1, 1}}, {image, k}));
  const Graph narrow = passes::at_precision(graph, passes::all_at(graph, passes::Precision::f16acc16));
  EXPECT_TRUE(verify(narrow).empty());
  EXPECT_TRUE(verify(passes::widen(narrow)).empty());
  std::vector<std::string> summed_in_f16;
  for (const Node& node : narrow.nodes()) {
    const Attributes attributes = node.op.attributes();
    const auto found = attributes.find("accumulator");
    if (found != attributes.end() && found->second == Attribute(std::string("f16")))
      summed_in_f16.push_back(node.label);
  }
  EXPECT_THAT(summed_in_f16, ElementsAre("gemm.f16", "dots.f16", "sums.f16", "conv.f16"));
  const Graph wide = passes::at_precision(graph, passes::all_at(graph, passes::Precision::f16acc32));
  EXPECT_EQ(wide.nodes()[2].op, Op(ops::Gemm{.alpha = 2}));
}

TEST(AtPrecision, OneConvolutionHandsTheNextWhatItRounded) {
  Graph graph;
  const Value x = graph.input("x", {DType::f32, {1, 2, 5}}), w = graph.param("w", {DType::f32, {2, 2, 3}});
  const Value first = graph.add("first", ops::Conv{}, {x, w}), second = graph.add("second", ops::Conv{}, {first, w});
  graph.returns(second);
  const Graph half = passes::at_precision(graph, passes::all_at(graph, passes::Precision::f16acc32));
  EXPECT_TRUE(verify(half).empty());
  EXPECT_THAT(labels(half), ElementsAre("x.f16", "w.f16", "first.f16", "first", "second.f16", "second"));
  EXPECT_EQ(half.nodes()[4].inputs[0], half.nodes()[2].outputs[0]);
  EXPECT_EQ(half.type(second).dtype, DType::f32);
}

/// y = x W^T + b and z = x V^T by two rows' experts, on rows of 33 elements, a whole block of 32 and a part.
struct PackedProducts {
  using F = ops::PackedFormat;
  Graph graph;
  Value x = graph.input("x", {DType::f32, {2, 33}}), e = graph.input("e", {DType::i32, {2}});
  Value w = graph.param("w", {DType::i8, {5, 33}}), s = graph.param("s", {DType::f32, {5, 1}});
  Value b = graph.param("b", {DType::f32, {5}});
  Value v = graph.param("v", {DType::i8, {3, 5, 33}}), t = graph.param("t", {DType::f32, {3, 5, 1}});
  Value y = graph.add("y", ops::DequantMatmul{.format = F::int8, .has_scales = true, .has_bias = true}, {x, w, s, b});
  Value z = graph.add("z", ops::DequantGroupedMatmul{.format = F::int8, .has_scales = true}, {x, v, t, e});

  PackedProducts() {
    graph.returns(y);
    graph.returns(z);
  }
};

TEST(AtPrecision, PackedProductsReadNarrowFloats) {
  const PackedProducts packed;
  const Graph half = passes::at_precision(packed.graph, passes::all_at(packed.graph, passes::Precision::bf16acc32));
  EXPECT_TRUE(verify(half).empty());
  EXPECT_TRUE(verify(passes::widen(half)).empty());
  EXPECT_THAT(labels(half), ElementsAre("x.bf16", "b.bf16", "y", "z"));
  const auto& op = half.nodes()[2].op.as<ops::DequantMatmul>();
  EXPECT_EQ(op.weight_dtype, ops::WeightDtype::bf16);
  EXPECT_EQ(op.dtype, DType::f32);
  EXPECT_EQ(half.type(packed.y), packed.graph.type(packed.y));
}

TEST(AtPrecision, PackedProductsReadCodesThatAreMadeOnce) {
  const PackedProducts packed;
  const Graph codes = passes::at_precision(packed.graph, passes::all_at(packed.graph, passes::Precision::q8acc32));
  EXPECT_TRUE(verify(codes).empty());
  EXPECT_TRUE(verify(passes::widen(codes)).empty());
  EXPECT_THAT(labels(codes), ElementsAre("x.padded", "x.blocks", "x.sizes", "x.largest", "most_of_a_code", "x.scales",
                                         "x.codes", "y", "z"));
  EXPECT_EQ(codes.type(*codes.find("x.codes")), (TensorType{DType::i8, {2, 33}}));
  EXPECT_EQ(codes.type(*codes.find("x.scales")), (TensorType{DType::f32, {2, 2}}));
  EXPECT_TRUE(codes.nodes()[7].op.as<ops::DequantMatmul>().has_x_scales);
  EXPECT_EQ(codes.nodes()[7].inputs.back(), packed.b);
  EXPECT_EQ(codes.nodes()[8].inputs.back(), *codes.find("x.scales"));
}

TEST(AtPrecision, RefusesWhatCannotBeDone) {
  const TwoProducts two;
  const auto refused = [&](const char* label, passes::Precision precision, const char* why) {
    EXPECT_THAT([&] { passes::at_precision(two.graph, {{label, precision}}); }, ThrowsMessage<Error>(HasSubstr(why)));
  };
  refused("c", passes::Precision::f16acc32, "names 'c', which is no node of the graph");
  refused("y", passes::Precision::f16acc32, "softmax is no matmul, gemm, dot_general, einsum or conv");
  refused("y", passes::Precision::f16acc16, "softmax is no matmul, gemm, dot_general, einsum or conv");
  refused("y", passes::Precision::q8acc32, "softmax has no packed weights");
  const PackedProducts packed;
  const auto why = [&](const Graph& graph, passes::Precision to) {
    return passes::why_not(graph, graph.nodes().back(), to);
  };
  EXPECT_EQ(why(packed.graph, passes::Precision::f16acc16), "dequant_grouped_matmul has no f16 accumulators");
  const Graph half = passes::at_precision(packed.graph, passes::all_at(packed.graph, passes::Precision::f16acc32));
  EXPECT_EQ(why(half, passes::Precision::q8acc32), "'x.f16' is f16, not f32");
  Graph wide;
  const Value x = wide.input("x", {DType::f64, {3, 3}});
  wide.returns(wide.add("y", ops::Gemm{}, {x, x}));
  EXPECT_EQ(passes::why_not(wide, wide.nodes()[0], passes::Precision::f16acc32), "'x' is f64, not f32");
  EXPECT_TRUE(passes::all_at(wide, passes::Precision::f16acc32).empty());
}

}  // namespace
}  // namespace plumb::ir::precision_test
