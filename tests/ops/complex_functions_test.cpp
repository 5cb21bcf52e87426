// Functions of complex numbers on both executors, in parts of f32 and of f64: over the whole range, near 1, near the
// branch cut, and what is not finite.
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

constexpr UnaryFunction functions[] = {UnaryFunction::exp, UnaryFunction::log, UnaryFunction::sqrt,
                                       UnaryFunction::reciprocal};
constexpr ir::ops::Binary quotient{ir::ops::BinaryFunction::divide};

template <class Part>
struct ComplexFunctions : ::testing::Test {
  using Complex = std::complex<Part>;
  static constexpr bool is_wide = std::is_same_v<Part, double>;

  static Tensor tensor_of(const std::vector<Complex>& numbers) {
    return Tensor::of<Complex>({std::ssize(numbers)}, numbers);
  }

  /// Numbers of any size and direction; `spread`: of exponents of two.
  static std::vector<Complex> drawn(std::size_t count, Part spread, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<Part> uniform(-1, 1);
    std::vector<Complex> numbers;
    for (std::size_t i = 0; i < count; ++i)
      numbers.emplace_back(uniform(random) * std::exp2(spread * uniform(random)),
                           uniform(random) * std::exp2(spread * uniform(random)));
    return numbers;
  }

  /// Every pair of numbers that are special to any of them.
  static std::vector<Complex> specials() {
    constexpr Part inf = std::numeric_limits<Part>::infinity(), nan = std::numeric_limits<Part>::quiet_NaN();
    const Part each[] = {Part(0), Part(-0.0), 1, -1, Part(2.5), inf, -inf, nan};
    std::vector<Complex> numbers;
    for (const Part x : each)
      for (const Part y : each) numbers.emplace_back(x, y);
    return numbers;
  }
};

using Parts = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ComplexFunctions, Parts);

TYPED_TEST(ComplexFunctions, OfEverySize) {
  const std::vector<TypeParam> spreads =
      this->is_wide ? std::vector<TypeParam>{0, 4, 500, 1000} : std::vector<TypeParam>{0, 4, 60, 120};
  for (const TypeParam spread : spreads)
    for (const UnaryFunction function : functions) {
      if (function == UnaryFunction::exp && spread > 4) continue;  // the ends of its range are below
      testing::check_op(Unary{function}, {this->tensor_of(this->drawn(1500, spread, 1))});
    }
}

/// Where the logarithm of the modulus is near 0.
TYPED_TEST(ComplexFunctions, NearTheUnitCircle) {
  std::vector<std::complex<TypeParam>> numbers;
  for (int n = 0; n < 2000; ++n) {
    const double angle = n * 0.00314159, off = 1 + std::ldexp(n % 7 - 3.0, -8 - n % (this->is_wide ? 43 : 17));
    numbers.emplace_back(static_cast<TypeParam>(off * std::cos(angle)), static_cast<TypeParam>(off * std::sin(angle)));
  }
  for (const UnaryFunction function : functions) testing::check_op(Unary{function}, {this->tensor_of(numbers)});
}

TYPED_TEST(ComplexFunctions, ExponentialsAtTheEndsOfTheRange) {
  const TypeParam last = this->is_wide ? 760 : 120;
  std::vector<std::complex<TypeParam>> numbers;
  for (TypeParam x = -last; x < last; x += last * TypeParam(0.00308))
    for (const double y : {0.0, 1.0, 1.5707964, -3.1415927, 1e4}) numbers.emplace_back(x, static_cast<TypeParam>(y));
  testing::check_op(Unary{UnaryFunction::exp}, {this->tensor_of(numbers)}, testing::Data::ill_conditioned);
}

TYPED_TEST(ComplexFunctions, WhatIsNotFinite) {
  for (const UnaryFunction function : functions)
    testing::check_op(Unary{function}, {this->tensor_of(this->specials())}, testing::Data::ill_conditioned);
}

TYPED_TEST(ComplexFunctions, QuotientsOfEverySize) {
  const std::vector<TypeParam> spreads =
      this->is_wide ? std::vector<TypeParam>{0, 20, 500} : std::vector<TypeParam>{0, 20, 60};
  for (const TypeParam spread : spreads)
    testing::check_op(quotient,
                      {this->tensor_of(this->drawn(2000, spread, 2)), this->tensor_of(this->drawn(2000, spread, 3))});
}

TYPED_TEST(ComplexFunctions, QuotientsOfWhatIsNotFinite) {
  std::vector<std::complex<TypeParam>> left, right;
  for (const auto& l : this->specials())
    for (const auto& r : this->specials()) {
      left.push_back(l);
      right.push_back(r);
    }
  testing::check_op(quotient, {this->tensor_of(left), this->tensor_of(right)}, testing::Data::ill_conditioned);
}

}  // namespace
}  // namespace plumb::complex_functions_test
