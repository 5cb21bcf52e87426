#include <gtest/gtest.h>

#include "ir/ops/gather_elements.hpp"
#include "ir/ops/gather_nd.hpp"
#include "ir/ops/scatter_add.hpp"
#include "ir/ops/scatter_elements.hpp"
#include "ir/ops/scatter_nd.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::indexing_test {
namespace {

using namespace ops;

std::string refusal(const Op& op, const TensorTypes& in) {
  return tests::message_of([&] { infer(op, in); });
}

TensorTypes operands(const Shape& x, const Shape& indices) { return {{DType::f16, x}, {DType::i32, indices}}; }

TEST(GatherElementsTypes, ResultHasTheShapeOfTheIndices) {
  EXPECT_EQ(infer(GatherElements{1}, operands({3, 4}, {2, 9})), (TensorTypes{{DType::f16, {2, 9}}}));
  EXPECT_EQ(infer(GatherElements{-1}, operands({3, 0}, {0, 5})), (TensorTypes{{DType::f16, {0, 5}}}));
}

TEST(GatherElementsTypes, Refuses) {
  EXPECT_EQ(refusal(GatherElements{}, operands({}, {})),
            "x and indices must have the same rank, of at least 1: x is f16[], indices are i32[] (C1)");
  EXPECT_NE(refusal(GatherElements{}, operands({2, 3}, {2})).find("(C1)"), std::string::npos);
  EXPECT_EQ(refusal(GatherElements{1}, operands({2, 3}, {3, 1})),
            "an extent of indices must not exceed that of x on another axis than `axis`: axis 0, x is f16[2, 3], "
            "indices are i32[3, 1] (C2)");
  EXPECT_EQ(refusal(GatherElements{2}, operands({2, 3}, {2, 3})), "axis 2 is outside rank 2");
  EXPECT_NE(refusal(GatherElements{}, {{DType::f32, {2}}, {DType::u32, {2}}}), "");
}

TEST(GatherNdTypes, SlicesFollowTheTuples) {
  EXPECT_EQ(infer(GatherNd{}, operands({3, 4, 5}, {7, 2})), (TensorTypes{{DType::f16, {7, 5}}}));
  EXPECT_EQ(infer(GatherNd{}, operands({3, 4}, {2})), (TensorTypes{{DType::f16, {}}}));
  EXPECT_EQ(infer(GatherNd{1}, operands({2, 3, 4}, {2, 6, 1})), (TensorTypes{{DType::f16, {2, 6, 4}}}));
}

TEST(GatherNdTypes, Refuses) {
  EXPECT_EQ(refusal(GatherNd{2}, operands({2, 3}, {2, 3, 1})),
            "batch_dims must be at least 0 and less than either rank: batch_dims is 2, x is f16[2, 3], indices are "
            "i32[2, 3, 1] (C1)");
  EXPECT_NE(refusal(GatherNd{-1}, operands({2, 3}, {2, 1})).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal(GatherNd{}, operands({}, {1})).find("(C1)"), std::string::npos);
  EXPECT_EQ(refusal(GatherNd{1}, operands({2, 3}, {3, 1})),
            "the leading `batch_dims` extents must be equal: batch_dims is 1, x is f16[2, 3], indices are i32[3, 1] "
            "(C2)");
  EXPECT_EQ(refusal(GatherNd{}, operands({2, 3}, {4, 3})),
            "the last extent of indices must be at least 1 and at most the rank of x without batch_dims: batch_dims is "
            "0, x is f16[2, 3], indices are i32[4, 3] (C3)");
  EXPECT_NE(refusal(GatherNd{1}, operands({2, 3}, {2, 4, 2})).find("(C3)"), std::string::npos);
  EXPECT_NE(refusal(GatherNd{}, operands({2, 3}, {2, 0})).find("(C3)"), std::string::npos);
}

TensorTypes operands(const Shape& x, const Shape& indices, const Shape& updates) {
  return {{DType::f16, x}, {DType::i32, indices}, {DType::f16, updates}};
}

constexpr auto add = kernels::ScatterReduction::add;

TEST(ScatterElementsTypes, Refuses) {
  EXPECT_EQ(infer(ScatterElements{1}, operands({3, 4}, {2, 9}, {2, 9})), (TensorTypes{{DType::f16, {3, 4}}}));
  EXPECT_EQ(refusal(ScatterElements{}, operands({3, 4}, {2, 4}, {2, 3})),
            "x, indices and updates must have the same rank, and indices the shape of updates: x is f16[3, 4], indices "
            "are i32[2, 4], updates are f16[2, 3] (C1)");
  EXPECT_NE(refusal(ScatterElements{}, operands({3, 4}, {2}, {2})).find("(C1)"), std::string::npos);
  EXPECT_EQ(refusal(ScatterElements{0}, operands({3, 4}, {2, 5}, {2, 5})),
            "an extent of indices must not exceed that of x on another axis than `axis`: axis 1, x is f16[3, 4], "
            "indices are i32[2, 5] (C2)");
  const TensorTypes flags = {{DType::boolean, {2}}, {DType::i64, {1}}, {DType::boolean, {1}}};
  EXPECT_EQ(refusal(ScatterElements{}, flags), "");
  EXPECT_EQ(refusal(ScatterElements{0, add}, flags),
            "x must be an integer or float tensor where updates are reduced: x is bool[2], reduction is add (C3)");
  EXPECT_NE(refusal(ScatterElements{}, {{DType::f32, {2}}, {DType::i64, {1}}, {DType::f16, {1}}}), "");
}

TEST(ScatterNdTypes, Refuses) {
  EXPECT_EQ(infer(ScatterNd{}, operands({3, 4, 5}, {7, 2}, {7, 5})), (TensorTypes{{DType::f16, {3, 4, 5}}}));
  EXPECT_EQ(refusal(ScatterNd{}, operands({3, 4}, {2, 3}, {2})),
            "the last extent of indices must be at least 1 and at most the rank of x: x is f16[3, 4], indices are "
            "i32[2, 3] (C1)");
  EXPECT_NE(refusal(ScatterNd{}, operands({3}, {2, 0}, {2, 3})).find("(C1)"), std::string::npos);
  EXPECT_NE(refusal(ScatterNd{}, operands({3}, {}, {3})).find("(C1)"), std::string::npos);
  EXPECT_EQ(refusal(ScatterNd{}, operands({3, 4}, {2, 1}, {2, 3})),
            "updates must be a slice of x for every tuple of indices: x is f16[3, 4], indices are i32[2, 1], updates "
            "are f16[2, 3], wanted [2, 4] (C2)");
  const TensorTypes complex = {{DType::c64, {2}}, {DType::i64, {1, 1}}, {DType::c64, {1}}};
  EXPECT_EQ(refusal(ScatterNd{}, complex), "");
  EXPECT_NE(refusal(ScatterNd{add}, complex).find("(C3)"), std::string::npos);
}

TEST(ScatterAddTypes, IsTheAdjointOfGather) {
  EXPECT_EQ(infer(ScatterAdd{1, 9}, operands({3, 4, 5, 2}, {4, 5})), (TensorTypes{{DType::f16, {3, 9, 2}}}));
  EXPECT_EQ(infer(ScatterAdd{-1, 9}, operands({3, 4, 5}, {4, 5})), (TensorTypes{{DType::f16, {3, 9}}}));
  EXPECT_EQ(infer(ScatterAdd{0, 0}, operands({0, 5}, {0})), (TensorTypes{{DType::f16, {0, 5}}}));
  EXPECT_EQ(infer(ScatterAdd{0, 3}, operands({5}, {})), (TensorTypes{{DType::f16, {3, 5}}}));
}

TEST(ScatterAddTypes, Refuses) {
  EXPECT_EQ(refusal(ScatterAdd{1, 9}, operands({3, 4}, {3})),
            "updates must have the extents of indices from `axis` on: updates are f16[3, 4], indices are i32[3], axis "
            "is 1 (C1)");
  EXPECT_NE(refusal(ScatterAdd{0, 9}, operands({3}, {3, 1})).find("(C1)"), std::string::npos);
  EXPECT_EQ(refusal(ScatterAdd{0, -1}, operands({3, 4}, {3})), "size must be at least 0: got -1 (C2)");
  EXPECT_EQ(refusal(ScatterAdd{2, 9}, operands({3, 4}, {3})), "axis 2 is outside rank 2");
  EXPECT_NE(refusal(ScatterAdd{0, 9}, {{DType::c64, {3}}, {DType::i32, {3}}}), "");
}

}  // namespace
}  // namespace plumb::ir::indexing_test
