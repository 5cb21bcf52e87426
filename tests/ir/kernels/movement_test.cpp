#include <gtest/gtest.h>

#include <limits>

#include "ir/graph.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/rope.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::movement_test {
namespace {

/// One node that must be refused, and why.
struct Refusal {
  std::string name;
  Op op;
  TensorTypes operands;
  std::string reason;
};

class Refused : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refused, SaysWhichCheckAndWhatItFound) {
  const Refusal& c = GetParam();
  EXPECT_EQ(tests::message_of([&] { infer(c.op, c.operands); }), c.reason);
}

constexpr auto f32 = DType::f32;
constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();

INSTANTIATE_TEST_SUITE_P(
    Shapes, Refused,
    ::testing::Values(
        Refusal{"reshape_C1_two_open",
                ops::Reshape{{-1, -1}},
                {{f32, {4}}},
                "shape must hold extents >= 0 and at most one -1: shape is [-1, -1] (C1)"},
        Refusal{"reshape_C1_negative",
                ops::Reshape{{-2, 2}},
                {{f32, {4}}},
                "shape must hold extents >= 0 and at most one -1: shape is [-2, 2] (C1)"},
        Refusal{"reshape_C2",
                ops::Reshape{{3, 2}},
                {{f32, {4}}},
                "shape must hold as many elements as x: x is f32[4], shape is [3, 2] (C2)"},
        Refusal{"reshape_C2_does_not_divide",
                ops::Reshape{{3, -1}},
                {{f32, {4}}},
                "shape must hold as many elements as x: x is f32[4], shape is [3, -1] (C2)"},
        Refusal{"reshape_C2_open_beside_none",
                ops::Reshape{{0, -1}},
                {{f32, {0}}},
                "shape must hold as many elements as x: x is f32[0], shape is [0, -1] (C2)"},
        Refusal{"reshape_of_more_than_63_bits",
                ops::Reshape{{most, most}},
                {{f32, {4}}},
                cat("[", most, ", ", most, "] has too many elements")},
        Refusal{"transpose_C1_twice",
                ops::Transpose{{0, 0}},
                {{f32, {2, 3}}},
                "permutation must hold each axis of x once: x is f32[2, 3], permutation is [0, 0] (C1)"},
        Refusal{"transpose_C1_too_few",
                ops::Transpose{{0}},
                {{f32, {2, 3}}},
                "permutation must hold each axis of x once: x is f32[2, 3], permutation is [0] (C1)"},
        Refusal{"transpose_C1_negative",
                ops::Transpose{{0, -1}},
                {{f32, {2, 3}}},
                "permutation must hold each axis of x once: x is f32[2, 3], permutation is [0, -1] (C1)"},
        Refusal{"expand_C1",
                ops::Expand{{2, 4}},
                {{f32, {2, 3}}},
                "x must broadcast to shape: x is f32[2, 3], shape is [2, 4] (C1)"},
        Refusal{"expand_C1_never_shrinks",
                ops::Expand{{1, 3}},
                {{f32, {2, 3}}},
                "x must broadcast to shape: x is f32[2, 3], shape is [1, 3] (C1)"},
        Refusal{"slice_C1_lengths",
                ops::Slice{{0}, {0, 1}, {1}, {}},
                {{f32, {3}}},
                "axes must be distinct, and starts, sizes and steps as many: 1 axes, 2 starts, 1 sizes (C1)"},
        Refusal{"slice_C1_steps",
                ops::Slice{{0}, {0}, {1}, {1, 1}},
                {{f32, {3}}},
                "axes must be distinct, and starts, sizes and steps as many: 1 axes, 2 steps (C1)"},
        Refusal{"slice_C1_distinct",
                ops::Slice{{1, -1}, {0, 0}, {1, 1}, {}},
                {{f32, {3, 3}}},
                "axes must be distinct, and starts, sizes and steps as many: axis -1 comes twice (C1)"},
        Refusal{"slice_C2_step",
                ops::Slice{{0}, {0}, {1}, {0}},
                {{f32, {3}}},
                "steps must not be 0 and sizes must be at least 0: axis 0 has step 0, size 1 (C2)"},
        Refusal{"slice_C2_size",
                ops::Slice{{0}, {0}, {-1}, {}},
                {{f32, {3}}},
                "steps must not be 0 and sizes must be at least 0: axis 0 has step 1, size -1 (C2)"},
        Refusal{"slice_C3_start",
                ops::Slice{{0}, {3}, {1}, {}},
                {{f32, {3}}},
                "the first and the last element taken must lie inside x: axis 0 of f32[3] has start 3, size 1, step 1 "
                "(C3)"},
        Refusal{"slice_C3_end",
                ops::Slice{{0}, {1}, {2}, {2}},
                {{f32, {3}}},
                "the first and the last element taken must lie inside x: axis 0 of f32[3] has start 1, size 2, step 2 "
                "(C3)"},
        Refusal{"slice_C3_overflows",
                ops::Slice{{0}, {2}, {most}, {least}},
                {{f32, {3}}},
                cat("the first and the last element taken must lie inside x: axis 0 of f32[3] has start 2, size ", most,
                    ", step ", least, " (C3)")}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Indexing, Refused,
    ::testing::Values(
        Refusal{"concat_C1", ops::Concat{0}, {}, "takes at least 1 input, given 0"},
        Refusal{
            "concat_C2_extent",
            ops::Concat{0},
            {{f32, {2, 3}}, {f32, {2, 4}}},
            "inputs must have equal ranks and extents except along axis: axis is 0, the first is f32[2, 3], another "
            "is f32[2, 4] (C2)"},
        Refusal{"concat_C2_rank",
                ops::Concat{0},
                {{f32, {2}}, {f32, {2, 1}}},
                "inputs must have equal ranks and extents except along axis: axis is 0, the first is f32[2], another "
                "is f32[2, 1] (C2)"},
        Refusal{"concat_scalars", ops::Concat{0}, {{f32, {}}}, "axis 0 is outside rank 0"},
        Refusal{"concat_dtypes", ops::Concat{0}, {{f32, {2}}, {DType::f16, {2}}}, "x must be f32 like x, got f16"},
        Refusal{"concat_too_long",
                ops::Concat{0},
                {{DType::u8, {most}}, {DType::u8, {most}}},
                "the joined axis is too long"},
        Refusal{"split_C1_sum",
                ops::Split{0, {1, 1}},
                {{f32, {3}}},
                "sizes must be at least one, each at least 0, and sum to the extent: x is f32[3], axis is 0, sizes are "
                "[1, 1] (C1)"},
        Refusal{"split_C1_negative",
                ops::Split{0, {4, -1}},
                {{f32, {3}}},
                "sizes must be at least one, each at least 0, and sum to the extent: x is f32[3], axis is 0, sizes are "
                "[4, -1] (C1)"},
        Refusal{"split_C1_none",
                ops::Split{0, {}},
                {{f32, {0}}},
                "sizes must be at least one, each at least 0, and sum to the extent: x is f32[0], axis is 0, sizes are "
                "[] (C1)"},
        Refusal{"gather_C1", ops::Gather{}, {{f32, {}}, {DType::i32, {2}}}, "x must have an axis: x is f32[] (C1)"},
        Refusal{"gather_C2",
                ops::Gather{},
                {{f32, {0, 3}}, {DType::i32, {2}}},
                "the axis must have rows where there are indices: x is f32[0, 3], axis is 0, indices are i32[2] (C2)"},
        Refusal{"gather_by_floats", ops::Gather{}, {{f32, {2}}, {f32, {2}}}, "indices must be i32 or i64, got f32"},
        Refusal{"gather_beyond_rank_eight",
                ops::Gather{},
                {{f32, {2, 1, 1, 1, 1}}, {DType::i32, {1, 1, 1, 1, 1}}},
                "f32[1, 1, 1, 1, 1, 1, 1, 1, 1] has rank 9, at most 8 is allowed"}),
    [](const auto& tested) { return tested.param.name; });

const TensorType head{f32, {2, 3, 5, 8}};  // B, H, S, D
const TensorType table{f32, {7, 4}};

INSTANTIATE_TEST_SUITE_P(
    Rope, Refused,
    ::testing::Values(
        Refusal{"C1_odd",
                ops::Rope{.rotary_dim = 3},
                {head, table, table},
                "rotary_dim must be even and within D: x is f32[2, 3, 5, 8], rotary_dim is 3 (C1)"},
        Refusal{"C1_wide",
                ops::Rope{.rotary_dim = 10},
                {head, table, table},
                "rotary_dim must be even and within D: x is f32[2, 3, 5, 8], rotary_dim is 10 (C1)"},
        Refusal{"C1_odd_depth",
                ops::Rope{},
                {{f32, {2, 3, 5, 7}}, table, table},
                "rotary_dim must be even and within D: x is f32[2, 3, 5, 7], rotary_dim is 0 (C1)"},
        Refusal{
            "C2_columns",
            ops::Rope{.rotary_dim = 4},
            {head, table, table},
            "cos must be [P, n/2] or, without positions, [B, S, n/2]: x is f32[2, 3, 5, 8], rotary_dim is 4, cos is "
            "f32[7, 4] (C2)"},
        Refusal{
            "C2_layout",
            ops::Rope{.layout = ops::RopeLayout::bshd},
            {head, {f32, {2, 5, 4}}, {f32, {2, 5, 4}}},
            "cos must be [P, n/2] or, without positions, [B, S, n/2]: x is f32[2, 3, 5, 8], rotary_dim is 0, cos is "
            "f32[2, 5, 4] (C2)"},
        Refusal{
            "C2_positions",
            ops::Rope{.has_positions = true},
            {head, {f32, {2, 5, 4}}, {f32, {2, 5, 4}}, {DType::i32, {5}}},
            "cos must be [P, n/2] or, without positions, [B, S, n/2]: x is f32[2, 3, 5, 8], rotary_dim is 0, cos is "
            "f32[2, 5, 4], with positions (C2)"},
        Refusal{"C3_past_the_table",
                ops::Rope{.offset = 3},
                {head, table, table},
                "offset must be 0 or, for [P, n/2] without positions, leave S rows of the table: x is f32[2, 3, 5, 8], "
                "cos is f32[7, 4], offset is 3 (C3)"},
        Refusal{"C3_with_positions",
                ops::Rope{.offset = 1, .has_positions = true},
                {head, table, table, {DType::i64, {5}}},
                "offset must be 0 or, for [P, n/2] without positions, leave S rows of the table: x is f32[2, 3, 5, 8], "
                "cos is f32[7, 4], offset is 1 (C3)"},
        Refusal{"C4", ops::Rope{}, {{f32, {5, 8}}, table, table}, "x must have rank 4: x is f32[5, 8] (C4)"},
        Refusal{"C5",
                ops::Rope{},
                {head, table, {f32, {5, 4}}},
                "sin must have the shape of cos: cos is f32[7, 4], sin is f32[5, 4] (C5)"},
        Refusal{"C6",
                ops::Rope{.has_positions = true},
                {head, table, table, {DType::i32, {1, 5}}},
                "positions must be [B, S] or [S]: x is f32[2, 3, 5, 8], positions are i32[1, 5] (C6)"}),
    [](const auto& tested) { return tested.param.name; });

TEST(Reshape, TheOpenExtentIsWhatTheOthersLeave) {
  EXPECT_EQ(infer(ops::Reshape{{3, -1, 2}}, TensorTypes{{f32, {12}}})[0].shape, (Shape{3, 2, 2}));
  EXPECT_EQ(infer(ops::Reshape{{3, -1}}, TensorTypes{{f32, {0}}})[0].shape, (Shape{3, 0}));
}

TEST(Rope, TakesTheLastOffsetThatFits) {
  EXPECT_EQ(infer(ops::Rope{.offset = 2}, TensorTypes{head, table, table})[0], head);
}

}  // namespace
}  // namespace plumb::ir::movement_test
