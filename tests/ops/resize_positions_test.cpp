// Where resizes look, and what they weigh, against exact rational arithmetic that shares nothing with the kernels.
#include <gtest/gtest.h>

#include <numeric>

#include "ir/convert.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/exact_resize.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::resize_positions_test {
namespace {

using ir::DType;
using ir::enum_name;
using ir::Tensor;
using testing::ExactAxis;
using testing::Rational;
using namespace ir::ops;

constexpr std::array all_coordinates = {ResizeCoordinate::half_pixel,          ResizeCoordinate::half_pixel_symmetric,
                                        ResizeCoordinate::pytorch_half_pixel,  ResizeCoordinate::align_corners,
                                        ResizeCoordinate::asymmetric,          ResizeCoordinate::tf_crop_and_resize,
                                        ResizeCoordinate::tf_half_pixel_for_nn};
constexpr std::array all_nearest = {NearestMode::round_prefer_floor, NearestMode::round_prefer_ceil, NearestMode::floor,
                                    NearestMode::ceil};

/// Two axes and the op that resizes both: a graph of such nodes asks for twice as many pairs of extents.
struct Plane {
  ExactAxis rows, columns;
  Resize op;
};

ExactAxis by_sizes(std::int64_t n, std::int64_t m) { return {n, m, Rational(m, n)}; }

constexpr double crop_begin = 0.1f, crop_end = 1.1f;  ///< a region that hangs over the end

Resize resize_of(const ExactAxis& rows, const ExactAxis& columns, ResizeCoordinate coordinate) {
  Resize op{.axes = {0, 1}, .sizes = {rows.m, columns.m}, .coordinate = coordinate, .extrapolation_value = -1};
  if (coordinate == ResizeCoordinate::tf_crop_and_resize) op.roi = {0.25, crop_begin, 0.875, crop_end};
  return op;
}

/// Every pair of extents from 1 to 40, the n-th with the n-th from behind.
std::vector<Plane> all_pairs(ResizeCoordinate coordinate, NearestMode nearest) {
  constexpr std::int64_t most = 40, pairs = most * most;
  const auto pair = [](std::int64_t i) { return by_sizes(i / most + 1, i % most + 1); };
  std::vector<Plane> planes;
  for (std::int64_t i = 0; i < pairs / 2; ++i) {
    Plane plane{pair(i), pair(pairs - 1 - i), {}};
    plane.op = resize_of(plane.rows, plane.columns, coordinate);
    plane.op.nearest_mode = nearest;
    if (!plane.op.roi.empty()) {
      plane.rows.roi_begin = Rational::of(0.25);
      plane.rows.roi_end = Rational::of(0.875);
      plane.columns.roi_begin = Rational::of(crop_begin);
      plane.columns.roi_end = Rational::of(crop_end);
    }
    planes.push_back(std::move(plane));
  }
  return planes;
}

/// The places of x that outputs are; -1 outside.
std::vector<std::int64_t> places(const Resize& op, const ExactAxis& axis) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < axis.m; ++i) {
    const Rational u = testing::exact_source(op.coordinate, axis, i);
    const bool outside = op.coordinate == ResizeCoordinate::tf_crop_and_resize && testing::is_outside(axis, u);
    all.push_back(outside ? -1 : testing::exact_nearest(op.nearest_mode, axis, u));
  }
  return all;
}

std::vector<std::int32_t> expected_of(const Plane& plane) {
  std::vector<std::int32_t> y;
  const auto columns = places(plane.op, plane.columns);
  for (const std::int64_t row : places(plane.op, plane.rows))
    for (const std::int64_t column : columns)
      y.push_back(row < 0 || column < 0 ? -1 : static_cast<std::int32_t>(row * plane.columns.n + column));
  return y;
}

/// Runs all as one graph; each element of x is its own number.
void expect_places(ir::Executor& executor, const std::vector<Plane>& planes) {
  ir::Graph graph;
  ir::Feeds feeds;
  std::vector<ir::Value> inputs, results;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const ir::TensorType type{DType::i32, {planes[i].rows.n, planes[i].columns.n}};
    inputs.push_back(graph.input("x" + std::to_string(i), type));
    Tensor x(type);
    std::iota(x.as<std::int32_t>().begin(), x.as<std::int32_t>().end(), 0);
    feeds.emplace("x" + std::to_string(i), std::move(x));
  }
  for (std::size_t i = 0; i < planes.size(); ++i) {
    results.push_back(graph.add("y" + std::to_string(i), planes[i].op, {inputs[i]}));
    graph.returns(results.back());
  }
  const ir::Tensors made = executor.run(graph, feeds, results);
  for (std::size_t i = 0; i < planes.size(); ++i) {
    const auto y = made.at(results[i]).as<std::int32_t>();
    ASSERT_EQ(std::vector(y.begin(), y.end()), expected_of(planes[i]))
        << executor.name() << ": " << planes[i].rows.n << " to " << planes[i].rows.m << ", " << planes[i].columns.n
        << " to " << planes[i].columns.m << ", " << enum_name(planes[i].op.coordinate) << ", "
        << enum_name(planes[i].op.nearest_mode);
  }
}

TEST(ResizePositions, OfSizesAreExact) {
  ref_cpu::CpuExecutor cpu;
  for (const ResizeCoordinate coordinate : all_coordinates)
    for (const NearestMode nearest : all_nearest) {
      const std::vector<Plane> planes = all_pairs(coordinate, nearest);
      expect_places(cpu, planes);
      if (testing::gpu().executor != nullptr) expect_places(*testing::gpu().executor, planes);
    }
}

TEST(ResizePositions, OfScalesAreExact) {
  ref_cpu::CpuExecutor cpu;
  for (const double scale : {2.0, 0.75, 1.5, 3.0, 0.1, 0.3, 0.6, 1.7, static_cast<double>(0.3f),
                             static_cast<double>(0.6f), static_cast<double>(1 / 3.0f), static_cast<double>(3.1f)})
    for (const ResizeCoordinate coordinate : all_coordinates)
      for (const NearestMode nearest : all_nearest) {
        if (coordinate == ResizeCoordinate::tf_crop_and_resize) continue;  // looks at no scale
        // The length of x by a scale of 53 bits is rounded.
        if (coordinate == ResizeCoordinate::align_corners && static_cast<double>(static_cast<float>(scale)) != scale)
          continue;
        std::vector<Plane> planes;
        for (std::int64_t n = 1; n <= 40; ++n) {
          const auto m = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(n) * scale));
          const ExactAxis axis{n, m, Rational::of(scale)};
          planes.push_back({axis, by_sizes(1, 1), resize_of(axis, by_sizes(1, 1), coordinate)});
          planes.back().op.scales = {scale, 1};
          planes.back().op.nearest_mode = nearest;
        }
        expect_places(cpu, planes);
      }
}

TEST(ResizePositions, OfRatiosAreExact) {
  // Sizes that keep the ratio of 6 to 10: 3/5 of 7 is 4.2, rounded to 4.
  ref_cpu::CpuExecutor cpu;
  for (const ResizeCoordinate coordinate : all_coordinates)
    for (const NearestMode nearest : all_nearest) {
      std::vector<Plane> planes;
      for (std::int64_t n = 1; n <= 40; ++n)
        for (const auto& [y, x] : {std::pair{6, 10}, std::pair{7, 3}}) {
          const ExactAxis axis{n, std::max<std::int64_t>(1, (2 * n * y + x) / (2 * x)), Rational(y, x)};
          planes.push_back({axis, by_sizes(1, 1), resize_of(axis, by_sizes(1, 1), coordinate)});
          planes.back().op.ratios = {y, 1, x, 1};
          planes.back().op.nearest_mode = nearest;
          if (coordinate != ResizeCoordinate::tf_crop_and_resize) continue;
          planes.back().op.roi = {0, 0, 1, 1};
        }
      expect_places(cpu, planes);
    }
}

/// y of the unit matrix has a column of weights for every element of x.
void expect_weights(const Resize& op, const ExactAxis& axis, DType dtype, ir::Executor& executor, double unit) {
  Tensor unit_matrix({DType::f64, {axis.n, axis.n}});
  for (std::int64_t i = 0; i < axis.n; ++i) unit_matrix.as<double>()[static_cast<std::size_t>(i * (axis.n + 1))] = 1;
  const Tensor y = ir::convert(ir::run_op(executor, op, {ir::convert(unit_matrix, dtype)}).front(), DType::f64);
  for (std::int64_t i = 0; i < axis.m; ++i) {
    const Rational u = testing::exact_source(op.coordinate, axis, i);
    if (op.coordinate == ResizeCoordinate::tf_crop_and_resize && testing::is_outside(axis, u)) continue;
    const auto weights = testing::exact_weights(op, axis, u);
    for (std::int64_t j = 0; j < axis.n; ++j) {
      const Rational& exact = weights[static_cast<std::size_t>(j)];
      const double got = y.as<double>()[static_cast<std::size_t>(i * axis.n + j)];
      if (exact == Rational(0) && op.mode == ResizeMode::linear) {
        ASSERT_EQ(got, 0) << i << ", " << j;
      }
      ASSERT_NEAR(got, exact.rounded(), unit)
          << axis.n << " to " << axis.m << ", element " << i << ", weight of " << j << ", " << enum_name(op.coordinate)
          << (op.antialias ? ", antialias" : "") << (op.exclude_outside ? ", exclude_outside" : "");
    }
  }
}

std::vector<Resize> manners(const ExactAxis& axis) {
  std::vector<Resize> all;
  for (const ResizeCoordinate coordinate : all_coordinates)
    for (const ResizeMode mode : {ResizeMode::linear, ResizeMode::cubic})
      for (const bool antialias : {false, true})
        for (const bool exclude : {false, true}) {
          Resize op{.axes = {0}, .sizes = {axis.m}, .mode = mode, .coordinate = coordinate};
          op.antialias = antialias;
          op.exclude_outside = exclude;
          if (coordinate == ResizeCoordinate::tf_crop_and_resize) op.roi = {0.25, 0.875};
          all.push_back(op);
        }
  return all;
}

TEST(ResizeWeights, OfSizesAreExact) {
  ref_cpu::CpuExecutor cpu;
  for (std::int64_t n = 1; n <= 13; ++n)
    for (std::int64_t m = 1; m <= 13; ++m) {
      ExactAxis axis = by_sizes(n, m);
      for (const Resize& op : manners(axis)) {
        const bool crops = op.coordinate == ResizeCoordinate::tf_crop_and_resize;
        axis.roi_begin = crops ? Rational(1, 4) : 0;
        axis.roi_end = crops ? Rational(7, 8) : 1;
        // Where weights outside are left out, the sum of the others, by which they are divided, may be small.
        expect_weights(op, axis, DType::f64, cpu, op.exclude_outside ? 0x1p-44 : 0x1p-48);
        if (HasFatalFailure()) return;
      }
    }
}

/// 513 to 33 by corners is every 16th element; 65 to 100 and 1000 to 700 have sources beside whole numbers.
TEST(ResizeWeights, OfImagesAreExact) {
  ref_cpu::CpuExecutor cpu;
  for (const auto& [n, m] : {std::pair{513, 33}, std::pair{65, 100}, std::pair{200, 140}, std::pair{33, 513}})
    for (const ResizeCoordinate coordinate : {ResizeCoordinate::half_pixel, ResizeCoordinate::align_corners})
      for (const ResizeMode mode : {ResizeMode::linear, ResizeMode::cubic}) {
        const Resize op{.axes = {0}, .sizes = {m}, .mode = mode, .coordinate = coordinate};
        expect_weights(op, by_sizes(n, m), DType::f64, cpu, 0x1p-48);
        if (HasFatalFailure()) return;
        if (testing::gpu().executor == nullptr) continue;
        // One product with 1: a weight as f32 has it.
        expect_weights(op, by_sizes(n, m), DType::f32, *testing::gpu().executor, 0x1p-24);
        if (HasFatalFailure()) return;
      }
}

}  // namespace
}  // namespace plumb::resize_positions_test
