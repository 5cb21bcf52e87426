// Norms of inference models: batch, instance, local response, lp and mean-variance.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/batch_norm.hpp"
#include "ir/ops/instance_norm.hpp"
#include "ir/ops/lp_norm.hpp"
#include "ir/ops/lrn.hpp"
#include "ir/ops/mean_variance_norm.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::inference_norms_test {
namespace {

using ir::DType;
using ir::Fill;
using ir::Shape;
using ir::Tensor;
using namespace ir::ops;
using testing::check_cpu;
using testing::check_gpu;
using testing::check_op;
using testing::random_tensor;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
const auto real = ::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64);

void check_by_hand(const ir::Op& op, const std::vector<Tensor>& inputs, const Tensor& y) {
  check_cpu(op, inputs, {y});
  check_gpu(op, inputs, {y});
}

struct Case {
  Shape x;
  std::int64_t axis;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.x << " along " << c.axis; }

class Along : public ::testing::TestWithParam<std::tuple<DType, Case>> {};

std::vector<Tensor> batch_norm_operands(DType dtype, const Shape& x, std::int64_t channels) {
  const Fill positive{.distribution = ir::Distribution::uniform, .low = 0.1, .high = 3};
  return {random_tensor({dtype, x}, 1), random_tensor({dtype, {channels}}, 2), random_tensor({dtype, {channels}}, 3),
          random_tensor({dtype, {channels}}, 4), random_tensor({dtype, {channels}}, 5, positive)};
}

TEST_P(Along, BatchNormMeetsTheTruth) {
  const auto& [dtype, c] = GetParam();
  check_op(BatchNorm{.axis = c.axis, .epsilon = 1e-3}, batch_norm_operands(dtype, c.x, c.x[c.x.axis(c.axis)]));
}

TEST_P(Along, LpNormMeetsTheTruth) {
  const auto& [dtype, c] = GetParam();
  for (const std::int64_t p : {1, 2}) check_op(LpNorm{c.axis, p}, {random_tensor({dtype, c.x}, 6)});
}

TEST_P(Along, MeanVarianceNormMeetsTheTruth) {
  const auto& [dtype, c] = GetParam();
  check_op(MeanVarianceNorm{{c.axis}}, {random_tensor({dtype, c.x}, 7)});
}

const auto cases = ::testing::Values(Case{{2, 7, 5, 3}, 1}, Case{{3, 301}, 1}, Case{{3, 5, 64}, -1},
                                     Case{{67, 3, 4}, 0}, Case{{2, 5, 31}, 1});
const auto edges =
    ::testing::Values(Case{{1, 200'003}, 1}, Case{{200'003, 2}, 0}, Case{{2, 1, 7}, 1}, Case{{3, 0, 2}, 1},
                      Case{{0, 3}, 1}, Case{{70'001, 3}, 1}, Case{{2, 1, 2, 3, 1, 2, 3, 5}, -3});
INSTANTIATE_TEST_SUITE_P(, Along, ::testing::Combine(real, cases));
INSTANTIATE_TEST_SUITE_P(Edges, Along, ::testing::Combine(::testing::Values(DType::f32), edges));

TEST(BatchNorm, ByHand) {
  // variance 3 + epsilon 1: a standard deviation of 2
  const Tensor x = Tensor::of<float>({1, 2, 2}, {5, 7, -1, 3});
  const auto two = [](float a, float b) { return Tensor::of<float>({2}, {a, b}); };
  check_by_hand(BatchNorm{.epsilon = 1}, {x, two(2, 4), two(10, 20), two(5, 1), two(3, 15)},
                Tensor::of<float>({1, 2, 2}, {10, 12, 18, 22}));
}

TEST(BatchNorm, SpecialValuesStayInTheirChannel) {
  auto operands = batch_norm_operands(DType::f32, {2, 6, 9}, 6);
  operands[4].as<float>()[1] = -1;  // a negative variance
  operands[4].as<float>()[2] = inf;
  operands[3].as<float>()[3] = nan;
  operands[0].as<float>()[4 * 9 + 2] = -inf;
  check_op(BatchNorm{}, operands);
}

TEST(BatchNorm, DataFarFromZeroKeepItsNoise) {
  auto operands = batch_norm_operands(DType::f32, {2, 6, 9}, 6);
  const auto far = [](Shape shape, std::uint64_t seed) {
    return random_tensor({DType::f32, std::move(shape)}, seed,
                         {.distribution = ir::Distribution::normal, .mean = 1e4, .scale = 1});
  };
  operands[0] = far({2, 6, 9}, 8);
  operands[3] = far({6}, 9);
  check_op(BatchNorm{}, operands);
}

class InstanceNormOf : public ::testing::TestWithParam<std::tuple<DType, Shape>> {};

TEST_P(InstanceNormOf, MeetsTheTruth) {
  const auto& [dtype, shape] = GetParam();
  check_op(InstanceNorm{}, {random_tensor({dtype, shape}, 11), random_tensor({dtype, {shape[1]}}, 12),
                            random_tensor({dtype, {shape[1]}}, 13)});
}

INSTANTIATE_TEST_SUITE_P(, InstanceNormOf,
                         ::testing::Combine(real, ::testing::Values(Shape{2, 6, 5, 7}, Shape{1, 3, 1023})));
INSTANTIATE_TEST_SUITE_P(Edges, InstanceNormOf,
                         ::testing::Combine(::testing::Values(DType::f32),
                                            ::testing::Values(Shape{2, 3, 1}, Shape{0, 3, 4}, Shape{2, 3, 0},
                                                              Shape{1, 1, 100'003}, Shape{1, 70'001, 2, 1})));

class LrnOf : public ::testing::TestWithParam<std::tuple<DType, std::int64_t, Shape>> {};

TEST_P(LrnOf, MeetsTheTruth) {
  const auto& [dtype, size, shape] = GetParam();
  check_op(Lrn{.size = size, .alpha = 0.75, .beta = 0.6, .bias = 1.5}, {random_tensor({dtype, shape}, 14)});
}

INSTANTIATE_TEST_SUITE_P(, LrnOf,
                         ::testing::Combine(real, ::testing::Values(1, 2, 3, 5),
                                            ::testing::Values(Shape{2, 7, 5, 3}, Shape{3, 5}, Shape{1, 1, 9})));
INSTANTIATE_TEST_SUITE_P(Edges, LrnOf,
                         ::testing::Combine(::testing::Values(DType::f32),
                                            ::testing::Values(4, 1000, std::numeric_limits<std::int64_t>::max()),
                                            ::testing::Values(Shape{2, 17, 31}, Shape{0, 3, 2}, Shape{2, 0, 2},
                                                              Shape{1, 3, 40'009})));

TEST(Lrn, ByHand) {
  // an even size reaches one channel further ahead than back: 1 + 1/2·Σ = 3.5, 3, 3, to the power 1
  const Tensor x = Tensor::of<float>({1, 3, 1}, {1, 2, 2});
  const Tensor y = Tensor::of<float>({1, 3, 1}, {1 / 3.5f, 0.4f, 2 / 3.0f});
  check_by_hand(Lrn{.size = 2, .alpha = 1, .beta = 1}, {x}, y);
}

TEST(Lrn, SpecialValues) {
  Tensor x = random_tensor({DType::f32, {1, 9, 3}}, 15);
  x.as<float>()[0] = nan;
  x.as<float>()[13] = inf;
  x.as<float>()[26] = -0.0f;
  check_op(Lrn{.size = 3}, {x});
}

TEST(LpNorm, ByHand) {
  const Tensor x = Tensor::of<float>({3, 2}, {3, -4, 0, 0, 0, -2});
  check_by_hand(LpNorm{-1, 2}, {x}, Tensor::of<float>({3, 2}, {0.6f, -0.8f, 0, 0, 0, -1}));
  check_by_hand(LpNorm{-1, 1}, {x}, Tensor::of<float>({3, 2}, {3 / 7.0f, -4 / 7.0f, 0, 0, 0, -1}));
}

TEST(LpNorm, SquaresBeyondTheRange) {
  const Tensor x = Tensor::of<float>({3, 2}, {3e30f, 4e30f, 3e-30f, -4e-30f, 3e38f, 3e38f});
  check_op(LpNorm{-1, 2}, {x});
  check_op(LpNorm{-1, 1}, {x});
  Tensor far = random_tensor({DType::f32, {1, 200'003}}, 16);  // each slice has a unit of its own
  for (std::size_t i = 0; i < 100; ++i) far.as<float>()[i] *= 1e30f;
  check_op(LpNorm{-1, 2}, {far});
  check_op(LpNorm{-1, 1}, {far});
}

TEST(LpNorm, SpecialValuesOfOneLineStayInIt) {
  Tensor x = random_tensor({DType::f32, {4, 100}}, 17);
  x.as<float>()[5] = nan;
  x.as<float>()[105] = inf;
  x.as<float>()[205] = inf;
  x.as<float>()[206] = nan;
  check_op(LpNorm{-1, 2}, {x});
  check_op(LpNorm{-1, 1}, {x});
}

struct Axes {
  Shape x;
  std::vector<std::int64_t> axes;
};

void PrintTo(const Axes& c, std::ostream* out) { *out << c.x << " over " << Shape(c.axes); }

class MeanVarianceNormOf : public ::testing::TestWithParam<std::tuple<DType, Axes>> {};

TEST_P(MeanVarianceNormOf, MeetsTheTruth) {
  const auto& [dtype, c] = GetParam();
  check_op(MeanVarianceNorm{c.axes}, {random_tensor({dtype, c.x}, 18)});
}

INSTANTIATE_TEST_SUITE_P(, MeanVarianceNormOf,
                         ::testing::Combine(real,
                                            ::testing::Values(Axes{{3, 5, 7, 11}, {0, 2, 3}},
                                                              Axes{{1, 5, 7, 11}, {0, 2, 3}}, Axes{{6, 130}, {-1}})));
INSTANTIATE_TEST_SUITE_P(Edges, MeanVarianceNormOf,
                         ::testing::Combine(::testing::Values(DType::f32),
                                            ::testing::Values(Axes{{3, 4}, {}}, Axes{{3, 4}, {1, 0}},
                                                              Axes{{2, 3, 4, 2, 3, 2, 2, 3}, {1, 3, 5}},
                                                              Axes{{100'003, 3}, {0}}, Axes{{0, 4}, {0}},
                                                              Axes{{3, 0, 2}, {1}})));

TEST(MeanVarianceNorm, ByHand) {
  // (1, 3): mean 2, standard deviation 1; with epsilon 1 outside the root the divisor is 2.
  const Tensor x = Tensor::of<float>({2, 2}, {1, 5, 3, 5});
  check_by_hand(MeanVarianceNorm{{0}, 1}, {x}, Tensor::of<float>({2, 2}, {-0.5f, 0, 0.5f, 0}));
}

TEST(MeanVarianceNorm, AConstantSetGivesZeros) {
  for (const std::int64_t n : {3, 7, 100, 1023}) {
    Tensor x({DType::f32, {2, n}}), y({DType::f32, {2, n}});
    for (float& value : x.as<float>()) value = -0.1f;
    check_by_hand(MeanVarianceNorm{{1}}, {x}, y);
  }
}

TEST(MeanVarianceNorm, DataFarFromZeroKeepItsNoise) {
  check_op(MeanVarianceNorm{{0, 2}},
           {random_tensor({DType::f32, {4, 3, 300}}, 19,
                          {.distribution = ir::Distribution::normal, .mean = 1e4, .scale = 1})},
           testing::Data::ill_conditioned);
}

}  // namespace
}  // namespace plumb::inference_norms_test
