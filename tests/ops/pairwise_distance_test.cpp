// Distances between rows against the truth on both executors.
#include "ir/ops/pairwise_distance.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::pairwise_distance_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::PairwiseDistance;
using testing::check_cpu;
using testing::check_gpu;
using testing::check_op;
using testing::random_tensor;
using Metric = ir::ops::DistanceMetric;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr Metric metrics[] = {Metric::euclidean, Metric::squared_euclidean, Metric::cosine, Metric::manhattan};

TEST(PairwiseDistance, EveryDtypeAndShape) {
  constexpr std::int64_t shapes[][3] = {{1, 1, 1}, {0, 3, 2}, {3, 2, 0}, {15, 17, 16}, {16, 31, 257}, {7, 1, 1031}};
  std::size_t number = 0;
  for (const Metric metric : metrics)
    for (const auto& [n, m, d] : shapes) {
      SCOPED_TRACE(ir::cat(ir::enum_name(metric), " of ", n, " and ", m, " rows of ", d));
      ++number;
      for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
        if (!testing::takes_case(dtype, number)) continue;
        const Tensor x = random_tensor({dtype, {n, d}}, 1), y = random_tensor({dtype, {m, d}}, 2);
        check_op(PairwiseDistance{metric}, {x});
        check_op(PairwiseDistance{metric, true}, {x, y});
      }
    }
}

TEST(PairwiseDistance, LargeTiles) {
  const Tensor x = random_tensor({DType::f32, {515, 19}}, 1), y = random_tensor({DType::f32, {511, 19}}, 2);
  for (const Metric metric : metrics) {
    SCOPED_TRACE(ir::enum_name(metric));
    check_op(PairwiseDistance{metric, true}, {x, y});
  }
}

/// Where products of the rows would lose what differences keep.
TEST(PairwiseDistance, RowsFarFromZero) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const ir::Fill around{.distribution = ir::Distribution::normal, .mean = 1e4, .scale = 1};
    const Tensor x = random_tensor({dtype, {33, 40}}, 1, around);
    for (const Metric metric : {Metric::euclidean, Metric::squared_euclidean, Metric::manhattan})
      check_op(PairwiseDistance{metric}, {x});
  }
}

TEST(PairwiseDistance, SquaresBeyondTheRange) {
  for (const auto& [dtype, large] : {std::pair(DType::f32, 1e30), std::pair(DType::f64, 1e250)})
    for (const double size : {large, 1 / large}) {
      SCOPED_TRACE(ir::cat(dtype, " of ", size));
      const ir::Fill fill{.distribution = ir::Distribution::normal, .scale = size};
      const Tensor x = random_tensor({dtype, {5, 9}}, 1, fill), y = random_tensor({dtype, {4, 9}}, 2, fill);
      check_op(PairwiseDistance{Metric::euclidean, true}, {x, y});
      check_op(PairwiseDistance{Metric::cosine, true}, {x, y});
    }
}

void expect_symmetric(ir::Executor& executor, Metric metric) {
  const Tensor x = random_tensor({DType::f32, {40, 23}}, 3);
  const Tensor y = ir::run_op(executor, PairwiseDistance{metric}, {x}).front();
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_EQ(y.as<float>()[i * 40 + j], y.as<float>()[j * 40 + i]) << i << ' ' << j;
}

/// A row is as far from another as that one is from it, in every bit.
TEST(PairwiseDistance, OfOneMatrixIsSymmetric) {
  ref_cpu::CpuExecutor cpu;
  for (const Metric metric : metrics) {
    SCOPED_TRACE(ir::enum_name(metric));
    expect_symmetric(cpu, metric);
    if (testing::gpu().executor != nullptr) expect_symmetric(*testing::gpu().executor, metric);
  }
}

TEST(PairwiseDistance, EqualRowsAreAtDistanceZero) {
  const auto same = Tensor::of<float>({2, 3}, {0.1f, 3e20f, 7e-30f, 0.1f, 3e20f, 7e-30f});
  for (const Metric metric : {Metric::euclidean, Metric::squared_euclidean, Metric::manhattan}) {
    check_cpu(PairwiseDistance{metric}, {same}, {Tensor::of<float>({2, 2}, {0, 0, 0, 0})});
    check_gpu(PairwiseDistance{metric}, {same}, {Tensor::of<float>({2, 2}, {0, 0, 0, 0})});
  }
}

TEST(PairwiseDistance, SpecialValues) {
  const auto x = Tensor::of<float>({5, 2}, {nan, 0, inf, 0, -inf, 1, 0, -0.0f, 1, 0});
  const auto y = Tensor::of<float>({3, 2}, {inf, 0, 0, 0, 2, 0});
  const auto check = [&](Metric metric, const std::vector<float>& expected) {
    SCOPED_TRACE(ir::enum_name(metric));
    for (const DType dtype : {DType::f32, DType::f64}) {
      const std::vector<Tensor> in = {ir::convert(x, dtype), ir::convert(y, dtype)};
      const Tensor out = ir::convert(Tensor::of<float>({5, 3}, expected), dtype);
      check_cpu(PairwiseDistance{metric, true}, in, {out});
      check_gpu(PairwiseDistance{metric, true}, in, {out});
    }
  };
  check(Metric::euclidean, {nan, nan, nan, nan, inf, inf, inf, inf, inf, inf, 0, 2, inf, 1, 1});
  check(Metric::squared_euclidean, {nan, nan, nan, nan, inf, inf, inf, inf, inf, inf, 0, 4, inf, 1, 1});
  check(Metric::manhattan, {nan, nan, nan, nan, inf, inf, inf, inf, inf, inf, 0, 2, inf, 1, 1});
  check(Metric::cosine, {nan, nan, nan, nan, 1, nan, nan, 1, nan, 1, 0, 1, nan, 1, 0});
}

}  // namespace
}  // namespace plumb::pairwise_distance_test
