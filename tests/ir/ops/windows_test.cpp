// Types and refusals of the ops whose windows move over an image.
#include <gtest/gtest.h>

#include "ir/ops/pool.hpp"
#include "tests/support/run_node.hpp"

namespace plumb::ir {
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
  expect_refused(Pool{.kernel_shape = {2, 2}, .pads = {2, 0, 0, 0}}, x, "C4");
  expect_refused(Pool{.kernel_shape = {2, 2}, .pads = {0, 0, 0, 2}}, x, "C4");
  expect_refused(Pool{.function = F::lp, .kernel_shape = {2, 2}, .p = 0}, x, "C5");
}

}  // namespace
}  // namespace plumb::ir
