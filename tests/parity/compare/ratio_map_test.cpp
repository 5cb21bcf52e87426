#include "parity/compare/ratio_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "parity/compare/compare.hpp"
#include "parity/core/parallel.hpp"

namespace plumb::parity::ratio_map_test {
namespace {

using compare::MapExtents;
using compare::RatioMap;
using Rule = compare::Allowed::Rule;

TEST(RatioMap, HasAByteForEveryRatio) {
  EXPECT_EQ(RatioMap::code_of(0), 0);
  EXPECT_EQ(RatioMap::code_of(0x1p-9), 0);
  EXPECT_EQ(RatioMap::code_of(0x1p-4), 64);  // 127 - 63.5
  EXPECT_EQ(RatioMap::code_of(1), 127);
  EXPECT_EQ(RatioMap::code_of(std::nextafter(1.0, 2.0)), 128);
  EXPECT_EQ(RatioMap::code_of(16), 191);  // 127 + 63.5
  EXPECT_EQ(RatioMap::code_of(0x1p8), 254);
  EXPECT_EQ(RatioMap::code_of(1e300), 254);
  EXPECT_EQ(RatioMap::code_of(std::numeric_limits<double>::infinity()), 255);
  EXPECT_EQ(RatioMap::exponent_of(127), 0);
  EXPECT_EQ(RatioMap::exponent_of(254), 8);
}

/// The map by looking at each element, which is off by `off` where 1 is allowed.
std::vector<std::uint8_t> by_hand(const std::vector<double>& off, const MapExtents& extents) {
  std::vector<std::uint8_t> cells(RatioMap::side * RatioMap::side);
  for (std::size_t i = 0; i < off.size(); ++i) {
    std::size_t row = i / extents.columns % extents.rows, column = i % extents.columns;
    if (extents.rows > 64) row = row * 64 / extents.rows;
    if (extents.columns > 64) column = column * 64 / extents.columns;
    std::uint8_t& cell = cells[row * 64 + column];
    cell = std::max(cell, RatioMap::code_of(std::isnan(off[i]) ? INFINITY : std::abs(off[i])));
  }
  return cells;
}

struct Pair {
  ir::Tensor truth, got;
  std::vector<double> off;
};

Pair pair_of(const ir::Shape& shape, bool with_nan) {
  std::mt19937 random(5);
  std::lognormal_distribution<double> size(-3, 2);
  std::vector<double> y, off;
  std::vector<float> c;
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    y.push_back(static_cast<double>(i % 17));
    const double wanted = i % 3 == 0 ? 0 : size(random);
    const bool is_nan = with_nan && i == shape.elements() / 2;
    c.push_back(is_nan ? NAN : static_cast<float>(y.back() + wanted));
    off.push_back(is_nan ? NAN : static_cast<double>(c.back()) - y.back());
  }
  return {ir::Tensor::of(shape, y), ir::Tensor::of(shape, c), off};
}

TEST(RatioMap, IsOfEveryElementInBlocksAndOneByOne) {
  const compare::Allowed one{.rule = Rule::within, .absolute = 1};
  const ir::Shape shapes[] = {{}, {5}, {1000}, {7, 64}, {130, 513}, {3, 70, 200}, {2, 3, 1, 1031}, {4099, 3}};
  for (const ir::Shape& shape : shapes)
    for (const bool with_nan : {false, true}) {
      const MapExtents extents = MapExtents::of_last_axes(shape);
      const Pair pair = pair_of(shape, with_nan);
      const compare::Comparison found = compare::compare(pair.truth, pair.got, one, extents);
      EXPECT_EQ(found.map.cells, by_hand(pair.off, extents)) << ir::cat(ir::TensorType{ir::DType::f32, shape});
      EXPECT_EQ(found.map.extents, extents);
      const core::ThreadLimit alone(1);
      EXPECT_EQ(compare::compare(pair.truth, pair.got, one, extents).map, found.map);
    }
}

TEST(RatioMap, IsThereWhereItWasAskedFor) {
  const Pair pair = pair_of({9, 9}, false);
  EXPECT_FALSE(compare::compare(pair.truth, pair.got, {.rule = Rule::within, .absolute = 1}).map.is_made());
}

TEST(RatioMap, ShowsWhatIsNotExactAsNotFinite) {
  const auto truth = ir::Tensor::of<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto got = ir::Tensor::of<std::int32_t>({2, 3}, {1, 2, 3, 4, 7, 6});
  const RatioMap map = compare::compare(truth, got, {}, MapExtents{2, 3}).map;
  EXPECT_EQ(map.used_rows(), 2u);
  EXPECT_EQ(map.used_columns(), 3u);
  EXPECT_EQ(map.at(1, 1), RatioMap::not_finite);
  EXPECT_EQ(std::ranges::count(map.cells, 0), 4095);
}

TEST(RatioMap, OfNothingIsEmpty) {
  const ir::Tensor none({ir::DType::f64, {0, 3}});
  const RatioMap map = compare::compare(none, none, {}, MapExtents::of_last_axes(none.shape())).map;
  EXPECT_EQ(map.used_rows(), 0u);
  EXPECT_EQ(std::ranges::count(map.cells, 0), 4096);
}

TEST(RatioMap, LeavesOutElementsApart) {
  auto limits = std::make_shared<compare::Limits>(
      compare::Limits{ir::Tensor::of<double>({3}, {1, 1, 1}), ir::Tensor({ir::DType::f64, {0}}), {false, true, false}});
  const compare::Allowed allowed{.rule = Rule::within, .limits = limits};
  const auto truth = ir::Tensor::of<double>({3}, {0, 0, 0}), got = ir::Tensor::of<double>({3}, {1, 99, 0});
  const RatioMap map = compare::compare(truth, got, allowed, MapExtents{1, 3}).map;
  EXPECT_EQ(map.at(0, 0), 127);
  EXPECT_EQ(map.at(0, 1), 0);
}

}  // namespace
}  // namespace plumb::parity::ratio_map_test
