// A correction of many equal terms, which kernels add up by itself, is off by no more than is allowed.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "parity/sums/element_limit.hpp"

namespace plumb::parity::sums::correction_test {
namespace {

constexpr double lambda = 5.5;

/// A chain in f32, from 0 on.
float chain(std::span<const double> terms) {
  float sum = 0;
  for (const double term : terms) sum += static_cast<float>(term);
  return sum;
}

TEST(Correction, OfEqualTermsIsWithinTheWideLimit) {
  constexpr std::size_t terms = 32, rank = 128;
  std::mt19937 chance(11);
  std::uniform_real_distribution<float> size(0.3F, 30);
  for (int draw = 0; draw < 400; ++draw) {
    const double inner = size(chance), factor = size(chance), x = -8 * static_cast<double>(size(chance));
    element::terms::ElementSum sum;
    for (std::size_t k = 0; k < terms; ++k) sum.add(x, 1);
    for (std::size_t k = 0; k < rank; ++k) {
      sum.add(inner, factor);
      sum.inner.emplace_back().add(inner, 1);
      sum.inner_factors.push_back(factor);
    }
    sum.is_rounded = true;
    const std::vector<double> all = sum.values();
    const std::span<const double> values(all);
    const float got = chain(values.first(terms)) + chain(values.last(rank));
    double truth = 0;
    for (const double value : all) truth += value;
    EXPECT_LE(std::abs(got - truth), wide_limit(sum, {}, lambda)) << "draw " << draw;
  }
}

}  // namespace
}  // namespace plumb::parity::sums::correction_test
