#include "tests/support/cases/moves.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace plumb::moves_test
