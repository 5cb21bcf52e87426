#pragma once

#include "ir/fill.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::testing {

/// A graph with an input, params, a constant, aliases, a node with two results, an empty
/// value and products. Everything is i32 or moved bytes, so that results are exact.
struct Sample {
  ir::Graph graph;
  ir::Value x, at, w, rows, product, turned, flat, none, y;
  ir::Feeds params, feeds;

  Sample() {
    using ir::DType;
    x = graph.input("x", {DType::i32, {13, 7}});
    at = graph.input("at", {DType::i64, {5}});
    w = graph.param("w", {DType::i32, {7, 11}});
    const ir::Value table = graph.param("table", {DType::f16, {3, 17}});
    ir::Bytes three(3 * 4);
    three[0] = three[4] = three[9] = std::byte{1};
    const ir::Value constant = graph.add("constant", ir::ops::Constant{DType::i32, {3}, three}, {});
    rows = graph.add("rows", ir::ops::Gather{0}, {x, at});
    product = graph.add("product", ir::ops::Matmul{}, {rows, w});
    turned = graph.add("turned", ir::ops::Transpose{{1, 0}}, {product});
    flat = graph.add("flat", ir::ops::Reshape{{-1}}, {turned});
    const auto parts = graph.add_all("parts", ir::ops::Split{0, {20, 35, 0}}, {flat});
    none = parts[2];
    y = graph.add("y", ir::ops::Concat{0}, {parts[1], none, constant, parts[0]});
    graph.add("halves", ir::ops::Transpose{{1, 0}}, {table});
    params.emplace("w", tests::noise(graph.type(w), 3));
    params.emplace("table", tests::noise(graph.type(table), 4));
    feeds = inputs(1);
  }

  /// Inputs of one run.
  ir::Feeds inputs(unsigned seed) const {
    ir::Feeds fed;
    fed.emplace("x", tests::noise(graph.type(x), seed));
    fed.emplace("at", ir::Tensor::of<std::int64_t>({5}, {0, -1, 12, 3, std::int64_t{seed % 13}}));
    return fed;
  }
};

/// The bytes of two runs, compared.
inline void expect_equal(const ir::Graph& graph, const ir::Tensors& expected, const ir::Tensors& actual) {
  ASSERT_EQ(expected.size(), actual.size());
  for (const auto& [value, tensor] : expected) {
    ASSERT_TRUE(actual.contains(value)) << graph.name(value);
    EXPECT_EQ(tensor.type(), actual.at(value).type()) << graph.name(value);
    EXPECT_TRUE(std::ranges::equal(tensor.bytes(), actual.at(value).bytes())) << graph.name(value);
  }
}

}  // namespace plumb::gpu_vulkan::testing
