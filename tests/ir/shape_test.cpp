#include "ir/shape.hpp"

#include <gtest/gtest.h>

#include "tests/support/noise.hpp"

namespace plumb::ir::shape_test {
namespace {

struct BroadcastCase {
  Shape a, b;
  std::optional<Shape> both;  ///< nothing: they do not fit
};

class Broadcasts : public ::testing::TestWithParam<BroadcastCase> {};

TEST_P(Broadcasts, AsNumpyDoes) {
  const auto& [a, b, both] = GetParam();
  EXPECT_EQ(broadcastable(a, b), both.has_value());
  EXPECT_EQ(broadcastable(b, a), both.has_value());
  if (both) {
    EXPECT_EQ(broadcast(a, b), *both);
    EXPECT_EQ(broadcast(b, a), *both);
    EXPECT_EQ(broadcasts_to(a, b), *both == b);
    EXPECT_TRUE(broadcasts_to(a, *both));
  } else {
    EXPECT_THROW(broadcast(a, b), Error);
    EXPECT_FALSE(broadcasts_to(a, b));
  }
}

INSTANTIATE_TEST_SUITE_P(, Broadcasts,
                         ::testing::Values(BroadcastCase{{}, {}, Shape{}}, BroadcastCase{{}, {2, 3}, Shape{2, 3}},
                                           BroadcastCase{{3}, {2, 3}, Shape{2, 3}},
                                           BroadcastCase{{2, 1}, {1, 3}, Shape{2, 3}},
                                           BroadcastCase{{1, 19, 1, 200}, {1, 19, 10, 200}, Shape{1, 19, 10, 200}},
                                           BroadcastCase{{0}, {1}, Shape{0}}, BroadcastCase{{2, 0}, {1}, Shape{2, 0}},
                                           BroadcastCase{{0}, {2}, {}}, BroadcastCase{{2}, {3}, {}},
                                           BroadcastCase{{2, 3}, {2}, {}}, BroadcastCase{{4, 2, 3}, {3, 3}, {}}));

TEST(Shapes, StridesAreZeroWhereAShapeIsStretched) {
  EXPECT_EQ((Shape{2, 3, 5}.strides()), (std::vector<std::int64_t>{15, 5, 1}));
  EXPECT_EQ(Shape{}.strides(), std::vector<std::int64_t>{});
  EXPECT_EQ(broadcast_strides({3, 1}, {2, 3, 5}), (std::vector<std::int64_t>{0, 1, 0}));
  EXPECT_EQ(broadcast_strides({}, {2, 3}), (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(broadcast_strides({2, 3}, {2, 3}), (std::vector<std::int64_t>{3, 1}));
}

TEST(Shapes, CountElements) {
  EXPECT_EQ(Shape{}.elements(), 1);
  EXPECT_EQ((Shape{3, 0, 5}.elements()), 0);
  EXPECT_EQ((Shape{1LL << 31, 1LL << 31}.elements()), 1LL << 62);
  EXPECT_THROW((Shape{1LL << 32, 1LL << 31}.elements()), Error);
  EXPECT_EQ((Shape{1LL << 32, 1LL << 32, 0}.elements()), 0);  // a zero comes last, but counts first
}

TEST(Shapes, AxesCountFromBothEnds) {
  const Shape shape{2, 3, 5};
  EXPECT_EQ(shape.axis(0), 0u);
  EXPECT_EQ(shape.axis(-1), 2u);
  EXPECT_EQ(shape.axis(-3), 0u);
  EXPECT_THROW(shape.axis(3), Error);
  EXPECT_THROW(shape.axis(-4), Error);
  EXPECT_THROW(Shape{}.axis(0), Error);
}

TEST(Shapes, LinesCoverEveryElementOnce) {
  const Shape shape{2, 3, 5};
  for (std::int64_t axis = -3; axis < 3; ++axis) {
    const Lines lines = along(shape, axis);
    EXPECT_EQ(lines.length, shape[shape.axis(axis)]);
    std::vector<int> seen(30, 0);
    for (std::int64_t line = 0; line < lines.count(); ++line)
      for (std::int64_t k = 0; k < lines.length; ++k) ++seen.at(lines.at(line, k));
    EXPECT_EQ(seen, std::vector<int>(30, 1)) << axis;
  }
}

TEST(Shapes, TypesThatNoGraphMayHoldAreRefused) {
  const auto refused = [](const TensorType& type) { return tests::message_of([&] { check_type(type); }); };
  EXPECT_EQ(refused({DType::f32, {1, 1, 1, 1, 1, 1, 1, 1}}), "");
  EXPECT_EQ(refused({DType::f32, {1, 1, 1, 1, 1, 1, 1, 1, 1}}),
            "f32[1, 1, 1, 1, 1, 1, 1, 1, 1] has rank 9, at most 8 is allowed");
  EXPECT_EQ(refused({DType::u8, {0, -1}}), "u8[0, -1] has a negative extent");
  EXPECT_EQ(refused({DType::u8, {1LL << 62}}), "");
  EXPECT_EQ(refused({DType::f32, {1LL << 62}}), "f32[4611686018427387904] has too many bytes");
}

}  // namespace
}  // namespace plumb::ir::shape_test
