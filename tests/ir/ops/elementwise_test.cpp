#include <gtest/gtest.h>

#include "ir/ops/activation.hpp"
#include "ir/ops/classify.hpp"
#include "ir/ops/fma.hpp"
#include "ir/ops/glu.hpp"
#include "ir/ops/prelu.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::elementwise_test {
namespace {

using namespace ops;

std::string refusal(const Op& op, const TensorTypes& in) {
  return tests::message_of([&] { infer(op, in); });
}

TensorTypes types(const Op& op, const TensorTypes& in) { return infer(op, in); }

TEST(PreluTypes, SlopeStretchesAndXDoesNot) {
  EXPECT_EQ(types(Prelu{}, {{DType::f16, {2, 3}}, {DType::f16, {3}}}), (TensorTypes{{DType::f16, {2, 3}}}));
  EXPECT_EQ(refusal(Prelu{}, {{DType::f32, {3}}, {DType::f32, {2, 3}}}),
            "slope must broadcast to the shape of x: x is f32[3], slope is f32[2, 3] (C1)");
  EXPECT_NE(refusal(Prelu{}, {{DType::f32, {3}}, {DType::f16, {3}}}), "");
  EXPECT_NE(refusal(Prelu{}, {{DType::boolean, {3}}, {DType::boolean, {3}}}), "");
}

TEST(ActivationTypes, CeluDividesByAlpha) {
  EXPECT_EQ(types(Activation{ActivationFunction::elu, 0}, {{DType::bf16, {2}}}), (TensorTypes{{DType::bf16, {2}}}));
  EXPECT_EQ(refusal(Activation{ActivationFunction::celu, 0}, {{DType::f32, {2}}}),
            "celu must have an alpha other than 0: alpha is 0 (C1)");
  EXPECT_NE(refusal(Activation{ActivationFunction::elu}, {{DType::i32, {2}}}), "");
}

TEST(GluTypes, GateAndValueHaveOneType) {
  EXPECT_EQ(types(Glu{}, {{DType::bf16, {2, 0}}, {DType::bf16, {2, 0}}}), (TensorTypes{{DType::bf16, {2, 0}}}));
  EXPECT_EQ(refusal(Glu{}, {{DType::f32, {2, 3}}, {DType::f32, {3}}}),
            "gate and value must have one shape: gate is f32[2, 3], value is f32[3] (C1)");
  EXPECT_NE(refusal(Glu{}, {{DType::f32, {3}}, {DType::f16, {3}}}), "");
  EXPECT_NE(refusal(Glu{}, {{DType::i32, {3}}, {DType::i32, {3}}}), "");
  const TensorTypes two = {{DType::f32, {3}}, {DType::f32, {3}}};
  EXPECT_EQ(refusal(Glu{.alpha = 1.702, .limit = 7, .offset = 1}, two), "");
  EXPECT_EQ(
      refusal(Glu{.function = GateFunction::gelu, .alpha = 2}, two),
      "alpha, limit and offset must be 1, inf and 0 unless function is silu: function is gelu, alpha is 2, limit is "
      "inf, offset is 0 (C2)");
  for (const double limit : {-1.0, std::nan("")})
    EXPECT_NE(refusal(Glu{.limit = limit}, two).find("(C3)"), std::string::npos);
}

TEST(ClassifyTypes, FloatsGiveBools) {
  EXPECT_EQ(types(Classify{}, {{DType::f16, {2, 0}}}), (TensorTypes{{DType::boolean, {2, 0}}}));
  EXPECT_NE(refusal(Classify{}, {{DType::c64, {2}}}), "");
}

TEST(FmaTypes, AllThreeBroadcast) {
  EXPECT_EQ(types(Fma{}, {{DType::f32, {2, 1}}, {DType::f32, {3}}, {DType::f32, {4, 1, 1}}}),
            (TensorTypes{{DType::f32, {4, 2, 3}}}));
  EXPECT_EQ(refusal(Fma{}, {{DType::f32, {2}}, {DType::f32, {1}}, {DType::f32, {3}}}),
            "shapes must broadcast: a is f32[2], b is f32[1], c is f32[3] (C1)");
  EXPECT_NE(refusal(Fma{}, {{DType::f32, {2}}, {DType::f32, {2}}, {DType::f64, {2}}}), "");
  EXPECT_NE(refusal(Fma{}, {{DType::i32, {2}}, {DType::i32, {2}}, {DType::i32, {2}}}), "");
}

}  // namespace
}  // namespace plumb::ir::elementwise_test
