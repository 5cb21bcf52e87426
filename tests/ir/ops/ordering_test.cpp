#include <gtest/gtest.h>

#include "ir/ops/arg_reduce.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/hardmax.hpp"
#include "ir/ops/sort.hpp"
#include "ir/ops/top_k.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::ordering_test {
namespace {

using namespace ops;

const TensorType x23{DType::f32, {2, 3}};

std::string refusal(const Op& op, const TensorTypes& in) {
  return tests::message_of([&] { infer(op, in); });
}

TEST(ArgReduceTypes, TheAxisBecomesOneOrGoes) {
  const TensorType x{DType::u8, {2, 3, 5}};
  EXPECT_EQ(infer(ArgReduce{.axis = 1}, TensorTypes{x}), (TensorTypes{{DType::i64, {2, 1, 5}}}));
  EXPECT_EQ(infer(ArgReduce{.axis = -3, .keep_dims = false, .index_dtype = DType::i32}, TensorTypes{x}),
            (TensorTypes{{DType::i32, {3, 5}}}));
  EXPECT_EQ(infer(ArgReduce{.axis = 1}, TensorTypes{{DType::f32, {0, 3}}}), (TensorTypes{{DType::i64, {0, 1}}}));
}

TEST(ArgReduceTypes, Refuses) {
  EXPECT_EQ(refusal(ArgReduce{.axis = 1}, {{DType::f32, {2, 0}}}),
            "the axis must have elements: x is f32[2, 0], axis is 1 (C1)");
  EXPECT_EQ(refusal(ArgReduce{.index_dtype = DType::u32}, {x23}), "index_dtype must be i32 or i64: got u32 (C2)");
  EXPECT_EQ(refusal(ArgReduce{.axis = 2}, {x23}), "axis 2 is outside rank 2");
  EXPECT_NE(refusal(ArgReduce{}, {{DType::boolean, {2}}}), "");
  EXPECT_NE(refusal(ArgReduce{}, {{DType::c64, {2}}}), "");
}

TEST(HardmaxTypes, Refuses) {
  EXPECT_EQ(infer(Hardmax{}, TensorTypes{x23}), TensorTypes{x23});
  EXPECT_EQ(refusal(Hardmax{-3}, {x23}), "axis -3 is outside rank 2");
  EXPECT_NE(refusal(Hardmax{}, {{DType::boolean, {2}}}), "");
}

TEST(CumulativeTypes, ComplexNumbersHaveNoOrder) {
  const TensorType c{DType::c64, {2, 3}};
  EXPECT_EQ(refusal(Cumulative{CumulativeFunction::max}, {c}),
            "a complex x must be summed or multiplied: x is c64[2, 3], function is max (C1)");
  EXPECT_NE(refusal(Cumulative{CumulativeFunction::min}, {c}), "");
  for (const auto function : {CumulativeFunction::sum, CumulativeFunction::product})
    EXPECT_EQ(infer(Cumulative{function}, TensorTypes{c}), TensorTypes{c});
  EXPECT_EQ(refusal(Cumulative{.axis = 2}, {x23}), "axis 2 is outside rank 2");
  EXPECT_NE(refusal(Cumulative{}, {{DType::boolean, {2}}}), "");
}

TEST(SortTypes, Refuses) {
  EXPECT_EQ(infer(Sort{.index_dtype = DType::i32}, TensorTypes{x23}), (TensorTypes{x23, {DType::i32, {2, 3}}}));
  EXPECT_EQ(refusal(Sort{.index_dtype = DType::u8}, {x23}), "index_dtype must be i32 or i64: got u8 (C1)");
  EXPECT_EQ(refusal(Sort{}, {{DType::f32, {}}}), "axis -1 is outside rank 0");
  EXPECT_NE(refusal(Sort{}, {{DType::c64, {2}}}), "");
}

TEST(TopKTypes, Refuses) {
  EXPECT_EQ(infer(TopK{.k = 2, .axis = 0}, TensorTypes{x23}), (TensorTypes{x23, {DType::i64, {2, 3}}}));
  EXPECT_EQ(infer(TopK{.k = 0}, TensorTypes{x23}), (TensorTypes{{DType::f32, {2, 0}}, {DType::i64, {2, 0}}}));
  EXPECT_EQ(refusal(TopK{.k = 4}, {x23}),
            "k must be at least 0 and at most the extent of the axis: k is 4, x is f32[2, 3], axis is -1 (C1)");
  EXPECT_NE(refusal(TopK{.k = -1}, {x23}).find("(C1)"), std::string::npos);
  EXPECT_EQ(refusal(TopK{.index_dtype = DType::f32}, {x23}), "index_dtype must be i32 or i64: got f32 (C2)");
  EXPECT_NE(refusal(TopK{}, {{DType::boolean, {2}}}), "");
}

}  // namespace
}  // namespace plumb::ir::ordering_test
