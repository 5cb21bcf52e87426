#include <gtest/gtest.h>

#include <limits>

#include "ir/ops/bitcast.hpp"
#include "ir/ops/one_hot.hpp"
#include "ir/ops/range.hpp"
#include "ir/ops/reverse_sequence.hpp"
#include "ir/ops/trilu.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::placing_test {
namespace {

using namespace ops;

TensorTypes types(const Op& op, const TensorTypes& in) { return infer(op, in); }
std::string refusal(const Op& op, const TensorTypes& in) {
  return tests::message_of([&] { infer(op, in); });
}
bool refused_by(std::string_view number, const Op& op, const TensorTypes& in) {
  return refusal(op, in).find(number) != std::string::npos;
}

TEST(TriluTypes, TakesMatrices) {
  EXPECT_EQ(types(Trilu{}, {{DType::boolean, {2, 0, 3}}}), (TensorTypes{{DType::boolean, {2, 0, 3}}}));
  EXPECT_EQ(refusal(Trilu{}, {{DType::f32, {3}}}), "x must be of rank 2 at least: x is f32[3] (C1)");
}

TEST(OneHotTypes, DepthIsInsertedAtTheAxis) {
  const auto shape = [](std::int64_t axis) {
    return types(OneHot{7, axis}, {{DType::i64, {2, 3}}, {DType::f16, {2}}}).front().shape;
  };
  EXPECT_EQ(shape(0), (Shape{7, 2, 3}));
  EXPECT_EQ(shape(-2), (Shape{2, 7, 3}));
  EXPECT_EQ(shape(2), (Shape{2, 3, 7}));
  EXPECT_EQ(types(OneHot{7}, {{DType::i32, {}}, {DType::c64, {2}}}), (TensorTypes{{DType::c64, {7}}}));
}

TEST(OneHotTypes, Refuses) {
  EXPECT_EQ(refusal(OneHot{0}, {{DType::i64, {2}}, {DType::f32, {2}}}), "depth must be at least 1: depth is 0 (C1)");
  EXPECT_EQ(refusal(OneHot{3}, {{DType::i64, {2}}, {DType::f32, {3}}}),
            "values must hold two elements: off, on: values are f32[3] (C2)");
  EXPECT_EQ(refusal(OneHot{3, 2}, {{DType::i64, {2}}, {DType::f32, {2}}}), "axis 2 is outside rank 2");
  EXPECT_NE(refusal(OneHot{3}, {{DType::f32, {2}}, {DType::f32, {2}}}), "");
}

TEST(RangeTypes, Refuses) {
  EXPECT_EQ(types(Range{0, 1, 5, DType::u8}, {}), (TensorTypes{{DType::u8, {5}}}));
  EXPECT_EQ(refusal(Range{0, 1, -1}, {}), "count must be at least 0: count is -1 (C1)");
  EXPECT_EQ(refusal(Range{0, 0.5, 3, DType::i32}, {}),
            "dtype must be of reals or integers, start and delta those of integers integral: start is 0, delta is 0.5 "
            "(C2)");
  EXPECT_TRUE(refused_by("(C2)", Range{0x1p63, 1, 3, DType::i64}, {}));
  EXPECT_TRUE(refused_by("(C2)", Range{0, std::numeric_limits<double>::quiet_NaN(), 3, DType::i64}, {}));
  EXPECT_TRUE(refused_by("(C2)", Range{0, 1, 3, DType::boolean}, {}));
}

TEST(BitcastTypes, Refuses) {
  EXPECT_EQ(types(Bitcast{DType::f32}, {{DType::i32, {2, 0}}}), (TensorTypes{{DType::f32, {2, 0}}}));
  EXPECT_EQ(refusal(Bitcast{DType::i64}, {{DType::f32, {2}}}),
            "x and `to` must have elements of the same width: x is f32[2], to is i64 (C1)");
  EXPECT_EQ(refusal(Bitcast{DType::u8}, {{DType::boolean, {2}}}),
            "x and `to` must not be bool: x is bool[2], to is u8 (C2)");
  EXPECT_TRUE(refused_by("(C2)", Bitcast{DType::boolean}, {{DType::i8, {2}}}));
}

TEST(ReverseSequenceTypes, Refuses) {
  EXPECT_EQ(types(ReverseSequence{}, {{DType::f32, {4, 2}}, {DType::i32, {2}}}), (TensorTypes{{DType::f32, {4, 2}}}));
  EXPECT_EQ(refusal(ReverseSequence{-1, 1}, {{DType::f32, {4, 2}}, {DType::i64, {2}}}),
            "x must be of rank 2 at least and the axes must differ: x is f32[4, 2], the axes are -1 and 1 (C1)");
  EXPECT_TRUE(refused_by("(C1)", ReverseSequence{}, {{DType::f32, {4}}, {DType::i64, {4}}}));
  EXPECT_EQ(refusal(ReverseSequence{}, {{DType::f32, {4, 2}}, {DType::i64, {4}}}),
            "lengths must have the extent of the batch axis: x is f32[4, 2], lengths are i64[4] (C2)");
  EXPECT_TRUE(refused_by("(C2)", ReverseSequence{}, {{DType::f32, {4, 2}}, {DType::i64, {2, 1}}}));
}

}  // namespace
}  // namespace plumb::ir::placing_test
