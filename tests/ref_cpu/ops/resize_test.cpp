#include "ir/ops/resize.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/cases/resize_cases.hpp"
#include "tests/support/indices.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::resize_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using testing::Index;
using namespace ir::ops;

/// The source of output i, as the entry has it; in more bits than decide what is nearest.
long double source(const Resize& op, std::size_t k, long double n, long double i) {
  const auto m = static_cast<long double>(op.sizes[k]), s = op.scales.empty() ? m / n : op.scales[k], l = s * n;
  const long double centre = op.scales.empty() ? (2 * i + 1) * n / (2 * m) : (i + 0.5L) / s;
  switch (op.coordinate) {
    case ResizeCoordinate::half_pixel:
      return centre - 0.5L;
    case ResizeCoordinate::half_pixel_symmetric:
      return op.scales.empty() ? centre - 0.5L : (n - 1) / 2 + (2 * i + 1 - m) / (2 * s);
    case ResizeCoordinate::pytorch_half_pixel:
      return m > 1 ? centre - 0.5L : 0;
    case ResizeCoordinate::align_corners:
      return op.scales.empty() ? (m == 1 ? 0 : i * (n - 1) / (m - 1)) : l == 1 ? 0 : i * (n - 1) / (l - 1);
    case ResizeCoordinate::asymmetric:
      return op.scales.empty() ? i * n / m : i / s;
    case ResizeCoordinate::tf_half_pixel_for_nn:
      return centre;
    default:
      break;
  }
  const long double a = op.roi[k], b = op.roi[k + op.axes.size()];
  return m > 1 ? (a * (m - 1 - i) + i * b) * (n - 1) / (m - 1) : 0.5L * (a + b) * (n - 1);
}

double keys(double a, double t) {
  t = std::abs(t);
  if (t <= 1) return (a + 2) * std::pow(t, 3) - (a + 3) * std::pow(t, 2) + 1;
  return t < 2 ? a * std::pow(t, 3) - 5 * a * std::pow(t, 2) + 8 * a * t - 4 * a : 0;
}

/// The weight of every element of the axis in output i; empty when the source lies outside.
std::vector<double> weights(const Resize& op, std::size_t k, std::int64_t extent, std::int64_t i) {
  const auto n = static_cast<double>(extent);
  const long double exact = source(op, k, n, static_cast<long double>(i));
  const auto u = static_cast<double>(exact);
  const auto clamp = [&](auto j) {
    return static_cast<std::size_t>(std::min(std::max(static_cast<double>(j), 0.0), n - 1));
  };
  if (op.coordinate == ResizeCoordinate::tf_crop_and_resize && (exact < 0 || exact > n - 1)) return {};
  std::vector<double> all(static_cast<std::size_t>(extent), 0);
  if (op.mode == ResizeMode::nearest) {
    const long double candidates[] = {std::ceil(exact - 0.5L), std::floor(exact + 0.5L), std::floor(exact),
                                      std::ceil(exact)};
    all[clamp(candidates[static_cast<int>(op.nearest_mode)])] = 1;
    return all;
  }
  const double s = op.scales.empty() ? static_cast<double>(op.sizes[k]) / n : op.scales[k];
  const double f = op.antialias ? std::min(s, 1.0) : 1, radius = op.mode == ResizeMode::linear ? 1 : 2;
  double sum = 0;
  for (double j = std::floor(u) - 100; j < u + 100; ++j) {
    const double t = (j - u) * f;
    if (!(std::abs(t) < radius)) continue;
    double w = op.mode == ResizeMode::linear ? std::max(0.0, 1 - std::abs(t)) : keys(op.cubic_coeff_a, t);
    if (op.exclude_outside && (j < 0 || j > n - 1)) w = 0;
    all[clamp(j)] += w;
    sum += w;
  }
  if (op.antialias || op.exclude_outside)
    for (double& w : all) w /= sum;
  return all;
}

/// Not axis after axis, but the sum over all elements.
double by_definition(const Resize& op, const Tensor& x, const Index& y) {
  std::vector<std::vector<double>> along(x.shape().size());
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const std::size_t a = x.shape().axis(op.axes[k]);
    along[a] = weights(op, k, x.shape()[a], y[a]);
    if (along[a].empty()) return op.extrapolation_value;
  }
  double sum = 0;
  testing::for_each_index(x.shape(), [&](const Index& j, std::size_t position) {
    double weight = 1;
    for (std::size_t a = 0; a < j.size(); ++a)
      weight *= along[a].empty() ? static_cast<double>(j[a] == y[a]) : along[a][static_cast<std::size_t>(j[a])];
    if (weight != 0) sum += weight * x.as<double>()[position];
  });
  return sum;
}

TEST(Resize, EveryModeIsTheDefinition) {
  std::uint64_t seed = 1;
  for (const auto& geometry : testing::resize_geometries())
    for (const auto& c : testing::resizes_of(geometry)) {
      SCOPED_TRACE(c.what);
      const Tensor x = testing::random_tensor({DType::f64, c.x}, ++seed);
      const Tensor y = run_one(c.op, {x});
      testing::for_each_index(y.shape(), [&](const Index& index, std::size_t position) {
        const double expected = by_definition(c.op, x, index);
        ASSERT_NEAR(y.as<double>()[position], expected, 1e-12 * (1 + std::abs(expected))) << position;
      });
    }
}

TEST(Resize, NearestMovesAnyElement) {
  const Resize op{.axes = {0}, .sizes = {4}};
  const Tensor wide = run_one(op, {Tensor::of<std::complex<double>>({2}, {{1, 2}, {3, 4}})});
  EXPECT_EQ(wide.as<std::complex<double>>()[1], (std::complex<double>{1, 2}));
  EXPECT_EQ(wide.as<std::complex<double>>()[2], (std::complex<double>{3, 4}));
  Tensor flags({DType::boolean, {2}});
  flags.as<bool>()[1] = true;
  const Tensor four = run_one(op, {flags});
  EXPECT_FALSE(four.as<bool>()[1]);
  EXPECT_TRUE(four.as<bool>()[2]);
}

TEST(Resize, OfAnF32TheScaleIsAnF32) {
  // 0.6 as f32 is larger: 5 · 0.6f is beyond 3, where the sixth source would round to another element.
  const double scale = static_cast<double>(0.6f);
  const Tensor x = testing::random_tensor({DType::f32, {40}}, 1);
  const Resize given{.axes = {0}, .sizes = {24}, .scales = {0.6}, .mode = ResizeMode::linear};
  const Resize rounded{.axes = {0}, .sizes = {24}, .scales = {scale}, .mode = ResizeMode::linear};
  const Tensor a = run_one(given, {x}), b = run_one(rounded, {x});
  EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes()));
}

TEST(Resize, AnyNumberOfThreadsGivesTheSameBits) {
  const Tensor x = testing::random_tensor({DType::f32, {3, 31, 47}}, 4);
  const Resize op{.axes = {1, 2}, .sizes = {77, 20}, .mode = ResizeMode::cubic, .antialias = true};
  const Tensor one = run_one(op, {x}, 1), seven = run_one(op, {x}, 7);
  EXPECT_TRUE(std::ranges::equal(one.bytes(), seven.bytes()));
}

}  // namespace
}  // namespace plumb::ref_cpu::resize_test
