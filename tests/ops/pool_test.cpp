#include "ir/ops/pool.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/cases/pool_cases.hpp"
#include "tests/support/op_check.hpp"
#include "tests/support/ordered_values.hpp"

namespace plumb::pool_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Pool;
using testing::check_op;
using testing::random_tensor;
using F = ir::ops::PoolFunction;

class PoolOf : public ::testing::TestWithParam<DType> {};

TEST_P(PoolOf, AgreesOnEveryGeometry) {
  std::uint64_t seed = 1;
  for (const auto& c : testing::pool_cases()) {
    SCOPED_TRACE(c.what);
    const Tensor x = random_tensor({GetParam(), c.x}, ++seed);
    for (const Pool& op : testing::pools_of(c.op)) check_op(op, {x});
  }
}

TEST_P(PoolOf, TakesTheFirstOfEqualsAndNaN) {
  const Tensor x = testing::ordered_values({GetParam(), {3, 5, 40, 7}});
  check_op(Pool{.kernel_shape = {3, 2}, .strides = {2, 1}, .pads = {1, 1, 2, 0}, .with_indices = true}, {x});
}

INSTANTIATE_TEST_SUITE_P(, PoolOf, ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

class MaxPoolOf : public ::testing::TestWithParam<DType> {};

TEST_P(MaxPoolOf, AgreesOnEveryGeometry) {
  for (auto& c : testing::pool_cases()) {
    SCOPED_TRACE(c.what);
    c.op.with_indices = true;
    check_op(c.op, {testing::ordered_values({GetParam(), c.x})});
  }
}

INSTANTIATE_TEST_SUITE_P(, MaxPoolOf, ::testing::Values(DType::u8, DType::i8),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

TEST(Pool, NormsOfNumbersFarFromOne) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::of<float>({6, 1, 2}, {3e30f, 4e30f, 3e-30f, 4e-30f, inf, 1, nan, inf, 0, 0, 0x1p127f, 1});
  for (const std::int64_t p : {1, 2, 3, 7, 64, 1 << 20})
    check_op(Pool{.function = F::lp, .kernel_shape = {2}, .p = p}, {x});
}

TEST(Pool, NormsOfHighOrder) {
  for (const DType dtype : {DType::f32, DType::f64})
    for (const std::int64_t p : {4, 11, 200, 1 << 20})
      check_op(Pool{.function = F::lp, .kernel_shape = {3, 3}, .p = p}, {random_tensor({dtype, {2, 3, 11, 12}}, 5)});
}

// The lavapipe of Mesa 22.3 leaves a shader's loops after 65535 rounds together.
TEST(Pool, LongWindows) {
  for (const F f : {F::average, F::sum, F::lp, F::max})
    check_op(Pool{.function = f, .kernel_shape = {9001}}, {random_tensor({DType::f32, {1, 3, 9003}}, 6)});
}

TEST(Pool, HasMoreWorkgroupsThanOneDimensionHolds) {
  const Tensor x = random_tensor({DType::f16, {1, 1, 65536 * 64 + 5}}, 7);
  check_op(Pool{.kernel_shape = {2}, .with_indices = true}, {x});
  check_op(Pool{.function = F::average, .kernel_shape = {2}}, {x});
}

}  // namespace
}  // namespace plumb::pool_test
