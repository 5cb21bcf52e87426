// grid_sample and affine_grid by their definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/affine_grid.hpp"
#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/cases/sample_cases.hpp"
#include "tests/support/indices.hpp"

namespace plumb::ref_cpu::sampling_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using testing::Index;
using namespace ir::ops;

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

/// Back and forth between the ends, as often as it takes.
double reflected(double u, double low, double high) {
  if (low == high) return low;
  while (u < low || u > high) u = u < low ? 2 * low - u : 2 * high - u;
  return u;
}

struct Tap {
  double at, weight;
};

/// The taps along an axis of extent n, before anything is done about those outside.
std::vector<Tap> taps(const GridSample& op, double g, double n) {
  double u = op.align_corners ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
  const double low = op.align_corners ? 0 : -0.5, high = op.align_corners ? n - 1 : n - 0.5;
  if (op.mode == SampleMode::nearest) u = std::rint(u);
  if (op.mode != SampleMode::cubic && op.padding == SamplePadding::border) u = std::min(std::max(u, 0.0), n - 1);
  if (op.mode != SampleMode::cubic && op.padding == SamplePadding::reflection) u = reflected(u, low, high);
  if (op.mode == SampleMode::nearest) return {{u, 1}};
  const double begin = std::floor(u), f = u - begin;
  if (op.mode == SampleMode::linear) return {{begin, 1 - f}, {begin + 1, f}};
  std::vector<Tap> all;
  for (int k = -1; k <= 2; ++k) {
    const double t = std::abs(f - k), a = -0.75;
    const double near = (a + 2) * t * t * t - (a + 3) * t * t + 1,
                 far = a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a;
    all.push_back({begin + k, t <= 1 ? near : far});
  }
  return all;
}

/// The element of the axis that a tap is on; -1 for none.
std::int64_t element(const GridSample& op, double at, double n) {
  if (op.padding == SamplePadding::zeros) return at < 0 || at > n - 1 ? -1 : static_cast<std::int64_t>(at);
  if (op.padding == SamplePadding::reflection)
    at = std::trunc(reflected(at, op.align_corners ? 0 : -0.5, op.align_corners ? n - 1 : n - 0.5));
  return static_cast<std::int64_t>(std::min(std::max(at, 0.0), n - 1));
}

double by_definition(const GridSample& op, const Tensor& x, std::span<const double> g, const Index& y) {
  const std::size_t rank = g.size();
  std::vector<std::vector<Tap>> along;
  Shape combinations;
  for (std::size_t a = 0; a < rank; ++a) {
    along.push_back(taps(op, g[rank - 1 - a], static_cast<double>(x.shape()[a + 2])));
    combinations.push_back(static_cast<std::int64_t>(along.back().size()));
  }
  double sum = 0;
  testing::for_each_index(combinations, [&](const Index& t, std::size_t) {
    Index at = {y[0], y[1]};
    double weight = 1;
    for (std::size_t a = 0; a < rank; ++a) {
      const Tap& tap = along[a][static_cast<std::size_t>(t[a])];
      weight *= tap.weight;
      at.push_back(element(op, tap.at, static_cast<double>(x.shape()[a + 2])));
    }
    const std::int64_t position = testing::position_of(at, x.shape());
    if (position >= 0) sum += weight * x.as<double>()[static_cast<std::size_t>(position)];
  });
  return sum;
}

TEST(GridSample, EveryModeIsTheDefinition) {
  for (const auto& c : testing::sample_cases())
    for (const GridSample& op : testing::samplings()) {
      SCOPED_TRACE(ir::cat(c.what, ", ", ir::enum_name(op.mode), " ", ir::enum_name(op.padding)));
      const Tensor x = testing::random_tensor({DType::f64, c.x}, 1), grid = testing::grid_for(c, DType::f64, 2);
      const Tensor y = run_one(op, {x, grid});
      const std::size_t rank = c.points.size();
      testing::for_each_index(y.shape(), [&](const Index& index, std::size_t position) {
        Index point = {index[0]};
        point.insert(point.end(), index.begin() + 2, index.end());
        point.push_back(0);
        const auto first = static_cast<std::size_t>(testing::position_of(point, grid.shape()));
        const double expected = by_definition(op, x, grid.as<double>().subspan(first, rank), index);
        ASSERT_NEAR(y.as<double>()[position], expected, 1e-12 * (1 + std::abs(expected))) << position;
      });
    }
}

std::vector<double> sampled(const GridSample& op, const std::vector<double>& x, const std::vector<double>& points) {
  const auto extent = [](const std::vector<double>& list) { return static_cast<std::int64_t>(list.size()); };
  const Tensor y =
      run_one(op, {Tensor::of<double>({1, 1, extent(x)}, x), Tensor::of<double>({1, extent(points), 1}, points)});
  return {y.as<double>().begin(), y.as<double>().end()};
}

using Values = std::vector<double>;

TEST(GridSample, CentresCornersAndFarOutside) {
  const Values x = {1, 2, 4, 8};
  // Centres of four elements are at -0.75, -0.25, 0.25 and 0.75; edges at -1 and 1.
  const Values points = {-0.75, 0.25, -1, 1, -2, 1025, -infinity};
  EXPECT_EQ(sampled({SampleMode::linear, SamplePadding::zeros, false}, x, points), (Values{1, 4, 0.5, 4, 0, 0, 0}));
  EXPECT_EQ(sampled({SampleMode::linear, SamplePadding::border, false}, x, points), (Values{1, 4, 1, 8, 1, 8, 1}));
  EXPECT_EQ(sampled({SampleMode::nearest, SamplePadding::zeros, false}, x, points), (Values{1, 4, 1, 0, 0, 0, 0}));
  const Values corners = {-1, 1, 1.0 / 3, -5.0 / 3, 3};
  EXPECT_EQ(sampled({SampleMode::nearest, SamplePadding::reflection, true}, x, corners), (Values{1, 8, 4, 2, 1}));
  EXPECT_TRUE(std::isnan(sampled({SampleMode::linear, SamplePadding::reflection, true}, x, {infinity})[0]));
}

TEST(GridSample, TiesGoToEvenElements) {
  // Sources at 0.5, 1.5 and 2.5.
  EXPECT_EQ(sampled({SampleMode::nearest, SamplePadding::zeros, false}, {1, 2, 4, 8}, {-0.5, 0, 0.5}),
            (Values{1, 4, 4}));
}

TEST(GridSample, NaNCoordinatesGiveNaN) {
  for (const GridSample& op : testing::samplings()) {
    const Values y = sampled(op, {1, 2, 3}, {nan, 0});
    EXPECT_TRUE(std::isnan(y[0])) << ir::enum_name(op.mode) << " " << ir::enum_name(op.padding);
    EXPECT_FALSE(std::isnan(y[1]));
  }
}

TEST(AffineGrid, IsTheDefinition) {
  for (const bool align : {false, true})
    for (const std::vector<std::int64_t>& shape :
         std::vector<std::vector<std::int64_t>>{{4, 5}, {1, 3}, {2, 3, 4}, {1, 1, 1}, {0, 3}}) {
      const auto rank = static_cast<std::int64_t>(shape.size());
      const Tensor theta = testing::random_tensor({DType::f64, {2, rank, rank + 1}}, 3);
      const Tensor grid = run_one(AffineGrid{shape, align}, {theta});
      testing::for_each_index(grid.shape(), [&](const Index& i, std::size_t position) {
        const std::int64_t row = (i[0] * rank + i.back()) * (rank + 1);
        double sum = theta.as<double>()[static_cast<std::size_t>(row + rank)];
        for (std::int64_t k = 0; k < rank; ++k) {  // from the innermost axis
          const auto a = static_cast<std::size_t>(rank - k);
          const double at = static_cast<double>(i[a]), n = static_cast<double>(shape[a - 1]);
          const double v = !align ? (2 * at + 1) / n - 1 : n == 1 ? -1 : -1 + 2 * at / (n - 1);
          sum += theta.as<double>()[static_cast<std::size_t>(row + k)] * v;
        }
        ASSERT_NEAR(grid.as<double>()[position], sum, 1e-13) << position;
      });
    }
}

TEST(AffineGrid, TheIdentitySeesTheImageItself) {
  for (const bool align : {false, true}) {
    const Tensor x = testing::random_tensor({DType::f64, {1, 2, 5, 7}}, 1);
    const Tensor grid = run_one(AffineGrid{{5, 7}, align}, {Tensor::of<double>({1, 2, 3}, {1, 0, 0, 0, 1, 0})});
    const Tensor y = run_one(GridSample{.align_corners = align}, {x, grid});
    for (std::size_t i = 0; i < x.as<double>().size(); ++i) EXPECT_NEAR(y.as<double>()[i], x.as<double>()[i], 1e-13);
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::sampling_test
