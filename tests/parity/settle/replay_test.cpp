// Replay excuses elements: bare sums by their very bits, steps behind a sum to within their own roundings.
#include "parity/settle/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ir/kernels/packed/fill.hpp"
#include "ir/ops/dequant_matmul.hpp"

namespace plumb::parity::settle::replay_test {
namespace {

using ir::DType;

constexpr float third = 1.0F / 3;

/// A chain of equal terms, none of whose additions is exact.
element::terms::ElementSum equal_terms(int count) {
  element::terms::ElementSum sum;
  for (int k = 0; k < count; ++k) sum.add(third);
  return sum;
}

float chain_of(int count) {
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += third;
  return sum;
}

const ir::Sum chain{.unit = ir::SumUnit::separate, .levels = {{}}};

TEST(Replay, ABareSumIsAskedForItsBits) {
  const float made = chain_of(1000);
  EXPECT_EQ(equals_replay(equal_terms(1000), chain, DType::f32, made), true);
  EXPECT_EQ(equals_replay(equal_terms(1000), chain, DType::f32, std::nextafter(made, 1e9F)), false);
}

TEST(Replay, WhatIsBehindASumMayRound) {
  element::terms::ElementSum sum = equal_terms(1000);
  sum.added.push_back({1, 7.1F});
  const float made = chain_of(1000) + 7.1F, ulp = std::nextafter(made, 1e9F) - made;
  EXPECT_EQ(equals_replay(sum, chain, DType::f32, made), true);
  for (const float off : {-2 * ulp, 2 * ulp}) EXPECT_EQ(equals_replay(sum, chain, DType::f32, made + off), false);
  EXPECT_EQ(equals_replay(sum, chain, DType::f32, chain_of(1000)), false) << "the bias is missing";
}

TEST(Replay, AScaleAndADivisorRoundOnceEach) {
  element::terms::ElementSum sum = equal_terms(1000);
  sum.scale = 0.3F;
  sum.divisor = 1000;
  const float made = chain_of(1000) * 0.3F / 1000;
  EXPECT_EQ(equals_replay(sum, chain, DType::f32, made), true);
  EXPECT_EQ(equals_replay(sum, chain, DType::f32, made * (1 + 0x1p-20F)), false);
}

TEST(Replay, StoringRoundsOnceMore) {
  element::terms::ElementSum sum = equal_terms(1000);
  sum.added.push_back({1, 7.1F});
  const double stored = stored_as(DType::bf16, chain_of(1000) + 7.1F);
  EXPECT_EQ(equals_replay(sum, chain, DType::bf16, stored), true);
  EXPECT_EQ(equals_replay(sum, chain, DType::bf16, stored + 4), false) << "two numbers of bf16 further";
}

TEST(Replay, OfTwoProductsEitherMayBeFused) {
  const ir::Sum either{.unit = ir::SumUnit::either, .levels = {{}}};
  const float a = 1 + 0x1p-12F, b = 1 - 0x1p-13F, c = 1 + 0x1.8p-11F, d = -1 + 0x1p-12F;
  element::terms::ElementSum sum;
  sum.add(a, b);
  sum.add(c, d);
  const float separate = a * b + c * d, first = std::fma(a, b, c * d), second = std::fma(c, d, a * b);
  ASSERT_NE(first, second);
  for (const float made : {separate, first, second}) EXPECT_EQ(equals_replay(sum, either, DType::f32, made), true);
  EXPECT_EQ(equals_replay(sum, either, DType::f32, std::nextafter(first, 1)), false);
  EXPECT_EQ(equals_replay(sum, {.unit = ir::SumUnit::fma, .levels = {{}}}, DType::f32, first), false);
}

TEST(Replay, WhatIsNotKnownIsNotReplayed) {
  element::terms::ElementSum rounded = equal_terms(3);
  rounded.is_rounded = true;
  EXPECT_EQ(equals_replay(rounded, chain, DType::f32, 1), std::nullopt);
  EXPECT_EQ(equals_replay(equal_terms(3), {.unit = ir::SumUnit::matrix, .levels = {{}}}, DType::f32, 1), std::nullopt);
  EXPECT_EQ(equals_replay(equal_terms(3), {.unit = ir::SumUnit::separate}, DType::f32, 1), std::nullopt) << "no tree";
  element::terms::ElementSum wide;
  wide.add(0.1);
  EXPECT_EQ(equals_replay(wide, chain, DType::f32, 0.1), std::nullopt) << "a factor is no number of f32";
}

/// Rows of q4_1, x around 1, and the products of the first row of x, added as the sums of weights or, block by block,
/// of codes and of minima.
struct Minima {
  static constexpr std::int64_t columns = 16, terms = 512;
  ir::Tensor codes =
      ir::kernels::packed::fill({DType::u8, {columns, terms / 32 * 20}}, ir::ops::PackedFormat::q4_1, 3, 1);
  std::vector<double> x = std::vector<double>(terms), bytes = std::vector<double>(columns * terms / 32 * 20);

  Minima() {
    for (std::size_t k = 0; k < x.size(); ++k)
      x[k] = 1 + static_cast<float>(static_cast<int>(k * 37 % 101) - 50) / 64.1F;
    for (double& one : x) one = static_cast<float>(one);
    const auto stored = codes.as<std::uint8_t>();
    std::copy(stored.begin(), stored.end(), bytes.begin());
  }

  float half(std::size_t at) const {
    const auto stored = codes.as<std::uint8_t>();
    const auto bits = static_cast<std::uint16_t>(stored[at] | stored[at + 1] << 8);
    return static_cast<float>(ir::f16::from_bits(bits));
  }

  /// One element of either kernel.
  std::array<float, 2> column(std::size_t n) const {
    float of_weights = 0, apart = 0;
    for (std::size_t block = 0; block < terms / 32; ++block) {
      const std::size_t first = (n * terms / 32 + block) * 20;
      const float d = half(first), m = half(first + 2);
      float of_codes = 0, of_x = 0;
      for (std::size_t e = 0; e < 32; ++e) {
        const auto byte = static_cast<int>(bytes[first + 4 + e % 16]);
        const auto q = static_cast<float>(e < 16 ? byte & 15 : byte >> 4), xk = static_cast<float>(x[32 * block + e]);
        of_weights = std::fma(xk, std::fma(d, q, m), of_weights);
        of_codes = std::fma(xk, q, of_codes);
        of_x += xk;
      }
      apart = std::fma(m, of_x, std::fma(d, of_codes, apart));
    }
    return {of_weights, apart};
  }
};

/// Minima that are added apart are other terms than weights have: a kernel that publishes these and does that is found.
TEST(Replay, RefutesMinimaThatAreAddedApart) {
  const Minima made;
  const ir::Sum weights{.unit = ir::SumUnit::fma, .levels = {{}}};
  const std::vector<element::terms::Operand> operands = {{made.x, {1, Minima::terms}},
                                                         {made.bytes, made.codes.shape()}};
  const ir::ops::DequantMatmul op{.format = ir::ops::PackedFormat::q4_1};
  const auto walker = element::terms::find_walker(op, operands, {1, Minima::columns});
  ASSERT_TRUE(walker);
  int refuted = 0;
  for (std::int64_t n = 0; n < Minima::columns; ++n) {
    element::terms::ElementSum sum;
    (*walker)(n, sum);
    const auto [of_weights, apart] = made.column(static_cast<std::size_t>(n));
    EXPECT_EQ(equals_replay(sum, weights, DType::f32, of_weights), true) << n;
    refuted += equals_replay(sum, weights, DType::f32, apart) == false ? 1 : 0;
  }
  EXPECT_GE(refuted, Minima::columns - 2) << "a sum may happen to have the same bits";
}

}  // namespace
}  // namespace plumb::parity::settle::replay_test
