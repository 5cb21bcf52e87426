// Draws of tokens on both executors, as often as their probabilities say, and what the judge of draws admits: tokens
// beside each other where what was drawn lies between them, and cuts that roundings move (ops.md B.4).
#include "ir/ops/sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/raw/philox.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/joint_check.hpp"
#include "tests/support/noise.hpp"

namespace plumb::sample_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Sample;
using testing::check_jointly;
using testing::random_tensor;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

TEST(Sample, EveryDtypeAndCut) {
  const std::vector<Sample> draws = {{},
                                     {.temperature = 0.7, .seed = -3},
                                     {.top_k = 7, .seed = 5, .stream = 9, .index_dtype = DType::i32},
                                     {.temperature = 2, .top_p = 0.6, .seed = 6},
                                     {.temperature = 1.3, .min_p = 0.1, .seed = 7},
                                     {.temperature = 0.9, .top_k = 20, .top_p = 0.85, .min_p = 0.03, .seed = 8}};
  std::uint64_t number = 0;
  for (const Sample& draw : draws)
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
      const ir::Shape rows = ++number % 3 == 0 ? ir::Shape{3, 1, 67} : ir::Shape{19, 131};
      SCOPED_TRACE(ir::cat(dtype, ' ', rows, ", draw ", number));
      const Tensor logits =
          random_tensor({dtype, rows}, number, {.distribution = ir::Distribution::normal, .scale = 2.5});
      testing::check_against_oracle(draw, {logits});
      check_jointly(draw, {logits});
      const ir::Fill few{.distribution = ir::Distribution::uniform_int, .low = -2, .high = 3};
      check_jointly(draw, {random_tensor({dtype, rows}, number, few)}, testing::Data::ill_conditioned);
    }
}

TEST(Sample, LongRowsTakeTheLargestWorkgroups) {
  const ir::Fill spread{.distribution = ir::Distribution::normal, .scale = 2};
  const Tensor logits = random_tensor({DType::f32, {2, 20'011}}, 5, spread);
  check_jointly(Sample{.temperature = 0.8, .top_k = 1000, .top_p = 0.95, .seed = 3}, {logits});
}

TEST(Sample, OneTokenAndNoChance) {
  check_jointly(Sample{}, {Tensor::of<float>({3, 1}, {-4, 0, 5})}, testing::Data::ill_conditioned);
  const auto logits = Tensor::of<float>({4, 3}, {1, 2, 2, nan, inf, nan, -inf, -inf, -inf, -0.0f, 0, -1});
  const auto first = Tensor::of<std::int64_t>({4}, {1, 0, 0, 0});
  testing::check_cpu(Sample{.temperature = 0}, {logits}, {first});
  testing::check_cpu(Sample{.temperature = 1e-60}, {logits}, {first});  // 0 in f32
  testing::check_gpu(Sample{.temperature = 0}, {logits}, {first});
}

/// Tokens of many rows of the same logits.
std::vector<std::int64_t> drawn(ir::Executor& executor, const Sample& op, const std::vector<float>& logits,
                                std::int64_t rows) {
  std::vector<float> all;
  for (std::int64_t row = 0; row < rows; ++row) all.insert(all.end(), logits.begin(), logits.end());
  const auto tokens = static_cast<std::int64_t>(logits.size());
  const Tensor y = ir::run_op(executor, op, {Tensor::of<float>({rows, tokens}, all)}).front();
  return {y.as<std::int64_t>().begin(), y.as<std::int64_t>().end()};
}

TEST(Sample, DrawsAreAsFrequentAsTheirProbabilities) {
  const std::vector<float> logits = {0, -1, 1, 0.5f, -3, 2, 0.25f, -0.5f};
  constexpr std::int64_t rows = 100'000;
  ref_cpu::CpuExecutor cpu;
  const Sample draw{.temperature = 0.7, .top_k = 6, .seed = 11};
  const auto tokens = drawn(cpu, draw, logits, rows);
  if (testing::gpu().executor != nullptr) {
    EXPECT_EQ(drawn(*testing::gpu().executor, draw, logits, 1000), std::vector(tokens.begin(), tokens.begin() + 1000));
  }
  std::array<double, 8> counts{};
  double total = 0, squares = 0;
  for (const std::int64_t token : tokens) ++counts.at(static_cast<std::size_t>(token));
  const auto chance = [&](std::size_t j) { return j == 1 || j == 4 ? 0 : std::exp(logits[j] / 0.7); };
  for (std::size_t j = 0; j < 8; ++j) total += chance(j);
  EXPECT_EQ(counts[1] + counts[4], 0);
  for (std::size_t j = 0; j < 8; ++j) {
    const double expected = rows * chance(j) / total;
    if (expected > 0) squares += (counts[j] - expected) * (counts[j] - expected) / expected;
  }
  EXPECT_LT(squares, 25.7);  // 10^-4 of all samples have more, by 5 degrees of freedom
}

/// The judge's words on tokens of the rows of these logits.
parity::cases::NodeResult said_of(const Sample& op, const Tensor& logits, const std::vector<std::int64_t>& tokens) {
  return testing::judged(op, {logits}, {Tensor::of<std::int64_t>({static_cast<std::int64_t>(tokens.size())}, tokens)})
      .front();
}

bool agrees(const Sample& op, const std::vector<float>& logits, std::int64_t token) {
  return said_of(op, Tensor::of<float>({1, static_cast<std::int64_t>(logits.size())}, logits), {token}).local.agrees();
}

/// The draw of row 0, as a part of 1.
double part_of(std::int64_t seed) {
  const auto words = ir::raw::philox_block(static_cast<std::uint64_t>(seed), 0, 0, 0);
  return (static_cast<double>(words[0]) + static_cast<double>(words[1]) * 0x1p-32) * 0x1p-32;
}

TEST(Conditioning, EitherTokenIsRightWhereTheyMeetAndOneAwayFromThere) {
  std::size_t tried = 0;
  for (std::int64_t seed = 0; seed < 40; ++seed) {
    const double part = part_of(seed);
    if (part < 0.55 || part > 0.95) continue;
    ++tried;
    const auto second = static_cast<float>(std::log(1 / part - 1));  // e^0/(e^0 + e^second) is the part
    const Sample op{.seed = seed};
    EXPECT_TRUE(agrees(op, {0, second}, 0) && agrees(op, {0, second}, 1)) << seed;
    EXPECT_TRUE(agrees(op, {0, second - 1e-4f}, 0) && !agrees(op, {0, second - 1e-4f}, 1)) << seed;
    EXPECT_TRUE(agrees(op, {0, second + 1e-4f}, 1) && !agrees(op, {0, second + 1e-4f}, 0)) << seed;
  }
  EXPECT_GT(tried, 5u);
}

TEST(Conditioning, TokensAtACutThatRoundingsMoveMayBeKeptOrNot) {
  const float next = std::nextafter(1.0f, 2.0f);
  std::int64_t high = 0;
  while (part_of(high) < 0.75) ++high;  // the last of few tokens
  // Behind the division by 0.7 the second may come first, but not where nothing is rounded, nor one that is equal.
  EXPECT_TRUE(agrees({.temperature = 0.7, .top_k = 1, .seed = high}, {1, next}, 0));
  EXPECT_TRUE(agrees({.temperature = 0.7, .top_k = 1, .seed = high}, {1, next}, 1));
  EXPECT_FALSE(agrees({.temperature = 0.5, .top_k = 1, .seed = high}, {1, next}, 0));
  EXPECT_FALSE(agrees({.temperature = 0.7, .top_k = 1, .seed = high}, {1, 1}, 1));
  // e^-ln 2 is half of the largest weight, or just less.
  const auto half = static_cast<float>(-std::log(2.0));
  const Sample by_weight{.min_p = 0.5, .seed = high};
  EXPECT_TRUE(agrees(by_weight, {0, half}, 0) && agrees(by_weight, {0, half}, 1));
  EXPECT_FALSE(agrees(by_weight, {0, half - 1e-5f}, 1));
  EXPECT_FALSE(agrees(by_weight, {0, half + 1e-5f}, 0));
  // The first of two tokens has two thirds of the weight, or just less.
  const Sample by_share{.top_p = 2.0 / 3, .seed = high};
  EXPECT_TRUE(agrees(by_share, {0, half}, 0) && agrees(by_share, {0, half}, 1));
  EXPECT_FALSE(agrees(by_share, {0, half - 1e-5f}, 1));
  EXPECT_FALSE(agrees(by_share, {0, half + 1e-5f}, 0));
}

TEST(Conditioning, RowsWithManyOpenCutsAreNotJudged) {
  std::vector<float> logits = {0};
  auto one = static_cast<float>(-std::log(2.0));  // half of the largest weight, as five neighbours have it
  for (int j = 0; j < 5; ++j, one = std::nextafter(one, 0.0f)) logits.push_back(one);
  const auto row = Tensor::of<float>({1, 6}, logits);
  EXPECT_EQ(said_of({.min_p = 0.5}, row, {0}).units.flagged, 1u);
  EXPECT_EQ(said_of({.min_p = 0.4}, row, {0}).units.flagged, 0u);
}

/// Tokens of one draw that another draw's judge refuses, of the rows in which the two differ.
void expect_found(const Sample& right, const Sample& wrong, const Tensor& logits) {
  ref_cpu::CpuExecutor cpu;
  const Tensor honest = ir::run_op(cpu, right, {logits}).front(), other = ir::run_op(cpu, wrong, {logits}).front();
  std::size_t differing = 0;
  for (std::size_t row = 0; row < honest.as<std::int64_t>().size(); ++row)
    differing += honest.as<std::int64_t>()[row] != other.as<std::int64_t>()[row] ? 1 : 0;
  EXPECT_EQ(testing::complaint_of(testing::judged(right, {logits}, {honest})), "");
  const auto found = testing::judged(right, {logits}, {other}).front();
  EXPECT_GT(differing, 20u);
  EXPECT_GE(static_cast<double>(found.units.beyond), 0.999 * static_cast<double>(differing));
}

TEST(Conditioning, WrongDrawsAreFoundWhereTheyChangeTheToken) {
  const Tensor logits =
      random_tensor({DType::f32, {1000, 53}}, 3, {.distribution = ir::Distribution::normal, .scale = 1.5});
  expect_found({.top_k = 6, .seed = 4}, {.top_k = 7, .seed = 4}, logits);
  const Sample right{.temperature = 0.7, .top_k = 12, .top_p = 0.9, .seed = 4};
  Sample wrong = right;
  wrong.temperature = 0.49;
  expect_found(right, wrong, logits);
  wrong = right;
  wrong.top_p = 1;
  expect_found(right, wrong, logits);
  wrong = right;
  wrong.seed = 5;
  expect_found(right, wrong, logits);
}

TEST(Sample, Refuses) {
  const auto refusal = [](const Sample& op, const ir::TensorTypes& types) -> std::string {
    return tests::message_of([&] { infer(op, types); });
  };
  const ir::TensorType logits{DType::f32, {3, 4}}, wide{DType::f64, {3, 4}};
  EXPECT_NE(refusal({}, {{DType::f32, {3, std::int64_t{1} << 25}}}).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal({.temperature = 1e39}, {logits}).find("(C2)"), std::string::npos);  // infinite in f32
  EXPECT_NO_THROW(infer(Sample{.temperature = 1e39}, ir::TensorTypes{wide}));
  EXPECT_NE(refusal({.temperature = nan}, {logits}).find("(C2)"), std::string::npos);
  EXPECT_NE(refusal({.top_k = -1}, {logits}).find("(C2)"), std::string::npos);
  EXPECT_NE(refusal({.top_p = 1.5}, {logits}).find("(C2)"), std::string::npos);
  EXPECT_NE(refusal({.min_p = -0.1}, {logits}).find("(C2)"), std::string::npos);
  EXPECT_NE(refusal({.stream = std::int64_t{1} << 32}, {logits}).find("(C3)"), std::string::npos);
}

TEST(Sample, RowsWithoutAProbabilityEndTheRun) {
  const auto with_nan = Tensor::of<float>({2, 3}, {0, 1, 2, 3, 4, nan});
  const auto masked = Tensor::of<float>({2, 3}, {-inf, -inf, -inf, 3, 4, 5});
  const auto says = [](ir::Executor& executor, const Tensor& logits) {
    return tests::message_of([&] { ir::run_op(executor, Sample{}, {logits}); });
  };
  const std::string of_nan = "node 'y' (sample): logits[5] is nan, which has no probability";
  const std::string of_masked = "node 'y' (sample): row 0 of logits has no token above -inf";
  ref_cpu::CpuExecutor cpu;
  EXPECT_EQ(says(cpu, with_nan), of_nan);
  EXPECT_EQ(says(cpu, masked), of_masked);
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  EXPECT_EQ(says(*testing::gpu().executor, with_nan), of_nan);
  EXPECT_EQ(says(*testing::gpu().executor, masked), of_masked);
}

}  // namespace
}  // namespace plumb::sample_test
