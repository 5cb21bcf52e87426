// Replay excuses elements: bare sums by their very bits, steps behind a sum to within their own roundings.
#include "parity/settle/replay.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace plumb::parity::settle::replay_test
