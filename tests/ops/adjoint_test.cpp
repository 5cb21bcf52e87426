// conv_transpose and col2im against the truth on both executors.
#include <gtest/gtest.h>

#include "tests/support/cases/adjoint_cases.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::adjoint_test {
namespace {

using ir::DType;
using ir::Tensor;
using testing::check_op;
using testing::random_tensor;

class AdjointOf : public ::testing::TestWithParam<DType> {};

TEST_P(AdjointOf, ConvAgreesOnEveryGeometry) {
  std::uint64_t seed = 1;
  for (const auto& c : testing::transpose_cases()) {
    SCOPED_TRACE(c.what);
    std::vector<Tensor> in = {random_tensor({GetParam(), c.x}, ++seed), random_tensor({GetParam(), c.w}, ++seed)};
    if (c.op.has_bias) in.push_back(random_tensor({GetParam(), {c.w[1] * c.op.group}}, ++seed));
    check_op(c.op, in);
  }
}

TEST_P(AdjointOf, WindowsAgreesOnEveryGeometry) {
  std::uint64_t seed = 1;
  for (const auto& c : testing::fold_cases()) {
    SCOPED_TRACE(c.what);
    check_op(c.op, {random_tensor({GetParam(), c.x}, ++seed)});
  }
}

INSTANTIATE_TEST_SUITE_P(, AdjointOf, ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                         [](const auto& test) { return std::string(ir::info(test.param).name); });

TEST(Adjoint, HasMoreWorkgroupsThanOneDimensionHolds) {
  check_op(ir::ops::ConvTranspose{.strides = {2}},
           {random_tensor({DType::f32, {1, 1, 32768 * 64 + 3}}, 1), random_tensor({DType::f32, {1, 1, 3}}, 2)});
  const std::int64_t positions = 65536 * 32 + 1;
  check_op(ir::ops::Col2im{.image_shape = {2 * positions}, .kernel_shape = {2}, .strides = {2}},
           {random_tensor({DType::f32, {1, 2, positions}}, 3)});
}

TEST(Adjoint, NothingMeetsWhereNoTapReaches) {
  const auto x = Tensor::of<float>({1, 1, 2}, {INFINITY, 1}), w = Tensor::of<float>({1, 1, 1}, {2});
  const auto y = Tensor::of<float>({1, 1, 4}, {INFINITY, 0, 0, 2});
  testing::check_cpu(ir::ops::ConvTranspose{.strides = {3}}, {x, w}, {y});
  testing::check_gpu(ir::ops::ConvTranspose{.strides = {3}}, {x, w}, {y});
}

}  // namespace
}  // namespace plumb::adjoint_test
