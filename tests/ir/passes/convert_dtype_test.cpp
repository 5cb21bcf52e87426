#include "ir/passes/convert_dtype.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "ir/ops/attention.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/bitcast.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/complex_part.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/irfft.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/rfft.hpp"
#include "ir/schema.hpp"

namespace plumb::ir {
namespace convert_dtype_test {

/// Two results of which one is f32, by an op that has no 16-bit form.
struct Parts {
  static constexpr auto name = "parts", summary = "whole and broken parts", formula = "-";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", DTypes(DType::f32), "[..]"}};
  static constexpr std::array outputs = {Output{"broken", "f32 [..]"}, Output{"whole", "i64 [..]"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{};

  TensorTypes infer(Types in) const { return {in[0], {DType::i64, in[0].shape}}; }
  ErrorClass error_class() const { return ErrorClass::bits; }
  bool operator==(const Parts&) const = default;
};

}  // namespace convert_dtype_test

template const OpSchema& schema<convert_dtype_test::Parts>();

namespace convert_dtype_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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

std::vector<std::string> labels(const Graph& graph) {
  std::vector<std::string> found;
  for (const Node& node : graph.nodes()) found.push_back(node.label);
  return found;
}

TEST(AsDtype, KeepsTransformsInF32BetweenCasts) {
  Graph graph;
  const auto x = graph.input("x", {DType::f32, {2, 8}});
  const auto twice = graph.add("twice", ops::Binary{ops::BinaryFunction::add}, {x, x});
  const auto spectrum = graph.add("spectrum", ops::Rfft{}, {twice});
  const auto power = graph.add("power", ops::ComplexPart{ops::ComplexPartFunction::norm_squared}, {spectrum});
  const auto sum = graph.add("sum", ops::Binary{ops::BinaryFunction::add}, {power, power});
  graph.returns(sum);

  for (const DType to : {DType::f16, DType::bf16}) {
    const Graph half = passes::as_dtype(graph, to);
    EXPECT_THAT(labels(half), ElementsAre("twice", "twice.f32", "spectrum", "power.f32", "power", "sum"));
    for (const Value v : {x, twice, power, sum}) EXPECT_EQ(half.type(v).dtype, to) << graph.name(v);
    EXPECT_EQ(half.type(spectrum).dtype, DType::c64);
    for (Value v = 0; v < graph.value_count(); ++v) EXPECT_EQ(half.name(v), graph.name(v));
    EXPECT_TRUE(verify(half).empty());
  }
}

TEST(AsDtype, RoundsNothingBetweenTwoTransforms) {
  Graph graph;
  const auto spectrum = graph.add("spectrum", ops::Rfft{}, {graph.input("x", {DType::f32, {8}})});
  const auto line = graph.add("line", ops::Irfft{}, {spectrum});
  graph.returns(graph.add("again", ops::Rfft{}, {line}));
  graph.returns(graph.add("once_more", ops::Rfft{}, {line}));

  const Graph half = passes::as_dtype(graph, DType::f16);
  EXPECT_THAT(labels(half), ElementsAre("x.f32", "spectrum", "line.f32", "line", "again", "once_more"));
  EXPECT_EQ(half.type(line).dtype, DType::f16);
  for (const std::size_t reader : {4, 5}) EXPECT_THAT(half.nodes()[reader].inputs, ElementsAre(*half.find("line.f32")));
}

/// Queries of f32 have caches of either 16-bit float, others those of their own.
TEST(AsDtype, KeepsAttentionInF32BesideCachesOfTheOtherFloat) {
  Graph graph;
  const auto q = graph.input("q", {DType::f32, {1, 1, 2, 4}}),
             cache = graph.input("cache", {DType::bf16, {1, 1, 3, 4}});
  graph.returns(graph.add("y", ops::Attention{}, {q, cache, cache}));
  EXPECT_THAT(labels(passes::as_dtype(graph, DType::f16)), ElementsAre("q.f32", "y.f32", "y"));
  EXPECT_THAT(labels(passes::as_dtype(graph, DType::bf16)), ElementsAre("y"));
}

TEST(AsDtype, KeepsTheNamesOfAllResultsOfAnOp) {
  Graph graph;
  const auto parts = graph.add_all("parts", Parts{}, {graph.input("x", {DType::f32, {4}})});
  for (const Value v : parts) graph.returns(v);

  const Graph half = passes::as_dtype(graph, DType::f16);
  EXPECT_THAT(labels(half), ElementsAre("x.f32", "parts.f32", "parts", "parts:1"));
  EXPECT_EQ(half.type(*half.find("parts")).dtype, DType::f16);
  EXPECT_EQ(half.type(*half.find("parts:1")).dtype, DType::i64);
  EXPECT_EQ(half.results(), parts);
}

TEST(AsDtype, NamesANodeThatCannotBeConverted) {
  Graph graph;
  const auto x = graph.input("x", {DType::f32, {3}});
  graph.returns(graph.add("bits", ops::Bitcast{DType::i32}, {x}));
  EXPECT_THAT([&] { passes::as_dtype(graph, DType::f16); }, ThrowsMessage<Error>(HasSubstr("node 'bits' (bitcast)")));
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
}  // namespace convert_dtype_test
}  // namespace plumb::ir
