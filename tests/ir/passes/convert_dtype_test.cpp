#include "ir/passes/convert_dtype.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::ir::convert_dtype_test {
namespace {

ops::Constant pi() {
  ops::Constant constant{DType::f32, {1, 1}, Bytes(4)};
  const float value = 3.14159274f;
  std::memcpy(constant.data.data(), &value, 4);
  return constant;
}

TEST(AsDtype, MapsSourcesAttributesAndValuesBetween) {
  Graph graph;
  const auto x = graph.input("x", {DType::f32, {2, 3}}), i = graph.input("i", {DType::i32, {3, 1}});
  const auto w = graph.add("w", ops::Cast{DType::f32}, {i});
  const auto y = graph.add("y", ops::Matmul{.output_dtype = DType::f32}, {x, w});
  const auto z = graph.add("z", ops::Matmul{}, {y, graph.add("pi", pi(), {})});
  graph.returns(z);

  const Graph half = passes::as_dtype(graph, DType::f16);
  EXPECT_EQ(half.type(x).dtype, DType::f16);
  EXPECT_EQ(half.type(i).dtype, DType::i32);
  for (const Value v : {w, y, z}) EXPECT_EQ(half.type(v).dtype, DType::f16) << v;
  EXPECT_EQ(half.name(z), "z");
  EXPECT_EQ(half.results(), graph.results());
  EXPECT_TRUE(verify(half).empty());
  EXPECT_EQ(half.nodes()[2].label, "pi.f32");  // the very numbers of the constant, then rounded
  EXPECT_EQ(half.type(*half.find("pi")).dtype, DType::f16);
}

TEST(AsDtype, RoundsWhatIsFed) {
  Feeds feeds;
  feeds.emplace("x", Tensor::of<float>({2}, {1 + 0x1p-11f, 70000}));
  feeds.emplace("i", Tensor::of<std::int32_t>({1}, {7}));
  const Feeds half = passes::as_dtype(feeds, DType::f16);
  EXPECT_EQ(half.at("x").as<f16>()[0], f16(1.0));  // a tie goes to even
  EXPECT_EQ(half.at("x").as<f16>()[1].bits, 0x7C00);
  EXPECT_EQ(half.at("i").dtype(), DType::i32);
}

TEST(AsDtype, KnowsOnlyTheNarrowFloats) {
  EXPECT_THROW(passes::as_dtype(Graph{}, DType::f64), Error);
  EXPECT_THROW(passes::as_dtype(Feeds{}, DType::i32), Error);
}

}  // namespace
}  // namespace plumb::ir::convert_dtype_test
