#include "ir/kernels/strided_copy.hpp"

#include <gtest/gtest.h>

#include "ir/ops/slice.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::ir::strided_copy_test {

void PrintTo(const kernels::StridedCopy& copy, std::ostream* out) {
  *out << copy.width << " bytes, from " << copy.from << " to " << copy.to;
  for (const kernels::CopyAxis& axis : copy.axes)
    *out << " (" << axis.extent << ": " << axis.from << " -> " << axis.to << ')';
}

namespace {

kernels::StridedCopy transpose(DType dtype, const Shape& x, std::vector<std::int64_t> permutation) {
  const ops::Transpose op{std::move(permutation)};
  return op.copy({dtype, x}, infer(op, std::vector{TensorType{dtype, x}})[0].shape).simplified();
}

TEST(StridedCopy, MergesAxesThatStayNeighbours) {
  EXPECT_EQ(transpose(DType::f32, {2, 3, 5, 7}, {2, 3, 0, 1}), (kernels::StridedCopy{4, {{35, 1, 6}, {6, 35, 1}}}));
}

TEST(StridedCopy, DropsUnitAxes) {
  EXPECT_EQ(transpose(DType::f32, {3, 1, 5}, {2, 1, 0}), (kernels::StridedCopy{4, {{5, 1, 3}, {3, 5, 1}}}));
}

TEST(StridedCopy, MovesRunsAsElementsOfUpTo16Bytes) {
  // Rows of 24 halves are 3 elements of 16 bytes.
  EXPECT_EQ(transpose(DType::f16, {5, 7, 24}, {1, 0, 2}),
            (kernels::StridedCopy{16, {{7, 3, 15}, {5, 21, 3}, {3, 1, 1}}}));
  // Rows of 2 are one element of 4, and the copy a plain transposition.
  EXPECT_EQ(transpose(DType::f16, {5, 7, 2}, {1, 0, 2}), (kernels::StridedCopy{4, {{7, 1, 5}, {5, 7, 1}}}));
  // 25 is odd.
  EXPECT_EQ(transpose(DType::f16, {5, 7, 25}, {1, 0, 2}).width, 2u);
}

TEST(StridedCopy, WidensNoFurtherThanItsOffsetAllows) {
  const TensorType x{DType::u8, {64}};
  const auto width_from = [&](std::int64_t start) {
    return ops::Slice{{0}, {start}, {32}, {}}.copy(x, {32}).simplified().width;
  };
  EXPECT_EQ(width_from(16), 16u);
  EXPECT_EQ(width_from(8), 8u);
  EXPECT_EQ(width_from(2), 2u);
  EXPECT_EQ(width_from(3), 1u);
}

TEST(StridedCopy, KnowsThatMovedUnitAxesChangeNothing) {
  const ops::Transpose op{{1, 0, 2}};
  EXPECT_TRUE(op.copy({DType::f32, {1, 5, 7}}, {5, 1, 7}).is_plain());
  EXPECT_FALSE(op.copy({DType::f32, {2, 5, 7}}, {5, 2, 7}).is_plain());
}

TEST(StridedCopy, IsNotPlainWhenItStartsLater) {
  const ops::Slice op{{0}, {2}, {3}, {}};
  EXPECT_FALSE(op.copy({DType::f32, {5, 7}}, {3, 7}).is_plain());
  EXPECT_TRUE((ops::Slice{{0}, {0}, {3}, {}}.copy({DType::f32, {5, 7}}, {3, 7}).is_plain()));
}

}  // namespace
}  // namespace plumb::ir::strided_copy_test
