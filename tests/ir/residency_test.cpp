// Boxes of tensors as contiguous stretches.
#include "ir/residency.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/noise.hpp"

namespace plumb::ir::residency_test {
namespace {

/// Where the elements of a box lie in the tensor, one by one.
std::vector<std::size_t> places(const TensorType& type, const Box& box) {
  std::vector<std::size_t> places{0};
  for (std::size_t axis = 0; axis < type.shape.size(); ++axis) {
    std::vector<std::size_t> inner;
    for (const std::size_t outer : places)
      for (std::int64_t i = 0; i < box.extents[axis]; ++i)
        inner.push_back(outer * static_cast<std::size_t>(type.shape[axis]) +
                        static_cast<std::size_t>(box.starts[axis] + i));
    places = inner;
  }
  return places;
}

TEST(Box, ItsStretchesAreItsElementsInOrder) {
  std::mt19937 random(7);
  const auto up_to = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
  for (int round = 0; round < 500; ++round) {
    TensorType type{DType::i16, {}};
    Box box;
    for (std::int64_t axis = up_to(4); axis-- > 0;) {
      type.shape.push_back(up_to(5));
      box.starts.push_back(up_to(type.shape.back()));
      box.extents.push_back(up_to(2) == 0 && box.starts.back() == 0 ? type.shape.back()
                                                                    : up_to(type.shape.back() - box.starts.back()));
    }
    std::vector<std::size_t> found;
    std::size_t in_box = 0;
    for (const Stretch& stretch : stretches(type, box)) {
      EXPECT_EQ(stretch.in_box, in_box);
      for (std::size_t b = 0; b < stretch.bytes; b += 2) found.push_back((stretch.in_tensor + b) / 2);
      in_box += stretch.bytes;
    }
    EXPECT_EQ(found, places(type, box)) << type << " from " << Shape(box.starts) << " of " << Shape(box.extents);
  }
}

TEST(Box, IsAsFewStretchesAsItCanBe) {
  const TensorType type{DType::f32, {3, 4, 5, 6}};
  const auto count = [&](const Box& box) { return stretches(type, box).size(); };
  EXPECT_EQ(count({}), 1u);
  EXPECT_EQ(count({{0, 0, 0, 0}, {3, 4, 5, 6}}), 1u);
  EXPECT_EQ(count({{1, 0, 0, 0}, {2, 4, 5, 6}}), 1u);
  EXPECT_EQ(count({{1, 2, 0, 0}, {2, 1, 5, 6}}), 2u);
  EXPECT_EQ(count({{1, 2, 3, 0}, {1, 1, 2, 6}}), 1u);
  EXPECT_EQ(count({{0, 0, 0, 5}, {3, 4, 5, 1}}), 60u);
  EXPECT_EQ(stretches({DType::f64, {}}, {}).size(), 1u);
  EXPECT_EQ(stretches({DType::f64, {0, 3}}, {}).size(), 0u);
}

}  // namespace
}  // namespace plumb::ir::residency_test
