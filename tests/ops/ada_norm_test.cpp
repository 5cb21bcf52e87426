// Norms that a condition modulates against the truth on both executors.
#include "ir/ops/ada_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ir/graph.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ada_norm_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::AdaNorm;
using testing::check_cpu;
using testing::check_gpu;
using testing::check_op;
using testing::random_tensor;
using Kind = ir::ops::AdaNormKind;

TEST(AdaNorm, EveryDtypeAndPattern) {
  struct Operands {
    Shape x, scale, shift;
  };
  const Operands all[] = {{{2, 5, 768}, {2, 1, 768}, {2, 1, 768}},
                          {{7, 1023}, {1}, {1, 1023}},
                          {{3, 5, 7}, {5, 7}, {3, 1, 1}},
                          {{4}, {}, {4}},
                          {{3, 1}, {3, 1}, {1}},
                          {{0, 5}, {5}, {5}},
                          {{3, 0}, {0}, {1}},
                          {{2, 16387}, {16387}, {1}},
                          {{1, 100'003}, {1}, {100'003}}};
  std::size_t number = 0;
  for (const Operands& one : all)
    for (const Kind kind : {Kind::layer, Kind::rms}) {
      ++number;
      for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64})
        if (testing::takes_case(dtype, number))
          check_op(AdaNorm{kind}, {random_tensor({dtype, one.x}, 1), random_tensor({dtype, one.scale}, 2),
                                   random_tensor({dtype, one.shift}, 3)});
    }
}

/// A scale of 1 + s is rounded once in the type that is computed in, not in that of s.
TEST(AdaNorm, ScalesNearMinusOne) {
  const ir::Fill near{.distribution = ir::Distribution::normal, .mean = -1, .scale = 1e-5};
  const ir::Fill small{.distribution = ir::Distribution::normal, .scale = 1e-6};
  for (const Kind kind : {Kind::layer, Kind::rms})
    check_op(AdaNorm{kind}, {random_tensor({DType::f32, {5, 76}}, 1), random_tensor({DType::f32, {76}}, 2, near),
                             random_tensor({DType::f32, {76}}, 3, small)});
}

TEST(AdaNorm, ByHand) {
  const Tensor x = Tensor::of<float>({1, 2}, {1, 3}), scale = Tensor::of<float>({2}, {9, 19});
  const Tensor shift = Tensor::of<float>({2}, {0.5f, -1}), y = Tensor::of<float>({1, 2}, {-4.5f, 9});
  check_cpu(AdaNorm{.epsilon = 3}, {x, scale, shift}, {y});
  check_gpu(AdaNorm{.epsilon = 3}, {x, scale, shift}, {y});
  const Tensor z = Tensor::of<float>({1, 2}, {1, 7}), root = Tensor::of<float>({1, 2}, {2.5f, 27});
  check_cpu(AdaNorm{Kind::rms, 0}, {z, scale, shift}, {root});
  check_gpu(AdaNorm{Kind::rms, 0}, {z, scale, shift}, {root});
}

TEST(AdaNorm, SpecialValuesOfOneLineStayInIt) {
  Tensor x = random_tensor({DType::f32, {4, 100}}, 9);
  x.as<float>()[5] = std::numeric_limits<float>::quiet_NaN();
  x.as<float>()[105] = std::numeric_limits<float>::infinity();
  const Tensor scale = random_tensor({DType::f32, {100}}, 10), shift = random_tensor({DType::f32, {100}}, 11);
  for (const Kind kind : {Kind::layer, Kind::rms}) check_op(AdaNorm{kind}, {x, scale, shift});
}

/// In f64, where 1 + scale is exact, it is layer norm by that scale.
TEST(AdaNorm, IsLayerNormByOneMore) {
  ref_cpu::CpuExecutor cpu;
  const Tensor x = random_tensor({DType::f64, {3, 67}}, 1), shift = random_tensor({DType::f64, {67}}, 3);
  const ir::Fill whole{.distribution = ir::Distribution::uniform_int, .low = -4, .high = 5};
  const Tensor scale = random_tensor({DType::f64, {67}}, 2, whole);
  Tensor more = scale;
  for (double& one : more.as<double>()) one += 1;
  const Tensor y = ir::run_op(cpu, AdaNorm{.epsilon = 1e-5}, {x, scale, shift}).front();
  const Tensor other = ir::run_op(cpu, ir::ops::LayerNorm{}, {x, more, shift}).front();
  EXPECT_TRUE(std::ranges::equal(y.bytes(), other.bytes()));
}

}  // namespace
}  // namespace plumb::ada_norm_test
