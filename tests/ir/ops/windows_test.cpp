// Types and refusals of the ops whose windows move over an image.
#include <gtest/gtest.h>

#include "ir/ops/col2im.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/im2col.hpp"
#include "ir/ops/max_unpool.hpp"
#include "ir/ops/pool.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::windows_test {
namespace {

using namespace ops;

std::string refusal(const Op& op, const TensorTypes& in) {
  return tests::message_of([&] { infer(op, in); });
}

void expect_refused(const Op& op, const TensorTypes& in, const std::string& constraint) {
  EXPECT_NE(refusal(op, in).find("(" + constraint + ")"), std::string::npos) << refusal(op, in);
}

TEST(PoolTypes, Results) {
  const TensorTypes x = {{DType::f16, {2, 3, 9, 8}}};
  EXPECT_EQ(infer(Pool{.kernel_shape = {3, 2}, .strides = {2, 3}, .with_indices = true}, x),
            (TensorTypes{{DType::f16, {2, 3, 4, 3}}, {DType::i64, {2, 3, 4, 3}}}));
  EXPECT_EQ(infer(Pool{.kernel_shape = {2}}, TensorTypes{{DType::u8, {0, 3, 5}}}),
            (TensorTypes{{DType::u8, {0, 3, 4}}}));
}

TEST(PoolTypes, Refuses) {
  const TensorTypes x = {{DType::f32, {2, 3, 9, 8}}};
  using F = PoolFunction;
  EXPECT_NE(refusal(Pool{.function = F::sum, .kernel_shape = {1}}, {{DType::u8, {1, 1, 1}}}).find("(C0)"),
            std::string::npos);
  EXPECT_NE(refusal(Pool{.kernel_shape = {1}}, {{DType::i32, {1, 1, 1}}}), "");
  expect_refused(Pool{.kernel_shape = {2}}, x, "C1");
  expect_refused(Pool{.kernel_shape = {}}, {{DType::f32, {2, 3}}}, "C1");
  expect_refused(Pool{.kernel_shape = {1, 1, 1, 1}}, {{DType::f32, {1, 1, 1, 1, 1, 1}}}, "C1");
  expect_refused(Pool{.kernel_shape = {0, 2}}, x, "C1");
  expect_refused(Pool{.kernel_shape = {2, 2}, .strides = {1, 0}}, x, "C1");
  expect_refused(Pool{.kernel_shape = {2, 2}, .dilations = {0, 1}}, x, "C1");
  expect_refused(Pool{.kernel_shape = {2, 2}, .pads = {0, 0, -1, 0}}, x, "C1");
  expect_refused(Pool{.kernel_shape = {std::int64_t{1} << 31, 2}}, x, "C1");
  EXPECT_EQ(refusal(Pool{.kernel_shape = {2, 2}, .strides = {1}}, x), "strides must have 2 entries or none, got 1");
  EXPECT_EQ(
      refusal(Pool{.kernel_shape = {3, 9}}, x),
      "the dilated kernel must fit into the padded image on every axis: on spatial axis 1 the kernel spans 9, the "
      "image 8 (C2)");
  expect_refused(Pool{.kernel_shape = {5, 1}, .dilations = {3, 1}}, x, "C2");
  expect_refused(Pool{.function = F::average, .kernel_shape = {2, 2}, .with_indices = true}, x, "C3");
  expect_refused(Pool{.function = F::lp, .kernel_shape = {2, 2}, .p = 0}, x, "C4");
}

TEST(ConvTransposeTypes, Results) {
  EXPECT_EQ(infer(ConvTranspose{.strides = {2, 3}, .pads = {1, 0, 2, 1}, .output_padding = {1, 2}, .group = 2},
                  TensorTypes{{DType::f32, {2, 4, 5, 6}}, {DType::f32, {4, 3, 3, 2}}}),
            (TensorTypes{{DType::f32, {2, 6, 9, 18}}}));
}

TEST(ConvTransposeTypes, Refuses) {
  const TensorType x{DType::f32, {1, 4, 5}}, w{DType::f32, {4, 3, 2}};
  expect_refused(ConvTranspose{}, {{DType::f32, {1, 4}}, {DType::f32, {4, 3}}}, "C1");
  expect_refused(ConvTranspose{}, {x, {DType::f32, {4, 3, 2, 2}}}, "C1");
  expect_refused(ConvTranspose{}, {x, {DType::f32, {3, 3, 2}}}, "C1");
  expect_refused(ConvTranspose{.group = 3}, {x, w}, "C1");
  expect_refused(ConvTranspose{.group = 0}, {x, w}, "C1");
  expect_refused(ConvTranspose{.has_bias = true}, {x, w, {DType::f32, {4}}}, "C1");
  EXPECT_EQ(refusal(ConvTranspose{.pads = {4, 3}}, {x, w}),
            "pads must leave an image: spatial axis 0 of y would be -1 (C2)");
  expect_refused(ConvTranspose{.strides = {0}}, {x, w}, "C3");
  expect_refused(ConvTranspose{.dilations = {-1}}, {x, w}, "C3");
  expect_refused(ConvTranspose{.pads = {-1, 0}}, {x, w}, "C3");
  expect_refused(ConvTranspose{}, {x, {DType::f32, {4, 3, 0}}}, "C3");
  expect_refused(ConvTranspose{.output_padding = {1}}, {x, w}, "C3");
  expect_refused(ConvTranspose{.strides = {3}, .output_padding = {-1}}, {x, w}, "C3");
  expect_refused(ConvTranspose{.group = std::int64_t{1} << 32}, {{DType::f32, {1, 0, 5}}, {DType::f32, {0, 3, 2}}},
                 "C3");
  expect_refused(ConvTranspose{}, {{DType::f32, {1, 4, 0}}, w}, "C4");
  EXPECT_EQ(refusal(ConvTranspose{.output_padding = {0, 0}}, {x, w}),
            "output_padding must have 1 entries or none, got 2");
}

TEST(Col2imTypes, Refuses) {
  const TensorTypes x = {{DType::f32, {2, 12, 20}}};
  const Col2im good{.image_shape = {5, 6}, .kernel_shape = {2, 2}};
  EXPECT_EQ(infer(good, x), (TensorTypes{{DType::f32, {2, 3, 5, 6}}}));
  expect_refused(good, {{DType::f32, {12, 20}}}, "C1");
  expect_refused(good, {{DType::f32, {2, 12, 21}}}, "C1");
  expect_refused(Col2im{.image_shape = {5}, .kernel_shape = {2, 2}}, x, "C1");
  expect_refused(Col2im{}, x, "C1");
  expect_refused(Col2im{.image_shape = {5, -6}, .kernel_shape = {2, 2}}, x, "C1");
  expect_refused(Col2im{.image_shape = {5, 6}, .kernel_shape = {2, 0}}, x, "C1");
  expect_refused(Col2im{.image_shape = {5, 6}, .kernel_shape = {6, 1}}, x, "C1");
  expect_refused(good, {{DType::f32, {2, 13, 20}}}, "C2");
}

TEST(Im2colTypes, Refuses) {
  const TensorTypes x = {{DType::boolean, {2, 3, 5, 6}}};
  EXPECT_EQ(infer(Im2col{.kernel_shape = {2, 2}}, x), (TensorTypes{{DType::boolean, {2, 12, 20}}}));
  EXPECT_EQ(infer(Im2col{.kernel_shape = {3}, .strides = {2}, .dilations = {3}, .pads = {1, 4}},
                  TensorTypes{{DType::c64, {0, 2, 5}}}),
            (TensorTypes{{DType::c64, {0, 6, 2}}}));
  expect_refused(Im2col{.kernel_shape = {2}}, x, "C1");
  expect_refused(Im2col{.kernel_shape = {}}, {{DType::f32, {2, 3}}}, "C1");
  expect_refused(Im2col{.kernel_shape = {1, 1, 1, 1}}, {{DType::f32, {1, 1, 1, 1, 1, 1}}}, "C1");
  expect_refused(Im2col{.kernel_shape = {0, 2}}, x, "C1");
  expect_refused(Im2col{.kernel_shape = {2, 2}, .strides = {1, 0}}, x, "C1");
  expect_refused(Im2col{.kernel_shape = {2, 2}, .dilations = {-1, 1}}, x, "C1");
  expect_refused(Im2col{.kernel_shape = {2, 2}, .pads = {0, 0, -1, 0}}, x, "C1");
  EXPECT_EQ(refusal(Im2col{.kernel_shape = {2, 2}, .dilations = {1, 6}}, x),
            "x must have one to three spatial axes, each with an entry of kernel_shape and a window that fits; kernel, "
            "strides and dilations must be at least 1, pads at least 0, all below 2^31: on spatial axis 1 extent 6, "
            "kernel 2, stride 1, dilation 6, pads 0 and 0 (C1)");
  EXPECT_EQ(refusal(Im2col{.kernel_shape = {2, 2}, .pads = {1}}, x), "pads must have 4 entries or none, got 1");
  constexpr std::int64_t wide = (std::int64_t{1} << 31) - 1;
  EXPECT_NE(refusal(Im2col{.kernel_shape = {wide, wide}, .pads = {wide, wide, wide, wide}}, x), "");
}

TEST(MaxUnpoolTypes, Refuses) {
  const TensorTypes x = {{DType::f16, {2, 3, 4, 5}}, {DType::i64, {2, 3, 4, 5}}};
  EXPECT_EQ(infer(MaxUnpool{.inferred_shape = {8, 10}}, x), (TensorTypes{{DType::f16, {2, 3, 8, 10}}}));
  EXPECT_EQ(infer(MaxUnpool{.inferred_shape = {8, 10}, .output_shape = {8, 11}}, x),
            (TensorTypes{{DType::f16, {2, 3, 8, 11}}}));
  expect_refused(MaxUnpool{.inferred_shape = {8}}, x, "C1");
  expect_refused(MaxUnpool{.inferred_shape = {8, -1}}, x, "C1");
  expect_refused(MaxUnpool{.inferred_shape = {8, 10}, .output_shape = {8, 9}}, x, "C1");
  expect_refused(MaxUnpool{.inferred_shape = {8, 10}, .output_shape = {8}}, x, "C1");
  expect_refused(MaxUnpool{.inferred_shape = {8, 10}}, {x[0], {DType::i64, {2, 3, 4}}}, "C1");
  expect_refused(MaxUnpool{.inferred_shape = {}}, {{DType::f32, {2, 3}}, {DType::i64, {2, 3}}}, "C1");
  EXPECT_NE(refusal(MaxUnpool{.inferred_shape = {8, 10}}, {x[0], {DType::i32, {2, 3, 4, 5}}}), "");
}

}  // namespace
}  // namespace plumb::ir::windows_test
