#include "tests/support/op_check.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "ir/ops/cast.hpp"
#include "ir/ops/matmul.hpp"

namespace plumb::testing::op_check_test {
namespace {

using ir::DType;
using ir::Tensor;

const Tensor& matrix() {
  static const auto m = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  return m;
}

TEST(OpCheck, MeasuresTheCpuEvaluationAgainstTheTruth) {
  const auto a = random_tensor({DType::f32, {31, 300}}, 1), b = random_tensor({DType::f32, {300, 17}}, 2);
  const auto result = check_op(ir::ops::Matmul{}, {a, b}, Where::cpu_only);
  ASSERT_EQ(result.cpu.size(), 1u);
  EXPECT_EQ(result.cpu[0].n, 31u * 17u);
  EXPECT_GT(result.cpu[0].max_abs.value, 0);  // the truth is wider
  EXPECT_LT(result.cpu[0].rel_l2, 1e-6);
  EXPECT_TRUE(result.gpu.empty());
}

TEST(OpCheck, HandWorkedValuesDecide) {
  check_cpu(ir::ops::Matmul{}, {matrix(), matrix()}, {Tensor::of<float>({2, 2}, {7, 10, 15, 22})});
  check_cpu(ir::ops::Cast{DType::i32}, {Tensor::of<float>({3}, {2.5f, -1.5f, NAN})},
            {Tensor::of<std::int32_t>({3}, {2, -1, 0})});
}

TEST(OpCheck, AWrongHandWorkedValueIsAFailureThatNamesTheElement) {
  EXPECT_NONFATAL_FAILURE(
      check_cpu(ir::ops::Matmul{}, {matrix(), matrix()}, {Tensor::of<float>({2, 2}, {7, 10, 15, 22.001f})}),
      "is element 3: expected 22.0009995, got 22");
}

}  // namespace
}  // namespace plumb::testing::op_check_test
