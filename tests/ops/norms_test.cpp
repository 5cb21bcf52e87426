#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/group_norm.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/rms_norm.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::norms_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::GroupNorm;
using ir::ops::LayerNorm;
using ir::ops::RmsNorm;
using testing::check_op;
using testing::random_tensor;

struct Case {
  ir::Shape x;
  std::int64_t axis;
  ir::Shape scale, bias;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.x << " from " << c.axis << ", scale " << c.scale << ", bias " << c.bias;
}

class NormCases : public ::testing::TestWithParam<std::tuple<DType, Case>> {};

TEST_P(NormCases, MeetTheTruth) {
  const auto& [dtype, c] = GetParam();
  const Tensor x = random_tensor({dtype, c.x}, 1), scale = random_tensor({dtype, c.scale}, 2);
  const Tensor bias = random_tensor({dtype, c.bias}, 3);
  check_op(LayerNorm{.axis = c.axis, .statistics = true}, {x, scale, bias});
  check_op(RmsNorm{.axis = c.axis, .has_bias = true}, {x, scale, bias});
}

INSTANTIATE_TEST_SUITE_P(, NormCases,
                         ::testing::Combine(::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                                            ::testing::Values(Case{{2, 5, 768}, -1, {768}, {768}},
                                                              Case{{7, 1023}, 1, {1}, {1, 1023}},
                                                              Case{{3, 5, 7}, 1, {5, 7}, {7}})));

// Scale and bias may vary across lines, in any pattern that broadcasts.
INSTANTIATE_TEST_SUITE_P(
    Edges, NormCases,
    ::testing::Combine(
        ::testing::Values(DType::f32),
        ::testing::Values(Case{{3, 5, 7}, 0, {}, {3, 5, 7}}, Case{{3, 5, 7}, -1, {3, 1, 1}, {5, 1}},
                          Case{{2, 3, 4, 5, 6}, 3, {2, 1, 4, 1, 6}, {3, 1, 5, 1}},
                          Case{{2, 1, 3, 1, 2, 1, 2, 3}, 4, {3, 1, 1, 1, 1, 3}, {2, 1, 1, 1, 2, 1, 1, 1}},
                          Case{{4}, 0, {4}, {1}}, Case{{70001, 2}, 1, {2}, {2}}, Case{{2, 300'007}, 1, {1}, {300'007}},
                          Case{{0, 5}, 1, {5}, {5}}, Case{{3, 0}, 1, {0}, {1}}, Case{{3, 8192}, 1, {8192}, {8192}},
                          Case{{2, 16387}, 1, {16387}, {1}}, Case{{2, 7172}, 1, {1}, {7172}},
                          Case{{2, 8191}, 1, {8191}, {8191}}, Case{{3, 5, 8}, 1, {5, 1}, {5, 8}},
                          Case{{6, 32}, 1, {6, 1}, {6, 32}}, Case{{5, 1}, 1, {1}, {5, 1}})));

TEST(LayerNorm, DataFarFromZeroKeepItsNoise) {
  const auto far = [](ir::Shape shape) {
    return random_tensor({DType::f32, std::move(shape)}, 5, {.distribution = ir::Distribution::normal, .mean = 1e4});
  };
  const LayerNorm plain{.has_scale = false, .has_bias = false, .statistics = true};
  check_op(plain, {far({5, 768})}, testing::Data::ill_conditioned);
  check_op(plain, {far({1, 200'003})}, testing::Data::ill_conditioned);
  check_op(GroupNorm{.num_groups = 2, .has_scale = false, .has_bias = false}, {far({2, 6, 5, 7})},
           testing::Data::ill_conditioned);
}

TEST(LayerNorm, AConstantLineGivesTheBias) {
  const Tensor x = Tensor::of<float>({2, 3}, {7, 7, 7, -0.1f, -0.1f, -0.1f});
  const Tensor scale = Tensor::of<float>({3}, {2, 3, 4}), bias = Tensor::of<float>({3}, {0.5f, -1, 8});
  const Tensor y = Tensor::of<float>({2, 3}, {0.5f, -1, 8, 0.5f, -1, 8});
  testing::check_cpu(LayerNorm{}, {x, scale, bias}, {y});
  testing::check_gpu(LayerNorm{}, {x, scale, bias}, {y});
}

TEST(LayerNorm, ByHand) {
  // (1, 3): mean 2, variance 1. With epsilon 3, 1/√4 = 0.5.
  const Tensor x = Tensor::of<float>({1, 2}, {1, 3}), scale = Tensor::of<float>({2}, {10, 20});
  const std::vector<Tensor> wanted = {Tensor::of<float>({1, 2}, {-5, 10}), Tensor::of<float>({1, 1}, {2}),
                                      Tensor::of<float>({1, 1}, {0.5f})};
  const LayerNorm op{.epsilon = 3, .has_bias = false, .statistics = true};
  testing::check_cpu(op, {x, scale}, wanted);
  testing::check_gpu(op, {x, scale}, wanted);
  // (1, 7): mean square 25.
  const Tensor z = Tensor::of<float>({1, 2}, {1, 7}), root = Tensor::of<float>({1, 2}, {0.2f, 1.4f});
  testing::check_cpu(RmsNorm{.epsilon = 0, .has_scale = false}, {z}, {root});
  testing::check_gpu(RmsNorm{.epsilon = 0, .has_scale = false}, {z}, {root});
}

TEST(LayerNorm, SpecialValuesOfOneLineStayInIt) {
  Tensor x = random_tensor({DType::f32, {4, 100}}, 9);
  x.as<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  x.as<float>()[105] = std::numeric_limits<float>::infinity();
  const Tensor scale = random_tensor({DType::f32, {100}}, 10);
  check_op(LayerNorm{.has_bias = false, .statistics = true}, {x, scale});
  check_op(RmsNorm{}, {x, scale});
}

TEST(LayerNorm, F16SquaresBeyondItsRange) {
  const ir::Fill wide{.distribution = ir::Distribution::uniform, .low = -60000, .high = 60000};
  check_op(LayerNorm{.has_scale = false, .has_bias = false}, {random_tensor({DType::f16, {8, 64}}, 14, wide)});
  check_op(RmsNorm{.has_scale = false}, {random_tensor({DType::f16, {8, 64}}, 15, wide)});
}

struct Groups {
  ir::Shape x;
  std::int64_t num_groups;
};

void PrintTo(const Groups& g, std::ostream* out) { *out << g.x << " in " << g.num_groups; }

class GroupNormCases : public ::testing::TestWithParam<std::tuple<DType, Groups>> {};

TEST_P(GroupNormCases, MeetTheTruth) {
  const auto& [dtype, c] = GetParam();
  const Tensor x = random_tensor({dtype, c.x}, 21);
  const Tensor scale = random_tensor({dtype, {c.x[1]}}, 22), bias = random_tensor({dtype, {c.x[1]}}, 23);
  check_op(GroupNorm{.num_groups = c.num_groups}, {x, scale, bias});
  check_op(GroupNorm{.num_groups = c.num_groups, .has_scale = false}, {x, bias});
}

INSTANTIATE_TEST_SUITE_P(, GroupNormCases,
                         ::testing::Combine(::testing::Values(DType::f32, DType::f16, DType::bf16, DType::f64),
                                            ::testing::Values(Groups{{2, 6, 5, 7}, 3}, Groups{{3, 4}, 4},
                                                              Groups{{1, 8, 301}, 2})));
INSTANTIATE_TEST_SUITE_P(Edges, GroupNormCases,
                         ::testing::Combine(::testing::Values(DType::f32),
                                            ::testing::Values(Groups{{2, 6, 5}, 1}, Groups{{2, 6, 5}, 6},
                                                              Groups{{0, 6, 5}, 2}, Groups{{2, 4, 0}, 2},
                                                              Groups{{1, 2, 97, 1031}, 1}, Groups{{2, 8, 64}, 2},
                                                              Groups{{1, 6, 12, 52}, 3})));

}  // namespace
}  // namespace plumb::norms_test
