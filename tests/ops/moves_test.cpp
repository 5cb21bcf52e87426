#include "tests/support/cases/moves.hpp"

#include <gtest/gtest.h>

#include "ir/ops/im2col.hpp"
#include "ir/ops/pad.hpp"
#include "ir/ops/roll.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::moves_test {
namespace {

class MovesGpu : public ::testing::TestWithParam<tests::MovementCase> {};

TEST_P(MovesGpu, MakeEveryByteAsDefined) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const auto operands = tests::operands_of(GetParam());
  const auto got = ir::run_op(*testing::gpu().executor, GetParam().op, operands);
  EXPECT_TRUE(tests::same_bytes(got.front(), tests::made(GetParam().op, operands)));
}

INSTANTIATE_TEST_SUITE_P(, MovesGpu, ::testing::ValuesIn(tests::move_cases()),
                         [](const auto& tested) { return tested.param.name; });

TEST(MovesOnGpu, SpanMoreThan65535Workgroups) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  constexpr std::int64_t n = 65535 * 128 + 4567;  // 128 elements a workgroup
  const auto x = tests::noise({ir::DType::u8, {n}});
  const auto y = ir::run_op(*testing::gpu().executor, ir::ops::Roll{{-n / 2}, {0}}, {x}).front();
  const auto from = x.as<std::uint8_t>(), got = y.as<std::uint8_t>();
  const auto middle = from.begin() + n / 2;
  EXPECT_TRUE(std::equal(middle, from.end(), got.begin()));
  EXPECT_TRUE(std::equal(from.begin(), middle, got.end() - n / 2));
}

TEST(WindowsOnGpu, SpanMoreThan65535Workgroups) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  constexpr std::int64_t n = 65535 * 64 + 4567;  // 128 elements a workgroup, two taps
  const auto x = tests::noise({ir::DType::u8, {1, 1, n}});
  const ir::ops::Im2col op{.kernel_shape = {2}, .pads = {1, 0}};
  const auto y = ir::run_op(*testing::gpu().executor, op, {x}).front();
  const auto from = x.as<std::uint8_t>(), got = y.as<std::uint8_t>();
  EXPECT_EQ(got[0], 0);
  EXPECT_TRUE(std::equal(from.begin(), from.end() - 1, got.begin() + 1));
  EXPECT_TRUE(std::equal(from.begin(), from.end(), got.begin() + n));
}

}  // namespace
}  // namespace plumb::moves_test
