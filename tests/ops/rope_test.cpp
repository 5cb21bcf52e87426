#include "ir/ops/rope.hpp"

#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::rope_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::Rope;
using ir::ops::RopeLayout;
using testing::check_op;
using testing::random_tensor;

std::vector<Tensor> operands(DType dtype, const Shape& x, const Shape& table) {
  return {random_tensor({dtype, x}, 1), random_tensor({dtype, table}, 2), random_tensor({dtype, table}, 3)};
}

class RopeTypes : public ::testing::TestWithParam<DType> {};

TEST_P(RopeTypes, RotatesEitherPairsInEitherLayout) {
  for (const RopeLayout layout : {RopeLayout::bhsd, RopeLayout::bshd})
    for (const bool interleaved : {false, true})
      check_op(Rope{.layout = layout, .interleaved = interleaved}, operands(GetParam(), {2, 7, 7, 26}, {7, 13}));
}

TEST_P(RopeTypes, RotatesAPartOfEachHead) {
  check_op(Rope{.rotary_dim = 6}, operands(GetParam(), {1, 3, 5, 11}, {5, 3}));
  check_op(Rope{.interleaved = true, .rotary_dim = 2}, operands(GetParam(), {1, 3, 5, 11}, {5, 1}));
}

INSTANTIATE_TEST_SUITE_P(, RopeTypes, ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                         [](const auto& tested) { return std::string(ir::info(tested.param).name); });

TEST(Rope, HeadsOfTwo) { check_op(Rope{}, operands(DType::f32, {3, 2, 5, 2}, {5, 1})); }

TEST(Rope, InverseWithAnOffset) {
  check_op(Rope{.inverse = true, .offset = 1000}, operands(DType::f32, {2, 3, 37, 64}, {1037, 32}));
}

TEST(Rope, EveryBatchItsOwnTables) {
  check_op(Rope{.layout = RopeLayout::bshd}, operands(DType::f32, {3, 5, 2, 8}, {3, 5, 4}));
}

TEST(Rope, PositionsNeedNotRise) {
  for (const RopeLayout layout : {RopeLayout::bhsd, RopeLayout::bshd}) {
    auto x = operands(DType::f32, layout == RopeLayout::bhsd ? Shape{2, 3, 5, 8} : Shape{2, 5, 3, 8}, {9, 4});
    x.push_back(Tensor::of<std::int32_t>({2, 5}, {8, 0, 3, 3, 1, 2, 7, 0, 5, 4}));
    check_op(Rope{.layout = layout, .has_positions = true}, x);
    x.back() = Tensor::of<std::int64_t>({5}, {8, 0, 3, 3, 1});
    check_op(Rope{.layout = layout, .has_positions = true}, x);
  }
}

TEST(Rope, SpansManyWorkgroups) { check_op(Rope{}, operands(DType::f32, {3, 11, 131, 62}, {131, 31})); }

TEST(Rope, APositionWithoutARowEndsTheRun) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const auto rope = [](Tensor positions) {
    auto x = operands(DType::f32, {1, 1, 2, 2}, {5, 1});
    x.push_back(std::move(positions));
    return tests::message_of([&] { ir::run_op(*testing::gpu().executor, Rope{.has_positions = true}, x); });
  };
  EXPECT_EQ(rope(Tensor::of<std::int32_t>({1, 2}, {4, 5})), "node 'y' (rope): index 5 at position 1 is out of range");
  EXPECT_EQ(rope(Tensor::of<std::int32_t>({2}, {-1, 0})), "node 'y' (rope): index -1 at position 0 is out of range");
  EXPECT_EQ(rope(Tensor::of<std::int64_t>({2}, {0, std::int64_t{1} << 32})),
            "node 'y' (rope): index 4294967296 at position 1 is out of range");
}

}  // namespace
}  // namespace plumb::rope_test
