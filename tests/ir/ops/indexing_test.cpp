#include <gtest/gtest.h>

#include "ir/ops/gather_elements.hpp"
#include "ir/ops/gather_nd.hpp"
#include "tests/support/run_node.hpp"

namespace plumb::ir {
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

}  // namespace
}  // namespace plumb::ir
