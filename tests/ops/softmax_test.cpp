#include "ir/ops/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/log_softmax.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::softmax_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::LogSoftmax;
using ir::ops::Softmax;
using testing::check_op;
using testing::random_tensor;

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  ir::Shape shape;
  std::int64_t axis;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.shape << " along " << c.axis; }

class SoftmaxCases : public ::testing::TestWithParam<std::tuple<DType, Case>> {};

TEST_P(SoftmaxCases, MeetsTheTruth) {
  const auto& [dtype, c] = GetParam();
  const Tensor x = random_tensor({dtype, c.shape}, 11, {.distribution = ir::Distribution::normal, .scale = 4});
  check_op(Softmax{c.axis}, {x});
  check_op(LogSoftmax{c.axis}, {x});
}

INSTANTIATE_TEST_SUITE_P(, SoftmaxCases,
                         ::testing::Combine(::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                                            ::testing::Values(Case{{7, 3}, -1}, Case{{5, 300}, 1}, Case{{3, 50257}, 1},
                                                              Case{{2, 300, 3}, 1}, Case{{70, 67}, 0},
                                                              Case{{2, 3, 5}, -3})));

INSTANTIATE_TEST_SUITE_P(Edges, SoftmaxCases,
                         ::testing::Combine(::testing::Values(DType::f32),
                                            ::testing::Values(Case{{70001, 3}, 1}, Case{{1, 1'000'003}, 1},
                                                              Case{{100003, 2}, 0}, Case{{4, 1}, 1}, Case{{1}, 0},
                                                              Case{{0, 3}, 1}, Case{{3, 0}, 1}, Case{{8, 128, 128}, 2},
                                                              Case{{5, 31}, 1}, Case{{300, 33}, 1}, Case{{3, 4096}, 1},
                                                              Case{{2, 8191}, 1}, Case{{2, 16387}, 1},
                                                              Case{{3, 8192}, 1}, Case{{2, 7172}, 1})));

TEST(Softmax, DoesNotOverflow) {
  const Tensor x = Tensor::of<float>({2, 3}, {1000, 1000, -1000, -1000, -1000, -1003});
  const float e = std::exp(-3.0f), s = 2 + e;
  const Tensor y = Tensor::of<float>({2, 3}, {0.5f, 0.5f, 0, 1 / s, 1 / s, e / s});
  testing::check_cpu(Softmax{}, {x}, {y});
  testing::check_gpu(Softmax{}, {x}, {y});
  check_op(LogSoftmax{}, {x});
}

// Differences from the maximum down to those whose exponentials are 0, and results that are subnormal.
TEST(Softmax, TinyResultsKeepTheirLimits) {
  Tensor x({DType::f32, {3, 2048}});
  for (std::size_t k = 0; k < 3 * 2048; ++k) x.as<float>()[k] = -0.0625f * static_cast<float>(k % 2048);
  for (std::size_t k = 2048; k < 4096; ++k) x.as<float>()[k] -= 3e38f;
  x.as<float>()[4096 + 77] = infinity;
  check_op(Softmax{}, {x});
  check_op(LogSoftmax{}, {x});
}

TEST(Softmax, ANanAnywhereInALineIsFound) {
  for (const float sign : {1.0f, -1.0f}) {
    Tensor x = random_tensor({DType::f32, {40, 1000}}, 12);
    for (std::size_t r = 0; r < 40; ++r) x.as<float>()[r * 1000 + r * 25] = std::copysign(nan, sign);
    check_op(Softmax{}, {x});
    check_op(LogSoftmax{}, {x});
  }
}

TEST(Softmax, F16DifferencesMayExceedItsRange) {
  std::vector<ir::f16> x;
  for (const float v : {65504.0f, -65504.0f, 65472.0f}) x.emplace_back(v);
  check_op(Softmax{}, {Tensor::of<ir::f16>({3}, x)});
  check_op(LogSoftmax{}, {Tensor::of<ir::f16>({3}, x)});  // -131008 overflows f16
}

TEST(Softmax, SpecialValuesOfOneLineStayInIt) {
  std::vector<float> x(6 * 100, 0.25f);
  x[3] = nan;
  x[105] = infinity;
  for (std::size_t k = 200; k < 300; ++k) x[k] = -infinity;
  x[303] = x[399] = -infinity;
  x[401] = infinity;
  x[402] = -infinity;
  for (std::size_t k = 500; k < 600; ++k) x[k] = static_cast<float>(k % 7);
  const Tensor rows = Tensor::of<float>({6, 100}, x);
  Tensor columns({DType::f32, {100, 6}});
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t k = 0; k < 100; ++k) columns.as<float>()[k * 6 + r] = x[r * 100 + k];
  for (const ir::Op& op : {ir::Op(Softmax{1}), ir::Op(LogSoftmax{1})}) check_op(op, {rows});
  for (const ir::Op& op : {ir::Op(Softmax{0}), ir::Op(LogSoftmax{0})}) check_op(op, {columns});
  const Tensor x3 = Tensor::of<float>({3, 2}, {nan, 1, -infinity, -infinity, -infinity, 5});
  testing::check_cpu(Softmax{}, {x3}, {Tensor::of<float>({3, 2}, {nan, nan, nan, nan, 0, 1})});
  testing::check_cpu(LogSoftmax{}, {x3}, {Tensor::of<float>({3, 2}, {nan, nan, nan, nan, -infinity, 0})});
}

TEST(Softmax, AnInfinityInASliceOfALongLineReachesAllOfIt) {
  std::vector<float> x(300'000, 1.0f);
  for (std::size_t k = 0; k < 150'000; ++k) x[k] = -infinity;  // whole slices of -inf
  check_op(Softmax{}, {Tensor::of<float>({1, 300'000}, x)});
  x[299'999] = nan;
  check_op(Softmax{}, {Tensor::of<float>({1, 300'000}, x)});
}

}  // namespace
}  // namespace plumb::softmax_test
