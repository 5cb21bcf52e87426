// Codes of another implementation: at a tie of an exact quotient there is one, where roundings decide there are two.
#include <gtest/gtest.h>

#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/quantize_linear.hpp"
#include "ir/ops/reduce.hpp"
#include "tests/parity/checks/expected/small_graph.hpp"

namespace plumb::quantized_test {
namespace {

using expected_test::Small;
using ir::DType;
using ir::Tensor;
using ir::Value;
using ir::kernels::CodeFormat;
using ir::ops::DequantizeLinear;
using ir::ops::QuantizeLinear;
using parity::core::Verdict;

template <class T>
Tensor of(const std::vector<T>& x) {
  return Tensor::of<T>({static_cast<std::int64_t>(x.size())}, x);
}

TEST(Choices, QuantisedTiesAreThoseOfTheQuotient) {
  Small small;
  const Value x = small.input("x", {0.25f, 0.15f, 1.5f, 100});
  const Value half = small.scalar("half", 0.5f), tenth = small.scalar("tenth", 0.1f);
  const Value three = small.scalar("three", 3.0f);
  small.add("halves", QuantizeLinear{}, {x, half});
  small.add("thirds", QuantizeLinear{}, {x, three});
  small.returns(small.add("tenths", QuantizeLinear{}, {x, tenth}));
  const auto passes = [&](const std::string& name, const std::vector<std::int8_t>& codes) {
    return small.hold(name, of(codes)).verdict == Verdict::passed;
  };
  EXPECT_TRUE(passes("halves", {0, 0, 3, 127}));
  EXPECT_FALSE(passes("halves", {1, 0, 3, 127})) << "0.25 / 0.5 is a tie";
  EXPECT_FALSE(passes("halves", {77, 0, 3, 127}));
  EXPECT_TRUE(passes("thirds", {0, 0, 0, 33}));
  EXPECT_FALSE(passes("thirds", {0, 0, 1, 33})) << "1.5 / 3 is a number of f32";
  EXPECT_TRUE(passes("tenths", {2, 2, 15, 127}));
  EXPECT_TRUE(passes("tenths", {2, 1, 15, 127})) << "0.15f / 0.1f is beside 1.5, which it may be rounded to";
  EXPECT_FALSE(passes("tenths", {2, 3, 15, 127}));
  EXPECT_FALSE(passes("tenths", {2, 2, 16, 127}));
}

/// Sums that roundings may take to either side of a tie, and what is made of their codes.
TEST(Choices, QuantisedSumsBesideATieAreEither) {
  for (const CodeFormat format : {CodeFormat::integer, CodeFormat::e4m3}) {
    Small small;
    Tensor x({DType::f32, {1, 33}}), w({DType::f32, {33, 1}});
    double sum = 0;
    for (std::size_t k = 0; k < 33; ++k)
      sum += static_cast<double>(w.as<float>()[k] = 1.0f / static_cast<float>(k + 3));
    for (float& one : x.as<float>()) one = static_cast<float>(1.0625 / sum);  // between 1 and 1.125
    const Value sums = small.add("sums", ir::ops::Matmul{}, {small.input("x", x), small.input("w", w)});
    const bool is_float = format != CodeFormat::integer;
    const float step = is_float ? 1.0f : 0.125f;
    const Value scale = small.scalar("scale", step);
    const Value codes = small.add("codes", QuantizeLinear{.dtype = DType::u8, .code = format}, {sums, scale});
    small.returns(small.add("numbers", DequantizeLinear{.code = format}, {codes, scale}));
    const std::uint8_t lower = is_float ? 56 : 8;
    const auto verdict = [&](std::uint8_t code) {
      return small.hold("codes", Tensor::of<std::uint8_t>({1, 1}, {code})).verdict;
    };
    const auto of_number = [&](float number) {
      return small.hold("numbers", Tensor::of<float>({1, 1}, {number})).verdict;
    };
    EXPECT_NE(verdict(lower), Verdict::failed) << ir::enum_name(format);
    EXPECT_NE(verdict(static_cast<std::uint8_t>(lower + 1)), Verdict::failed) << ir::enum_name(format);
    EXPECT_EQ(verdict(static_cast<std::uint8_t>(lower + 2)), Verdict::failed);
    EXPECT_NE(of_number(1), Verdict::failed);
    EXPECT_NE(of_number(1.125f), Verdict::failed);
    EXPECT_EQ(of_number(1.0625f), Verdict::failed) << "no number that a code has";
  }
}

}  // namespace
}  // namespace plumb::quantized_test
