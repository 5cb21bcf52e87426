#include <gtest/gtest.h>

#include "ir/graph.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/split.hpp"
#include "ir/raw/hash.hpp"

namespace plumb::ir::text_and_hash_test {
namespace {

TEST(Text, IsOneLineAValueAndNode) {
  Graph graph;
  const auto x = graph.input("x", {DType::f16, {2, 4}});
  const auto w = graph.param("w", {DType::f16, {4, 4}});
  const auto k = graph.add("k", ops::Constant{DType::u8, {3}, Bytes(3)}, {});
  const auto y = graph.add("y", ops::Matmul{.transpose_b = true, .output_dtype = DType::f32}, {x, w});
  const auto parts = graph.add_all("s", ops::Split{-1, {1, 3}}, {y});
  graph.returns(parts[1]);
  graph.returns(k);
  EXPECT_EQ(to_text(graph),
            "input x: f16[2, 4]\n"
            "param w: f16[4, 4]\n"
            "k: u8[3] = constant() data=<3 bytes> dtype=u8 shape=[3]\n"
            "y: f32[2, 4] = matmul(x, w) output_dtype=f32 transpose_b=true\n"
            "s: f32[2, 1], s:1: f32[2, 3] = split(y) axis=-1 sizes=[1, 3]\n"
            "return s:1 k\n");
}

struct Change {
  DType dtype = DType::f32;
  bool as_param = false, transpose = true, swap = false, other_result = false, two_results = false;
  std::uint8_t byte = 1;
  std::string prefix = "";
};

std::uint64_t hash(const Change& change) {
  Graph graph;
  const TensorType type{change.dtype, {3, 3}};
  const auto a = graph.input(change.prefix + "a", type);
  const auto b = change.as_param ? graph.param(change.prefix + "b", type) : graph.input(change.prefix + "b", type);
  ops::Matmul product;
  product.transpose_a = change.transpose;
  const auto y = graph.add(change.prefix + "y", product, change.swap ? std::vector{b, a} : std::vector{a, b});
  const auto k = graph.add(change.prefix + "k", ops::Constant{DType::u8, {1}, {std::byte{change.byte}}}, {});
  graph.returns(change.other_result ? k : y);
  if (change.two_results) graph.returns(k);
  return structural_hash(graph);
}

TEST(StructuralHash, IsTheSameUnderOtherNames) {
  EXPECT_EQ(hash({}), hash({}));
  EXPECT_EQ(hash({}), hash({.prefix = "layer0/"}));
}

TEST(StructuralHash, SeesEverythingThatIsComputed) {
  const auto usual = hash({});
  for (const Change& change :
       {Change{.dtype = DType::f16}, Change{.as_param = true}, Change{.transpose = false}, Change{.swap = true},
        Change{.other_result = true}, Change{.two_results = true}, Change{.byte = 2}})
    EXPECT_NE(hash(change), usual);
}

TEST(StructuralHash, DoesNotSeeGapsBetweenValueNumbers) {
  Graph graph;
  const auto x = graph.input("x", {DType::f32, {2}});
  const auto y = graph.add("y", ops::Cast{DType::f16}, {x});
  const auto z = graph.add("z", ops::Cast{DType::i32}, {x});
  graph.returns(z);
  Graph without = graph.sources();
  without.place("z", ops::Cast{DType::i32}, {x}, {z});  // y's number stays free
  without.returns(z);
  EXPECT_FALSE(without.defined(y));
  Graph fresh;
  fresh.returns(fresh.add("z", ops::Cast{DType::i32}, {fresh.input("x", {DType::f32, {2}})}));
  EXPECT_EQ(structural_hash(without), structural_hash(fresh));
  EXPECT_NE(structural_hash(without), structural_hash(graph));
}

TEST(HashBytes, IsXxh3) {
  // The reference's value for the empty input and seed 0: files and streams depend on it.
  EXPECT_EQ(raw::hash_bytes({}), 0x2D06800538D394C2ull);
}

}  // namespace
}  // namespace plumb::ir::text_and_hash_test
