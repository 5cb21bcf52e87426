#include "parity/compare/element_counts.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>

namespace plumb::parity::compare::element_counts_test {
namespace {

using ir::Tensor;

TEST(CountOtherBits, CountsElementsByTheirBitsAlone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::of<float>({4}, {0, nan, 1, 2}), y = Tensor::of<float>({4}, {-0.0f, nan, 1, 3});
  EXPECT_EQ(count_other_bits(x, x), 0u);
  EXPECT_EQ(count_other_bits(x, y), 2u);
}

TEST(CountOtherBits, TakesAComplexNumberAsOneElement) {
  using C = std::complex<float>;
  const Tensor x = Tensor::of<C>({2}, {C(1, 2), C(3, 4)}), y = Tensor::of<C>({2}, {C(5, 6), C(3, 4)});
  EXPECT_EQ(count_other_bits(x, y), 1u);
}

TEST(CountOtherBits, OfNothingIsNone) {
  const Tensor none({ir::DType::f64, {3, 0}});
  EXPECT_EQ(count_other_bits(none, none), 0u);
}

}  // namespace
}  // namespace plumb::parity::compare::element_counts_test
