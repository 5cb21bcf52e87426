#include <gtest/gtest.h>

#include "ir/graph.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::products_test {
namespace {

using namespace ops;

TensorType f32(Shape shape) { return {DType::f32, std::move(shape)}; }

/// The message with which `infer` refuses an op; "" when it takes the operands.
std::string refusal(const Op& op, const TensorTypes& in) {
  return tests::message_of([&] { infer(op, in); });
}

Shape shape_of(const Op& op, const TensorTypes& in) { return infer(op, in).at(0).shape; }

TEST(MatmulTypes, BroadcastsBatchesAndTurnsMatrices) {
  EXPECT_EQ(shape_of(Matmul{}, {f32({2, 1, 3, 4}), f32({5, 4, 6})}), (Shape{2, 5, 3, 6}));
  EXPECT_EQ(shape_of(Matmul{true, true, {}}, {f32({4, 3}), f32({6, 4})}), (Shape{3, 6}));
  EXPECT_EQ(shape_of(Matmul{}, {f32({3, 0}), f32({0, 2})}), (Shape{3, 2}));
  const TensorTypes halves(2, {DType::bf16, {1, 1}});
  EXPECT_EQ(infer(Matmul{false, false, DType::f32}, halves)[0].dtype, DType::f32);
  const TensorTypes f16(2, {DType::f16, {1, 1}});
  EXPECT_EQ(infer(Matmul{.output_dtype = DType::f32, .accumulator = DType::f16}, f16)[0].dtype, DType::f32);
}

TEST(MatmulTypes, Refuses) {
  EXPECT_EQ(refusal(Matmul{}, {f32({3}), f32({3, 2})}), "ranks must be at least 2: a is f32[3], b is f32[3, 2] (C1)");
  EXPECT_EQ(refusal(Matmul{true, false, {}}, {f32({2, 3}), f32({3, 2})}),
            "inner extents must be equal: a is f32[2, 3] transposed, b is f32[3, 2] (C2)");
  EXPECT_EQ(refusal(Matmul{}, {f32({2, 3, 3}), f32({4, 3, 3})}),
            "batch axes must broadcast: a is f32[2, 3, 3], b is f32[4, 3, 3] (C3)");
  EXPECT_EQ(refusal(Matmul{.output_dtype = {}, .accumulator = DType::f16}, {f32({1, 1}), f32({1, 1})}),
            "accumulator must be the operands' dtype, and not bf16: operands are f32, accumulator is f16 (C5)");
  EXPECT_EQ(
      refusal(Matmul{false, false, DType::f64}, {f32({1, 1}), f32({1, 1})}),
      "output_dtype must be f32 for f16 or bf16 operands, else the operands' dtype: operands are f32, output_dtype is "
      "f64 (C4)");
  EXPECT_NE(refusal(Matmul{}, {{DType::i16, {1, 1}}, {DType::i16, {1, 1}}}), "");  // C0
}

TEST(GemmTypes, Refuses) {
  const Gemm with_c{1, 1, false, false, true};
  EXPECT_EQ(shape_of(with_c, {f32({2, 3}), f32({3, 4}), f32({4})}), (Shape{2, 4}));
  EXPECT_EQ(refusal(Gemm{}, {f32({1, 2, 3}), f32({3, 4})}),
            "a and b must have rank 2: a is f32[1, 2, 3], b is f32[3, 4] (C1)");
  EXPECT_EQ(refusal(Gemm{}, {f32({2, 3}), f32({4, 3})}),
            "inner extents must be equal: a is f32[2, 3], b is f32[4, 3] (C2)");
  EXPECT_EQ(refusal(with_c, {f32({2, 3}), f32({3, 4}), f32({2})}),
            "c must broadcast to [M, N]: c is f32[2], [M, N] is [2, 4] (C3)");
  EXPECT_EQ(refusal(with_c, {f32({1, 3}), f32({3, 4}), f32({2, 4})}),  // c is not to stretch y
            "c must broadcast to [M, N]: c is f32[2, 4], [M, N] is [1, 4] (C3)");
  EXPECT_EQ(refusal(Gemm{}, {f32({2, 3}), f32({3, 4}), f32({4})}), "takes 2 inputs, given 3");
}

Conv conv(std::vector<std::int64_t> strides, std::vector<std::int64_t> dilations, std::vector<std::int64_t> pads,
          std::int64_t group = 1) {
  return {std::move(strides), std::move(dilations), std::move(pads), group, false};
}

TEST(ConvTypes, CountsPositions) {
  EXPECT_EQ(shape_of(conv({2}, {3}, {1, 2}), {f32({1, 2, 10}), f32({5, 2, 3})}), (Shape{1, 5, 4}));
  EXPECT_EQ(shape_of(conv({}, {}, {}), {f32({3, 2, 5, 6, 7}), f32({4, 2, 5, 1, 2})}), (Shape{3, 4, 1, 6, 6}));
  EXPECT_EQ(shape_of(conv({}, {}, {}, 3), {f32({0, 6, 5}), f32({0, 2, 2})}), (Shape{0, 0, 4}));
}

TEST(ConvTypes, Refuses) {
  const auto x = f32({1, 4, 5}), w = f32({6, 4, 3});
  EXPECT_EQ(refusal(conv({}, {}, {}), {f32({4, 5}), f32({6, 4})}),
            "x must have rank 3 to 5, w the same rank, bias [M]: x is f32[4, 5], w is f32[6, 4] (C1)");
  Conv biased = conv({}, {}, {});
  biased.has_bias = true;
  EXPECT_EQ(refusal(biased, {x, w, f32({4})}),
            "x must have rank 3 to 5, w the same rank, bias [M]: w is f32[6, 4, 3], bias is f32[4] (C1)");
  const std::string groups = "group must divide C and M, and w[1] must be C / group: group is ";
  EXPECT_EQ(refusal(conv({}, {}, {}, 2), {x, w}), groups + "2, x is f32[1, 4, 5], w is f32[6, 4, 3] (C2)");
  EXPECT_EQ(refusal(conv({}, {}, {}, 4), {x, f32({6, 1, 3})}), groups + "4, x is f32[1, 4, 5], w is f32[6, 1, 3] (C2)");
  EXPECT_EQ(refusal(conv({}, {}, {}, 0), {x, w}), groups + "0, x is f32[1, 4, 5], w is f32[6, 4, 3] (C2)");
  const std::string numbers =
      "strides, dilations and kernel extents must be at least 1, pads at least 0, all below 2^31: on spatial axis 0 ";
  EXPECT_EQ(refusal(conv({0}, {}, {}), {x, w}), numbers + "kernel 3, stride 0, dilation 1, pads 0 and 0 (C3)");
  EXPECT_EQ(refusal(conv({}, {-1}, {}), {x, w}), numbers + "kernel 3, stride 1, dilation -1, pads 0 and 0 (C3)");
  EXPECT_EQ(refusal(conv({}, {}, {0, -1}), {x, w}), numbers + "kernel 3, stride 1, dilation 1, pads 0 and -1 (C3)");
  EXPECT_EQ(refusal(conv({}, {}, {}), {x, f32({6, 4, 0})}),
            numbers + "kernel 0, stride 1, dilation 1, pads 0 and 0 (C3)");
  EXPECT_NE(refusal(conv({}, {}, {INT64_MAX, INT64_MAX}), {x, w}), "");  // nor does anything overflow
  EXPECT_NE(refusal(conv({}, {INT64_MAX}, {}), {x, w}), "");
  EXPECT_EQ(
      refusal(conv({}, {2}, {}), {f32({1, 4, 4}), w}),
      "the dilated kernel must fit into the padded image on every axis: on spatial axis 0 the kernel spans 5, the "
      "image 4 (C4)");
  EXPECT_EQ(refusal(conv({1, 1}, {}, {}), {x, w}), "strides must have 1 entries or none, got 2");
  EXPECT_EQ(refusal(conv({}, {}, {1}), {x, w}), "pads must have 2 entries or none, got 1");
}

TEST(ProductCosts, CountAMultiplyAddTwice) {
  const auto cost = [](const Op& op, const TensorTypes& in) { return op.schema().cost(op, in, infer(op, in)); };
  EXPECT_EQ(cost(Matmul{true, false, {}}, {f32({7, 2, 4, 3}), f32({4, 5})}).flops, 2.0 * 7 * 2 * 3 * 4 * 5);
  EXPECT_EQ(cost(Gemm{}, {f32({3, 4}), f32({4, 5})}).contraction, 4);
  const Cost conv_cost = cost(conv({}, {}, {}, 2), {f32({1, 4, 5}), f32({6, 2, 3})});
  EXPECT_EQ(conv_cost.contraction, 2 * 3);
  EXPECT_EQ(conv_cost.flops, 2.0 * 6 * 6 * 3);
}

}  // namespace
}  // namespace plumb::ir::products_test
