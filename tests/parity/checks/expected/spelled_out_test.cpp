// Codes of products that another implementation gave: the values are those of the ops, ties of exact reals have one
// code, and reals that roundings may take to either side of a tie have two.
#include "parity/checks/expected/spelled_out.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ir/ops/matmul_integer.hpp"
#include "ir/ops/qconv.hpp"
#include "ir/ops/qmatmul.hpp"
#include "tests/parity/checks/expected/small_graph.hpp"

namespace plumb::spelled_out_test {
namespace {

using expected_test::Small;
using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::Value;
using parity::checks::expected::spelled_out;
using parity::core::Verdict;

template <class T>
Tensor of(const Shape& shape, const std::vector<T>& x) {
  return Tensor::of<T>(shape, x);
}

/// Codes 1, 3 and 10 times a factor of scales.
Verdict verdict_on(const std::vector<float>& scales, const std::vector<std::int8_t>& codes) {
  Small small;
  const Value a = small.input("a", of<std::int8_t>({3, 1}, {1, 3, 10})),
              b = small.input("b", of<std::uint8_t>({1, 1}, {1}));
  const Value a_zero = small.scalar<std::int8_t>("a_zero", 0), b_zero = small.scalar<std::uint8_t>("b_zero", 0);
  const Value y_zero = small.scalar<std::int8_t>("y_zero", 0);
  std::vector<Value> s;
  for (std::size_t i = 0; i < 3; ++i) s.push_back(small.scalar("s" + std::to_string(i), scales[i]));
  small.returns(small.add("y", ir::ops::Qmatmul{}, {a, s[0], a_zero, b, s[1], b_zero, s[2], y_zero}));
  return small.hold("y", of({3, 1}, codes)).verdict;
}

TEST(SpelledOut, TiesOfExactRealsHaveOneCode) {
  EXPECT_EQ(verdict_on({1, 0.5f, 1}, {0, 2, 5}), Verdict::passed);
  EXPECT_EQ(verdict_on({1, 0.5f, 1}, {1, 2, 5}), Verdict::failed);
  EXPECT_EQ(verdict_on({1, 0.5f, 1}, {0, 2, 6}), Verdict::failed);
  // 0.1f·0.1f/0.02f is within 2^-23 of 1/2.
  EXPECT_EQ(verdict_on({0.1f, 0.1f, 0.02f}, {0, 2, 5}), Verdict::passed);
  EXPECT_EQ(verdict_on({0.1f, 0.1f, 0.02f}, {1, 1, 5}), Verdict::passed);
  EXPECT_EQ(verdict_on({0.1f, 0.1f, 0.02f}, {1, 1, 6}), Verdict::failed);
  EXPECT_EQ(verdict_on({0.1f, 0.1f, 0.02f}, {2, 2, 5}), Verdict::failed);
}

/// The results of a graph as it is and spelled out.
void expect_same(const Small& small) {
  const ir::Graph spelled = spelled_out(small.graph());
  EXPECT_GT(spelled.nodes().size(), small.graph().nodes().size());
  const ir::Value y = small.graph().results().front();
  ASSERT_EQ(spelled.results(), small.graph().results());
  EXPECT_EQ(spelled.name(y), small.graph().name(y));
  const auto as_is = expected_test::cpu().run(small.graph(), small.feeds(), small.graph().results());
  const auto other = expected_test::cpu().run(spelled, small.feeds(), spelled.results());
  ASSERT_EQ(other.at(y).type(), as_is.at(y).type());
  EXPECT_TRUE(std::ranges::equal(as_is.at(y).bytes(), other.at(y).bytes()));
}

TEST(SpelledOut, ProductsHaveTheSameCodes) {
  Small small;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Value> operands = {small.input("a", of<std::uint8_t>({2, 2, 2}, {1, 2, 255, 0, 7, 9, 100, 50})),
                                       small.input("a_scale", of<float>({2}, {0.5f, 3})),
                                       small.input("a_zero", of<std::uint8_t>({2}, {0, 9})),
                                       small.input("b", of<std::int8_t>({2, 3}, {1, -1, 3, 2, -128, 127})),
                                       small.input("b_scale", of<float>({1, 3}, {0.25f, nan, 1})),
                                       small.input("b_zero", of<std::int8_t>({1, 3}, {0, 1, -5})),
                                       small.input("y_scale", of<float>({1}, {2})),
                                       small.input("y_zero", of<std::uint8_t>({1}, {90})),
                                       small.input("bias", of<std::int32_t>({3}, {5, 6, -7}))};
  small.returns(small.add("y", ir::ops::Qmatmul{.has_bias = true}, operands));
  expect_same(small);
}

TEST(SpelledOut, ConvolutionsHaveTheSameCodes) {
  Small small;
  const std::vector<Value> operands = {small.input("x", of<std::int8_t>({1, 2, 3}, {1, -2, 3, 100, 5, -6})),
                                       small.input("x_scale", of<float>({}, {0.5f})),
                                       small.input("x_zero", of<std::int8_t>({}, {3})),
                                       small.input("w", of<std::int8_t>({2, 1, 2}, {1, -1, 3, 20})),
                                       small.input("w_scale", of<float>({2}, {0.25f, 7})),
                                       small.input("w_zero", of<std::int8_t>({2}, {0, 1})),
                                       small.input("y_scale", of<float>({}, {2})),
                                       small.input("y_zero", of<std::int8_t>({}, {-5})),
                                       small.input("bias", of<std::int32_t>({2}, {5, -60}))};
  small.returns(small.add("y", ir::ops::Qconv{.pads = {1, 1}, .group = 2, .has_bias = true}, operands));
  expect_same(small);
}

TEST(SpelledOut, OtherOpsStayAsTheyAre) {
  Small small;
  const Value a = small.input("a", of<std::uint8_t>({1, 2}, {1, 2})),
              b = small.input("b", of<std::uint8_t>({2, 1}, {3, 4}));
  small.returns(small.add("sum", ir::ops::MatmulInteger{}, {a, b}));
  EXPECT_EQ(ir::structural_hash(spelled_out(small.graph())), ir::structural_hash(small.graph()));
  EXPECT_EQ(small.hold("sum", of<std::int32_t>({1, 1}, {11})).verdict, Verdict::passed);
  EXPECT_EQ(small.hold("sum", of<std::int32_t>({1, 1}, {12})).verdict, Verdict::failed);
}

}  // namespace
}  // namespace plumb::spelled_out_test
