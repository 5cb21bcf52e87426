// Functions of complex numbers on both executors: over the whole range, near 1, near the branch cut, and what is not
// finite.
#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "ir/ops/binary.hpp"
#include "ir/ops/unary.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::complex_functions_test {
namespace {

using ir::Tensor;
using ir::ops::Unary;
using ir::ops::UnaryFunction;
using Complex = std::complex<float>;

constexpr UnaryFunction functions[] = {UnaryFunction::exp, UnaryFunction::log, UnaryFunction::sqrt,
                                       UnaryFunction::reciprocal};
constexpr ir::ops::Binary quotient{ir::ops::BinaryFunction::divide};

Tensor tensor_of(const std::vector<Complex>& numbers) { return Tensor::of<Complex>({std::ssize(numbers)}, numbers); }

/// Numbers of any size and direction; `spread`: of exponents of two.
std::vector<Complex> drawn(std::size_t count, float spread, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<Complex> numbers;
  for (std::size_t i = 0; i < count; ++i)
    numbers.emplace_back(uniform(random) * std::exp2(spread * uniform(random)),
                         uniform(random) * std::exp2(spread * uniform(random)));
  return numbers;
}

TEST(ComplexFunctions, OfEverySize) {
  for (const float spread : {0.0f, 4.0f, 60.0f, 120.0f})
    for (const UnaryFunction function : functions) {
      if (function == UnaryFunction::exp && spread > 4) continue;  // the ends of its range are below
      testing::check_op(Unary{function}, {tensor_of(drawn(1500, spread, 1))});
    }
}

/// Where the logarithm of the modulus is near 0.
TEST(ComplexFunctions, NearTheUnitCircle) {
  std::vector<Complex> numbers;
  for (int n = 0; n < 2000; ++n) {
    const double angle = n * 0.00314159, off = 1 + std::ldexp(n % 7 - 3.0, -8 - n % 17);
    numbers.emplace_back(static_cast<float>(off * std::cos(angle)), static_cast<float>(off * std::sin(angle)));
  }
  for (const UnaryFunction function : functions) testing::check_op(Unary{function}, {tensor_of(numbers)});
}

TEST(ComplexFunctions, ExponentialsAtTheEndsOfTheRange) {
  std::vector<Complex> numbers;
  for (float x = -120; x < 120; x += 0.37f)
    for (const float y : {0.0f, 1.0f, 1.5707964f, -3.1415927f, 1e4f}) numbers.emplace_back(x, y);
  testing::check_op(Unary{UnaryFunction::exp}, {tensor_of(numbers)}, testing::Data::ill_conditioned);
}

/// Every pair of numbers that are special to any of them.
std::vector<Complex> specials() {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Complex> numbers;
  for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, 2.5f, inf, -inf, nan})
    for (const float y : {0.0f, -0.0f, 1.0f, -1.0f, 2.5f, inf, -inf, nan}) numbers.emplace_back(x, y);
  return numbers;
}

TEST(ComplexFunctions, WhatIsNotFinite) {
  for (const UnaryFunction function : functions)
    testing::check_op(Unary{function}, {tensor_of(specials())}, testing::Data::ill_conditioned);
}

TEST(ComplexFunctions, QuotientsOfEverySize) {
  for (const float spread : {0.0f, 20.0f, 60.0f})
    testing::check_op(quotient, {tensor_of(drawn(2000, spread, 2)), tensor_of(drawn(2000, spread, 3))});
}

TEST(ComplexFunctions, QuotientsOfWhatIsNotFinite) {
  std::vector<Complex> left, right;
  for (const Complex& l : specials())
    for (const Complex& r : specials()) left.push_back(l), right.push_back(r);
  testing::check_op(quotient, {tensor_of(left), tensor_of(right)}, testing::Data::ill_conditioned);
}

}  // namespace
}  // namespace plumb::complex_functions_test
