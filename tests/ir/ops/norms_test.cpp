#include <gtest/gtest.h>

#include "ir/graph.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/batch_norm.hpp"
#include "ir/ops/group_norm.hpp"
#include "ir/ops/instance_norm.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/log_softmax.hpp"
#include "ir/ops/lp_norm.hpp"
#include "ir/ops/lrn.hpp"
#include "ir/ops/mean_variance_norm.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/softmax.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::norms_test {
namespace {

using namespace ops;
using F = ReduceFunction;

const TensorType x23{DType::f32, {2, 3}};

/// The message with which `infer` refuses an op; "" when it takes the operands.
std::string refusal(const Op& op, const TensorTypes& in) {
  return tests::message_of([&] { infer(op, in); });
}

Shape shape_of(const Op& op, const TensorTypes& in, std::size_t output = 0) { return infer(op, in).at(output).shape; }

TEST(ReduceTypes, AxesBecomeOneOrGo) {
  const TensorType x{DType::f32, {2, 3, 5}};
  EXPECT_EQ(shape_of(Reduce{F::sum, {1}}, {x}), (Shape{2, 1, 5}));
  EXPECT_EQ(shape_of(Reduce{F::sum, {-1, 0}, false}, {x}), (Shape{3}));
  EXPECT_EQ(shape_of(Reduce{F::sum, {}, false}, {x}), x.shape);
  EXPECT_EQ(shape_of(Reduce{F::sum, {0, 1, 2}, false}, {x}), (Shape{}));
  EXPECT_EQ(shape_of(Reduce{F::sum, {}}, {{DType::f32, {}}}), (Shape{}));
}

TEST(ReduceTypes, Refuses) {
  EXPECT_EQ(refusal(Reduce{F::sum, {0, -2}}, {x23}), "axes must be distinct: got [0, -2] of f32[2, 3] (C1)");
  EXPECT_EQ(refusal(Reduce{F::sum, {2}}, {x23}), "axis 2 is outside rank 2");
  EXPECT_EQ(refusal(Reduce{F::mean, {0}}, {{DType::i32, {2}}}),
            "x must be of a dtype that the function is defined on: mean takes f16, bf16, f32, f64, c64 or c128, x is "
            "i32[2] (C2)");
  for (const F f : {F::sum, F::product, F::l1, F::log_sum})
    EXPECT_NE(refusal(Reduce{f, {0}}, {{DType::boolean, {2}}}), "");
  for (const F f : {F::max, F::min}) EXPECT_EQ(refusal(Reduce{f, {0}}, {{DType::boolean, {2}}}), "");
  for (const F f : {F::max, F::l1, F::product, F::l2}) EXPECT_NE(refusal(Reduce{f, {0}}, {{DType::c64, {2}}}), "");
}

TEST(SoftmaxTypes, NeedsAnAxis) {
  EXPECT_EQ(refusal(Softmax{2}, {x23}), "axis 2 is outside rank 2");
  EXPECT_EQ(refusal(LogSoftmax{}, {{DType::f32, {}}}), "axis -1 is outside rank 0");
  EXPECT_NE(refusal(Softmax{}, {{DType::i32, {2}}}), "");
}

TEST(LayerNormTypes, StatisticsKeepTheLeadingAxes) {
  const TensorType x{DType::f16, {2, 3, 5}};
  const TensorTypes in = {x, {DType::f16, {3, 5}}, {DType::f16, {1}}};
  const auto out = infer(LayerNorm{.axis = 1, .statistics = true}, in);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[1], (TensorType{DType::f32, {2, 1, 1}}));
  EXPECT_EQ(out[2], out[1]);
  const LayerNorm plain{.axis = 0, .has_scale = false, .has_bias = false, .statistics = true};
  EXPECT_EQ(infer(plain, TensorTypes{{DType::f64, {4}}}).at(1), (TensorType{DType::f64, {1}}));
}

TEST(LayerNormTypes, Refuses) {
  EXPECT_EQ(refusal(LayerNorm{.has_bias = false}, {x23, {DType::f32, {2}}}),
            "scale and bias must broadcast to x: x is f32[2, 3], got f32[2] (C1)");
  EXPECT_NE(refusal(LayerNorm{.has_bias = false}, {x23, {DType::f32, {4, 2, 3}}}), "");  // would stretch x
  EXPECT_EQ(refusal(LayerNorm{.epsilon = -1}, {x23, {DType::f32, {3}}, {DType::f32, {3}}}),
            "epsilon must be at least 0: got -1 (C2)");
  EXPECT_NE(refusal(LayerNorm{.epsilon = std::nan("")}, {x23, {DType::f32, {3}}, {DType::f32, {3}}}), "");
  EXPECT_EQ(refusal(LayerNorm{}, {x23, {DType::f16, {3}}, {DType::f32, {3}}}), "scale must be f32 like x, got f16");
  EXPECT_EQ(refusal(RmsNorm{}, {x23, {DType::f32, {2}}}),
            "scale and bias must broadcast to x: x is f32[2, 3], got f32[2] (C1)");
  EXPECT_EQ(refusal(RmsNorm{.epsilon = -1, .has_scale = false}, {x23}), "epsilon must be at least 0: got -1 (C2)");
}

TEST(GroupNormTypes, Refuses) {
  const GroupNorm plain{.num_groups = 2, .has_scale = false, .has_bias = false};
  EXPECT_EQ(refusal(plain, {{DType::f32, {4}}}), "x must have a rank of at least 2: x is f32[4] (C1)");
  EXPECT_EQ(refusal(plain, {x23}), "num_groups must be at least 1 and divide C: got 2, x is f32[2, 3] (C2)");
  EXPECT_NE(refusal(GroupNorm{.num_groups = 0, .has_scale = false, .has_bias = false}, {x23}), "");
  EXPECT_EQ(refusal(GroupNorm{.num_groups = 3, .has_bias = false}, {x23, {DType::f32, {1}}}),
            "scale and bias must be [C]: x is f32[2, 3], got f32[1] (C3)");
  EXPECT_NE(refusal(GroupNorm{.num_groups = 3, .epsilon = -1, .has_scale = false, .has_bias = false}, {x23}), "");
}

TEST(InferenceNormTypes, KeepTheTypeOfX) {
  const TensorType x{DType::f16, {2, 5, 3}}, c{DType::f16, {5}};
  EXPECT_EQ(infer(BatchNorm{}, TensorTypes{x, c, c, c, c}), TensorTypes{x});
  EXPECT_EQ(infer(InstanceNorm{}, TensorTypes{x, c, c}), TensorTypes{x});
  EXPECT_EQ(infer(Lrn{.size = 3}, TensorTypes{x}), TensorTypes{x});
  EXPECT_EQ(infer(LpNorm{}, TensorTypes{x}), TensorTypes{x});
  EXPECT_EQ(infer(MeanVarianceNorm{{0, -1}}, TensorTypes{x}), TensorTypes{x});
}

TEST(InferenceNormTypes, Refuse) {
  const TensorType x{DType::f32, {2, 5, 3}}, five{DType::f32, {5}}, one{DType::f32, {1}};
  EXPECT_EQ(refusal(BatchNorm{}, {x, five, five, five, one}),
            "scale, bias, mean and variance must have the extent of the axis: x is f32[2, 5, 3], axis is 1, got f32[1] "
            "(C1)");
  EXPECT_NE(refusal(BatchNorm{.axis = 2}, {x, five, five, five, five}).find("(C1)"), std::string::npos);
  EXPECT_EQ(refusal(BatchNorm{.epsilon = -1}, {x, five, five, five, five}), "epsilon must be at least 0: got -1 (C2)");
  EXPECT_EQ(refusal(InstanceNorm{}, {{DType::f32, {2, 5}}, five, five}),
            "x must have a rank of at least 3: x is f32[2, 5] (C1)");
  EXPECT_EQ(refusal(InstanceNorm{}, {x, five, one}), "scale and bias must be [C]: x is f32[2, 5, 3], got f32[1] (C2)");
  EXPECT_NE(refusal(InstanceNorm{-1}, {x, five, five}).find("(C3)"), std::string::npos);
  EXPECT_EQ(refusal(Lrn{.size = 0}, {x}), "size must be at least 1: got 0 (C1)");
  EXPECT_NE(refusal(Lrn{}, {five}).find("(C2)"), std::string::npos);
  EXPECT_EQ(refusal(LpNorm{0, 3}, {x}), "p must be 1 or 2: got 3 (C1)");
  EXPECT_EQ(refusal(LpNorm{}, {{DType::f32, {}}}), "axis -1 is outside rank 0");
  EXPECT_EQ(refusal(MeanVarianceNorm{{0, -3}}, {x}), "axes must be distinct: got [0, -3] of f32[2, 5, 3] (C1)");
  EXPECT_NE(refusal(MeanVarianceNorm{{0}, -1}, {x}).find("(C2)"), std::string::npos);
}

TensorTypes qkv(const Shape& q, const Shape& k, const Shape& v) {
  return {{DType::f32, q}, {DType::f32, k}, {DType::f32, v}};
}

TEST(AttentionTypes, FollowTheLayout) {
  const auto bhsd = qkv({2, 8, 5, 64}, {2, 4, 7, 64}, {2, 4, 7, 80}),
             bshd = qkv({2, 5, 8, 64}, {2, 7, 4, 64}, {2, 7, 4, 80});
  EXPECT_EQ(shape_of(Attention{}, bhsd), (Shape{2, 8, 5, 80}));
  EXPECT_EQ(shape_of(Attention{.layout = AttentionLayout::bshd}, bshd), (Shape{2, 5, 8, 80}));
}

TEST(AttentionTypes, Refuses) {
  const auto same = qkv({1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4});
  EXPECT_NE(refusal(Attention{}, qkv({2, 3, 4}, {2, 3, 4}, {2, 3, 4})).find("(C1)"), std::string::npos);
  for (const auto& unequal :
       {qkv({1, 2, 3, 4}, {2, 2, 3, 4}, {2, 2, 3, 4}), qkv({1, 2, 3, 4}, {1, 2, 3, 5}, {1, 2, 3, 4}),
        qkv({1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 4, 4}), qkv({1, 2, 3, 4}, {1, 2, 3, 4}, {1, 1, 3, 4})})
    EXPECT_NE(refusal(Attention{}, unequal).find("(C2)"), std::string::npos);
  EXPECT_EQ(refusal(Attention{}, qkv({1, 3, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4})),
            "Hk must be at least 1 and divide Hq: Hq is 3, Hk is 2 (C3)");
  EXPECT_NE(refusal(Attention{}, qkv({1, 0, 3, 4}, {1, 0, 3, 4}, {1, 0, 3, 4})).find("(C3)"), std::string::npos);
  auto masked = same;
  masked.push_back({DType::boolean, {2, 3}});
  EXPECT_EQ(refusal(Attention{.has_mask = true}, masked),
            "mask and bias must broadcast to [B, Hq, Sq, Sk]: got bool[2, 3], scores are [1, 2, 3, 3] (C4)");
  EXPECT_NE(refusal(Attention{.softcap = -1}, same).find("(C5)"), std::string::npos);
  EXPECT_NE(refusal(Attention{.left_window_size = -2}, same).find("(C5)"), std::string::npos);
  EXPECT_NE(refusal(Attention{}, qkv({1, 2, 3, 0}, {1, 2, 3, 0}, {1, 2, 3, 4})).find("(C6)"), std::string::npos);
  auto lengths = same;
  lengths.push_back({DType::i64, {2}});
  EXPECT_NE(refusal(Attention{.has_kv_lengths = true}, lengths).find("(C2)"), std::string::npos);
}

}  // namespace
}  // namespace plumb::ir::norms_test
