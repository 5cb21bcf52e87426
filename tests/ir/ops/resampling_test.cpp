// Types and refusals of the ops that resample images.
#include <gtest/gtest.h>

#include "ir/ops/affine_grid.hpp"
#include "ir/ops/grid_sample.hpp"
#include "ir/ops/resize.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::resampling_test {
namespace {

using namespace ops;

std::string refusal(const Op& op, const TensorTypes& in) {
  return tests::message_of([&] { infer(op, in); });
}

void expect_refused(const Op& op, const TensorTypes& in, const std::string& constraint) {
  EXPECT_NE(refusal(op, in).find("(" + constraint + ")"), std::string::npos) << refusal(op, in);
}

TEST(ResizeTypes, Results) {
  EXPECT_EQ(infer(Resize{.axes = {-1, 0}, .sizes = {7, 0}}, TensorTypes{{DType::c64, {0, 3, 5}}}),
            (TensorTypes{{DType::c64, {0, 3, 7}}}));
  EXPECT_EQ(infer(Resize{.axes = {}, .sizes = {}}, TensorTypes{{DType::boolean, {}}}),
            (TensorTypes{{DType::boolean, {}}}));
}

TEST(ResizeTypes, Refuses) {
  const TensorTypes x = {{DType::f32, {2, 3, 5}}};
  expect_refused(Resize{.axes = {1}, .sizes = {2, 3}}, x, "C1");
  expect_refused(Resize{.axes = {1}, .sizes = {2}, .scales = {1, 2}}, x, "C1");
  expect_refused(Resize{.axes = {1, -2}, .sizes = {2, 2}}, x, "C1");
  expect_refused(Resize{.axes = {1}, .sizes = {-2}}, x, "C1");
  for (const double scale : {0.0, -1.0, 1e-30, 1e300, std::nan("")})
    expect_refused(Resize{.axes = {1}, .sizes = {2}, .scales = {scale}}, x, "C1");
  expect_refused(Resize{.axes = {1}, .sizes = {2}, .scales = {1e-9}, .mode = ResizeMode::linear, .antialias = true}, x,
                 "C1");
  EXPECT_EQ(refusal(Resize{.axes = {3}, .sizes = {2}}, x), "axis 3 is outside rank 3");
  EXPECT_EQ(refusal(Resize{.axes = {1}, .sizes = {2}}, {{DType::f32, {2, 0}}}),
            "x must have elements along axes of which y has some: x is f32[2, 0], axis 1 has size 2 (C2)");
  expect_refused(Resize{.axes = {1}, .sizes = {2}, .coordinate = ResizeCoordinate::tf_crop_and_resize, .roi = {0}}, x,
                 "C3");
  expect_refused(Resize{.axes = {1}, .sizes = {2}, .antialias = true}, x, "C4");
  expect_refused(Resize{.axes = {1}, .sizes = {2}, .mode = ResizeMode::linear}, {{DType::i32, {2, 3}}}, "C5");
  expect_refused(Resize{.axes = {1}, .sizes = {2}, .mode = ResizeMode::cubic}, {{DType::c64, {2, 3}}}, "C5");
}

TEST(GridSampleTypes, Refuses) {
  const auto types = [](Shape x, Shape grid) { return TensorTypes{{DType::f32, x}, {DType::f32, grid}}; };
  EXPECT_EQ(infer(GridSample{}, types({2, 3, 4, 5}, {2, 7, 8, 2})), (TensorTypes{{DType::f32, {2, 3, 7, 8}}}));
  expect_refused(GridSample{}, types({2, 3}, {2, 0}), "C1");
  expect_refused(GridSample{}, types({1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 4}), "C1");
  expect_refused(GridSample{}, types({2, 3, 4, 5}, {2, 7, 2}), "C1");
  expect_refused(GridSample{}, types({2, 3, 4, 5}, {2, 7, 8, 3}), "C1");
  expect_refused(GridSample{}, types({2, 3, 4, 5}, {1, 7, 8, 2}), "C1");
  expect_refused(GridSample{}, types({2, 3, 4, 0}, {2, 7, 8, 2}), "C2");
  EXPECT_NE(refusal(GridSample{}, {{DType::f32, {1, 1, 1}}, {DType::f16, {1, 1, 1}}}), "");
}

TEST(AffineGridTypes, Refuses) {
  const TensorTypes plane = {{DType::bf16, {2, 2, 3}}};
  EXPECT_EQ(infer(AffineGrid{{4, 5}, true}, plane), (TensorTypes{{DType::bf16, {2, 4, 5, 2}}}));
  EXPECT_EQ(infer(AffineGrid{{4, 0, 5}, true}, TensorTypes{{DType::f64, {0, 3, 4}}}),
            (TensorTypes{{DType::f64, {0, 4, 0, 5, 3}}}));
  expect_refused(AffineGrid{{4, 5, 6}, false}, plane, "C1");
  expect_refused(AffineGrid{{4, -5}, false}, plane, "C1");
  expect_refused(AffineGrid{{4}, false}, {{DType::f32, {2, 1, 2}}}, "C1");
  expect_refused(AffineGrid{{4, 5}, false}, {{DType::f32, {2, 2, 2}}}, "C1");
  expect_refused(AffineGrid{{4, 5}, false}, {{DType::f32, {2, 3}}}, "C1");
}

}  // namespace
}  // namespace plumb::ir::resampling_test
