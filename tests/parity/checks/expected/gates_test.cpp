// Experts and tokens of another implementation: those that roundings may have chosen, and no others.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/group_limited_gate.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/sample.hpp"
#include "ir/raw/philox.hpp"
#include "tests/parity/checks/expected/small_graph.hpp"

namespace plumb::gates_test {
namespace {

using expected_test::Small;
using ir::DType;
using ir::Tensor;
using ir::Value;
using parity::core::Verdict;

/// Products of which two are equal but for their roundings, since their terms are the same in another order.
TEST(Choices, ExpertsOfNearlyEqualRoutingAreEither) {
  Small small;
  Tensor x({DType::f32, {1, 33}}), w({DType::f32, {33, 3}});
  for (std::size_t k = 0; k < 33; ++k) {
    x.as<float>()[k] = 1;
    w.as<float>()[3 * k] = 1 / static_cast<float>(k + 3);
    w.as<float>()[3 * k + 1] = 1 / static_cast<float>(35 - k);
    w.as<float>()[3 * k + 2] = 0.5f / static_cast<float>(k + 3);
  }
  const Value scores = small.input("scores", Tensor::of<float>({1, 3}, {0.25f, 0.5f, 0.125f}));
  const Value rows = small.input("x", x), columns = small.input("w", w);
  const Value routing = small.add("routing", ir::ops::Matmul{}, {rows, columns});
  const ir::ops::GroupLimitedGate gate{
      .num_groups = 1, .top_groups = 1, .top_k = 1, .group_score = ir::ops::GroupScore::max};
  small.returns(small.add("experts", gate, {scores, routing}));
  const auto verdict = [&](std::int64_t expert) {
    return small.hold("experts", Tensor::of<std::int64_t>({1, 1}, {expert})).verdict;
  };
  EXPECT_NE(verdict(0), Verdict::failed);
  EXPECT_NE(verdict(1), Verdict::failed);
  EXPECT_EQ(verdict(2), Verdict::failed);
}

/// Whatever group is kept of two that roundings may exchange, the first expert is the best of one of them.
TEST(Choices, ExpertsOfGroupsAtANearTieAreTheBestOfEither) {
  Small small;
  Tensor x({DType::f32, {1, 33}}), w({DType::f32, {33, 4}});
  for (std::size_t k = 0; k < 33; ++k) {
    x.as<float>()[k] = 1;
    w.as<float>()[4 * k] = 1 / static_cast<float>(k + 3);
    w.as<float>()[4 * k + 2] = 1 / static_cast<float>(35 - k);
    w.as<float>()[4 * k + 1] = w.as<float>()[4 * k + 3] = 0.5f / static_cast<float>(k + 3);
  }
  const Value scores = small.input("scores", Tensor::of<float>({1, 4}, {0.25f, 0.5f, 0.125f, 0.375f}));
  const Value rows = small.input("x", x), columns = small.input("w", w);
  const Value routing = small.add("routing", ir::ops::Matmul{}, {rows, columns});
  const ir::ops::GroupLimitedGate gate{
      .num_groups = 2, .top_groups = 1, .top_k = 1, .group_score = ir::ops::GroupScore::max};
  small.returns(small.add("experts", gate, {scores, routing}));
  const auto verdict = [&](std::int64_t expert) {
    return small.hold("experts", Tensor::of<std::int64_t>({1, 1}, {expert})).verdict;
  };
  EXPECT_NE(verdict(0), Verdict::failed);
  EXPECT_NE(verdict(2), Verdict::failed);
  EXPECT_EQ(verdict(1), Verdict::failed);
  EXPECT_EQ(verdict(3), Verdict::failed);
}

TEST(Choices, GroupsOfOneScoreAreToldApartByTheirPlace) {
  Small small;
  const Value scores = small.input("scores", Tensor::of<float>({1, 4}, {0.25f, 0.5f, 0.125f, 0.375f}));
  const Value routing = small.input("routing", Tensor::of<float>({1, 4}, {1, 0, 1, 0.5f}));
  const ir::ops::GroupLimitedGate gate{
      .num_groups = 2, .top_groups = 1, .top_k = 1, .group_score = ir::ops::GroupScore::max};
  small.returns(small.add("experts", gate, {scores, routing}));
  EXPECT_EQ(small.hold("experts", Tensor::of<std::int64_t>({1, 1}, {0})).verdict, Verdict::passed);
  EXPECT_EQ(small.hold("experts", Tensor::of<std::int64_t>({1, 1}, {2})).verdict, Verdict::failed);
}

double share_of(std::uint64_t seed, std::uint32_t row) {
  const auto words = ir::raw::philox_block(seed, 0, 0, row);
  return (static_cast<double>(words[0]) + static_cast<double>(words[1]) * 0x1p-32) * 0x1p-32;
}

TEST(Choices, TokensAreThoseThatRoundingsMayDraw) {
  std::int64_t seed = 0;
  while (std::abs(share_of(static_cast<std::uint64_t>(seed), 0) - 0.5) > 0.3) ++seed;
  const double share = share_of(static_cast<std::uint64_t>(seed), 0);
  const ir::ops::Sample sample{.seed = seed};
  const auto verdict = [&](double first_share, std::int64_t token) {
    Small small;
    const auto second = static_cast<float>(std::log((1 - first_share) / first_share));
    const Value logits = small.input("logits", Tensor::of<float>({1, 3}, {0, second, -80}));
    small.returns(small.add("tokens", sample, {logits}));
    return small.hold("tokens", Tensor::of<std::int64_t>({1}, {token})).verdict;
  };
  EXPECT_NE(verdict(share, 0), Verdict::failed) << "the end of the first token is where the number lies";
  EXPECT_NE(verdict(share, 1), Verdict::failed);
  EXPECT_EQ(verdict(share, 2), Verdict::failed);
  EXPECT_NE(verdict(share + 0.01, 0), Verdict::failed);
  EXPECT_EQ(verdict(share + 0.01, 1), Verdict::failed);
  EXPECT_EQ(verdict(share - 0.01, 0), Verdict::failed);
  EXPECT_EQ(verdict(share - 0.01, 1), Verdict::passed);
}

TEST(Choices, TheLargestLogitIsExactWithoutATemperature) {
  Small small;
  const Value logits = small.input("logits", Tensor::of<float>({2, 3}, {1, 1, 0, 0, 1, 1.0000001f}));
  small.returns(small.add("tokens", ir::ops::Sample{.temperature = 0}, {logits}));
  const auto verdict = [&](std::vector<std::int64_t> tokens) {
    return small.hold("tokens", Tensor::of<std::int64_t>({2}, tokens)).verdict;
  };
  EXPECT_EQ(verdict({0, 2}), Verdict::passed);
  EXPECT_EQ(verdict({1, 2}), Verdict::failed);
  EXPECT_EQ(verdict({0, 1}), Verdict::failed);
}

}  // namespace
}  // namespace plumb::gates_test
