// Gates of experts on both executors, and what their judge admits: groups within a rounding of each other, no expert
// that is one off, and weights of the experts that are named.
#include "ir/ops/group_limited_gate.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "parity/judges/kept_sets.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/joint_check.hpp"

namespace plumb::group_limited_gate_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::GroupLimitedGate;
using ir::ops::GroupScore;
using testing::check_jointly;
using testing::random_tensor;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

/// Groups of size `size`, scored by both ways, with and without weights that are divided.
TEST(GroupLimitedGate, EveryDtypeAndNumber) {
  struct Shape {
    std::int64_t tokens, groups, size, top_groups, top_k;
  };
  const ir::Fill positive{.distribution = ir::Distribution::uniform, .low = 0, .high = 1};
  const ir::Fill ties{.distribution = ir::Distribution::uniform_int, .low = -2, .high = 3};
  std::uint64_t number = 0;
  for (const Shape& shape :
       {Shape{1, 1, 2, 1, 2}, {3, 2, 3, 1, 3}, {37, 8, 32, 4, 8}, {5, 61, 2, 7, 11}, {2, 3, 67, 3, 201}})
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
      const GroupScore by = ++number % 2 == 0 ? GroupScore::max : GroupScore::top2_sum;
      const GroupLimitedGate op{.num_groups = shape.groups,
                                .top_groups = shape.top_groups,
                                .top_k = shape.top_k,
                                .group_score = by,
                                .normalize = number % 3 != 0,
                                .scale = 2.5,
                                .index_dtype = number % 5 < 2 ? DType::i32 : DType::i64};
      const ir::Shape experts = {shape.tokens, shape.groups * shape.size};
      const Tensor scores = random_tensor({dtype, experts}, number, positive);
      SCOPED_TRACE(ir::cat(dtype, ' ', experts));
      const Tensor routing = random_tensor({dtype, experts}, number + 1);
      testing::check_against_oracle(op, {scores, routing});
      check_jointly(op, {scores, routing});
      check_jointly(op, {scores, random_tensor({dtype, experts}, number + 2, ties)});
    }
}

TEST(GroupLimitedGate, WorkedOut) {
  const GroupLimitedGate op{.num_groups = 4, .top_groups = 2, .top_k = 4, .index_dtype = DType::i32};
  const auto scores = Tensor::of<float>({2, 8}, {1, 1, 2, 4, 0, 0, 1, 0, 4, 2, 0, 2, 3, 1, 5, 6});
  const auto routing = Tensor::of<float>({2, 8}, {3, 1, 9, -9, -0.0f, 0, 2, 2, 0, 1, nan, -inf, inf, -inf, 8, 9});
  // Sums 4, 0, 0, 4 keep groups 0 and 3; NaN twice, of a NaN and of an infinity beside its negative, 1 and 2.
  const auto experts = Tensor::of<std::int32_t>({2, 4}, {0, 6, 7, 1, 2, 4, 3, 5});
  const auto weights = Tensor::of<float>({2, 4}, {1 / 3.0f, 1 / 3.0f, 0, 1 / 3.0f, 0, 0.5f, 1 / 3.0f, 1 / 6.0f});
  testing::check_cpu(op, {scores, routing}, {experts, weights});
  testing::check_against_oracle(op, {scores, routing});
  GroupLimitedGate plain = op;
  plain.normalize = false;
  plain.scale = -2;
  const auto scaled = Tensor::of<float>({2, 4}, {-2, -2, -0.0f, -2, -0.0f, -6, -4, -2});
  testing::check_gpu(plain, {scores, routing}, {experts, scaled});
}

TEST(GroupLimitedGate, OneExpertOfOne) {
  const GroupLimitedGate op{
      .num_groups = 1, .top_groups = 1, .top_k = 1, .group_score = GroupScore::max, .has_routing = false};
  const auto score = Tensor::of<float>({2, 1}, {-2, 5});
  testing::check_cpu(op, {score}, {Tensor::of<std::int64_t>({2, 1}, {0, 0}), score});
  testing::check_gpu(op, {score}, {Tensor::of<std::int64_t>({2, 1}, {0, 0}), score});
}

/// The judge's words on the experts and the weights of one token; "" where both are right.
std::string said_of(const GroupLimitedGate& op, const std::vector<float>& routing, std::vector<std::int64_t> experts,
                    std::vector<float> weights) {
  const auto count = static_cast<std::int64_t>(routing.size()), k = static_cast<std::int64_t>(experts.size());
  const Tensor x = Tensor::of<float>({1, count}, routing);
  return testing::complaint_of(testing::judged(
      op, {x, x},
      {Tensor::of<std::int64_t>({1, k}, std::move(experts)), Tensor::of<float>({1, k}, std::move(weights))}));
}

constexpr GroupLimitedGate raw{.num_groups = 2, .top_groups = 1, .top_k = 2, .normalize = false};

TEST(Conditioning, GroupsWithinARoundingOfEachOtherMayBeEither) {
  // 1 + 2^-24 is no number of f32: the sum may be rounded to 1, and then the first group is chosen.
  const std::vector<float> close = {0.25f, 0.75f, 1, 0x1p-24f};
  EXPECT_EQ(said_of(raw, close, {2, 3}, {1, 0x1p-24f}), "");
  EXPECT_EQ(said_of(raw, close, {1, 0}, {0.75f, 0.25f}), "");
  EXPECT_NE(said_of(raw, close, {1, 0}, {1, 0x1p-24f}), "") << "weights of other experts";
  EXPECT_NE(said_of(raw, close, {1, 2}, {0.75f, 1}), "") << "one expert of each";
  // A sum that is exact decides, and equal sums do.
  const std::vector<float> far = {0.25f, 0.75f, 1, 0x1p-23f}, equal = {0.25f, 0.75f, 0.5f, 0.5f};
  EXPECT_EQ(said_of(raw, far, {2, 3}, {1, 0x1p-23f}), "");
  EXPECT_NE(said_of(raw, far, {1, 0}, {0.75f, 0.25f}), "");
  EXPECT_EQ(said_of(raw, equal, {1, 0}, {0.75f, 0.25f}), "");
  EXPECT_NE(said_of(raw, equal, {2, 3}, {0.5f, 0.5f}), "");
  GroupLimitedGate by_largest = raw;
  by_largest.group_score = GroupScore::max;
  EXPECT_NE(said_of(by_largest, close, {1, 0}, {0.75f, 0.25f}), "");
}

TEST(Conditioning, AnExpertThatIsOneOffIsFound) {
  const std::vector<float> routing = {0.5f, 0.25f, 1, 0.75f};
  EXPECT_EQ(said_of(raw, routing, {2, 3}, {1, 0.75f}), "");
  EXPECT_NE(said_of(raw, routing, {3, 2}, {0.75f, 1}), "") << "out of order";
  EXPECT_NE(said_of(raw, routing, {2, 2}, {1, 1}), "") << "one twice";
  EXPECT_NE(said_of(raw, routing, {2, 0}, {1, 0.5f}), "") << "of another group";
  EXPECT_NE(said_of(raw, routing, {2, 4}, {1, 0.75f}), "") << "none";
  EXPECT_NE(said_of(raw, routing, {2, 3}, {1, 0.75f * (1 + 0x1p-20f)}), "") << "a weight";
  const std::vector<float> ties = {0, 0, 1, 1};
  EXPECT_EQ(said_of(raw, ties, {2, 3}, {1, 1}), "");
  EXPECT_NE(said_of(raw, ties, {3, 2}, {1, 1}), "") << "the higher one of equals first";
}

TEST(Conditioning, WeightsWhoseScoresCancelHaveTheLimitOfTheirSum) {
  const GroupLimitedGate op{.num_groups = 1, .top_groups = 1, .top_k = 3, .group_score = GroupScore::max};
  const std::vector<float> scores = {1, 0.5f, -1.4999f};
  const float sum = 1 + 0.5f - 1.4999f;
  const std::vector<float> right = {1 / sum, 0.5f / sum, -1.4999f / sum};
  EXPECT_EQ(said_of(op, scores, {0, 1, 2}, right), "");
  EXPECT_EQ(said_of(op, scores, {0, 1, 2}, {right[0] * (1 + 0x1p-12f), right[1], right[2]}), "");
  EXPECT_NE(said_of(op, scores, {0, 1, 2}, {right[0] * (1 + 0x1p-7f), right[1], right[2]}), "");
  EXPECT_NE(said_of(op, {1, 0.5f, 0.25f}, {0, 1, 2}, {1 / 1.75f * (1 + 0x1p-19f), 0.5f / 1.75f, 0.25f / 1.75f}), "");
}

TEST(KeptSets, AreThoseThatLimitsAdmit) {
  using parity::judges::kept_sets;
  const std::vector<double> value = {4, 3, 2.9, 1}, none(4, 0.0), some(4, 0.06), all(4, 2.0);
  const std::vector<std::size_t> order = {0, 1, 2, 3};
  EXPECT_EQ(kept_sets({value, none, order}, 2)->size(), 1u);
  const auto either = kept_sets({value, some, order}, 2);
  ASSERT_EQ(either->size(), 2u);
  EXPECT_EQ((*either)[1].without, std::vector<std::size_t>{1});
  EXPECT_EQ((*either)[1].with, std::vector<std::size_t>{2});
  EXPECT_EQ(kept_sets({value, all, order}, 2)->size(), 6u);  // any two of four
  EXPECT_EQ(kept_sets({value, all, order}, 4)->size(), 1u);
  // Equal numbers are rounded alike, so that the first comes first.
  EXPECT_EQ(kept_sets({std::vector<double>(4, 1.0), all, order}, 2)->size(), 1u);
  const std::vector<double> many = {1, 2, 3, 4, 5, 6, 7, 8}, wide(8, 9.0);
  const std::vector<std::size_t> down = {7, 6, 5, 4, 3, 2, 1, 0};
  EXPECT_EQ(kept_sets({many, wide, down}, 4), std::nullopt);
}

TEST(GroupLimitedGate, Refuses) {
  const auto refusal = [](const GroupLimitedGate& op, const ir::Shape& experts) -> std::string {
    try {
      infer(op, ir::TensorTypes{{DType::f32, experts}, {DType::f32, experts}});
    } catch (const ir::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({}, {0, 16}), "");
  EXPECT_NE(refusal({}, {1, 12}).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal({}, {1, 8}).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal({.num_groups = 0}, {1, 8}).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal({.top_groups = 0}, {1, 16}).find("(C2)"), std::string::npos);
  EXPECT_NE(refusal({.top_groups = 3, .top_k = 8}, {1, 16}).find("(C3)"), std::string::npos);
  EXPECT_NE(refusal({.top_k = 0}, {1, 16}).find("(C3)"), std::string::npos);
  EXPECT_NE(refusal({.index_dtype = DType::u32}, {1, 16}).find("(C4)"), std::string::npos);
  EXPECT_NE(refusal({}, {16}).find("(C5)"), std::string::npos);
}

}  // namespace
}  // namespace plumb::group_limited_gate_test
