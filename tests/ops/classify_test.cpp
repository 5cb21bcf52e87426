#include "ir/ops/classify.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "tests/support/op_check.hpp"
#include "tests/support/samples.hpp"

namespace plumb::classify_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Classify;
using F = ir::ops::FloatClass;

constexpr F all[] = {F::is_nan, F::is_inf, F::is_positive_inf, F::is_negative_inf, F::is_finite};

Tensor bools(const std::vector<bool>& values) {
  Tensor y({DType::boolean, {static_cast<std::int64_t>(values.size())}});
  std::ranges::copy(values, y.as<bool>().begin());
  return y;
}

/// Finite, infinite and not a number of either sign, with the neighbours of infinity.
TEST(Classify, DoublesOfEveryKind) {
  const auto number = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  const std::vector<double> kinds = {0,
                                     -0.0,
                                     5e-324,
                                     number(0x7FEFFFFFFFFFFFFF),
                                     number(0x7FF0000000000000),
                                     number(0xFFF0000000000000),
                                     number(0x7FF0000000000001),
                                     number(0xFFF0000100000000),
                                     number(0x7FF8000000000000)};
  const auto x = Tensor::of<double>({9}, kinds);
  const auto check = [&](F function, const std::vector<bool>& y) {
    testing::check_cpu(Classify{function}, {x}, {bools(y)});
    testing::check_gpu(Classify{function}, {x}, {bools(y)});
  };
  check(F::is_nan, {0, 0, 0, 0, 0, 0, 1, 1, 1});
  check(F::is_inf, {0, 0, 0, 0, 1, 1, 0, 0, 0});
  check(F::is_positive_inf, {0, 0, 0, 0, 1, 0, 0, 0, 0});
  check(F::is_negative_inf, {0, 0, 0, 0, 0, 1, 0, 0, 0});
  check(F::is_finite, {1, 1, 1, 1, 0, 0, 0, 0, 0});
}

TEST(Classify, EveryCodeAndManyFloats) {
  for (const F function : all) {
    testing::check_op(Classify{function}, {testing::all_codes(DType::f16)});
    testing::check_op(Classify{function}, {testing::all_codes(DType::bf16)});
    testing::check_op(Classify{function}, {testing::f32_samples(70001)});
  }
}

TEST(Classify, Shapes) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64})
    for (const ir::Shape& shape : {ir::Shape{}, ir::Shape{0}, ir::Shape{3, 5}, ir::Shape{7, 8}})
      testing::check_op(Classify{F::is_finite}, {testing::random_tensor({dtype, shape}, 1)});
}

}  // namespace
}  // namespace plumb::classify_test
