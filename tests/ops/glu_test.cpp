// Gated linear units against the truth on both executors.
#include "ir/ops/glu.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/op_check.hpp"
#include "tests/support/samples.hpp"

namespace plumb::glu_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Glu;
using testing::check_cpu;
using testing::check_gpu;
using testing::check_op;
using testing::random_tensor;
using F = ir::ops::GateFunction;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
constexpr F functions[] = {F::silu, F::gelu, F::gelu_tanh, F::sigmoid, F::relu};
constexpr DType dtypes[] = {DType::f16, DType::bf16, DType::f32, DType::f64};

/// Whether the limit grows with the gate: that of large ones allows anything.
bool grows(F function) { return function == F::gelu || function == F::gelu_tanh; }

TEST(Glu, GatesOfAllFloats) {
  for (const F function : functions) {
    SCOPED_TRACE(ir::enum_name(function));
    const auto keep = [function](float gate) { return !grows(function) || std::fabs(gate) <= 20; };
    const auto gates = testing::f32_samples(1 << 14, keep), fewer = testing::f32_samples(1 << 12, keep);
    check_op(Glu{function}, {gates, random_tensor(gates.type(), 5)});
    check_op(Glu{function}, {ir::convert(fewer, DType::f64), random_tensor({DType::f64, fewer.shape()}, 5)});
    const auto data = grows(function) ? testing::Data::ill_conditioned : testing::Data::ordinary;
    for (const DType dtype : {DType::f16, DType::bf16}) {
      const auto codes = testing::all_codes(dtype);
      check_op(Glu{function}, {codes, random_tensor(codes.type(), 5)}, data);
    }
  }
}

TEST(Glu, ValuesThatBringSubnormalGatesBack) {
  const ir::Fill gates{.distribution = ir::Distribution::uniform, .low = -130, .high = -10};
  const ir::Fill doubles{.distribution = ir::Distribution::uniform, .low = -760, .high = -30};
  for (const F function : functions) {
    SCOPED_TRACE(ir::enum_name(function));
    check_op(Glu{function}, {random_tensor({DType::f32, {4099}}, 1, gates),
                             Tensor::of<float>({4099}, std::vector<float>(4099, 1e30f))});
    check_op(Glu{function}, {random_tensor({DType::f64, {1031}}, 2, doubles),
                             Tensor::of<double>({1031}, std::vector<double>(1031, -1e250))});
  }
}

TEST(Glu, InfiniteValuesBesideGatesThatUnderflow) {
  const std::vector<Tensor> in = {Tensor::of<float>({4}, {-150, -700, 0, -1}),
                                  Tensor::of<float>({4}, {inf, -inf, inf, inf})};
  const Tensor silu = Tensor::of<float>({4}, {-inf, inf, nan, -inf}),
               sigmoid = Tensor::of<float>({4}, {inf, -inf, inf, inf});
  for (const Glu& op : {Glu{F::silu}, Glu{.offset = 1}, Glu{F::sigmoid}}) {
    const std::vector<Tensor> expected = {op.function == F::silu ? silu : sigmoid};
    check_cpu(op, in, expected);
    check_gpu(op, in, expected);
  }
}

TEST(Glu, EveryDtypeAndShape) {
  for (const F function : functions)
    for (const DType dtype : dtypes)
      for (const ir::Shape& shape : {ir::Shape{}, ir::Shape{0, 3}, ir::Shape{1}, ir::Shape{3, 5}, ir::Shape{7, 1031}})
        check_op(Glu{function}, {random_tensor({dtype, shape}, 1), random_tensor({dtype, shape}, 2)});
}

TEST(Glu, ShapedGatesOfAllFloats) {
  const auto keep = [](float gate) { return std::fabs(gate) <= 1e30f; };
  const auto gates = testing::f32_samples(1 << 13, keep);
  const Tensor values = random_tensor(gates.type(), 5);
  const ir::Fill wide{.distribution = ir::Distribution::normal, .scale = 5};
  const Glu all[] = {
      {.alpha = 1.702, .limit = 7, .offset = 1}, {.alpha = -0.3}, {.limit = 2.5}, {.offset = -1.1}, {.limit = 0}};
  for (const Glu& op : all) {
    SCOPED_TRACE(ir::cat("alpha ", op.alpha, ", limit ", op.limit, ", offset ", op.offset));
    check_op(op, {gates, values});
    for (const DType dtype : {DType::f16, DType::bf16, DType::f64})
      check_op(op, {random_tensor({dtype, {5, 67}}, 1, wide), random_tensor({dtype, {5, 67}}, 2, wide)});
  }
}

TEST(Glu, LimitsKeepNaN) {
  const auto gate = Tensor::of<float>({6}, {nan, 1, inf, -inf, inf, 8});
  const auto value = Tensor::of<float>({6}, {1, nan, inf, 0, -inf, -9});
  const Glu op{.limit = 2, .offset = 1};
  const float two = 2 / (1 + std::exp(-2.0f));
  const Tensor y = Tensor::of<float>({6}, {nan, nan, 3 * two, nan, -two, -two});
  check_cpu(op, {gate, value}, {y});
  check_gpu(op, {gate, value}, {y});
}

TEST(Glu, SpecialValues) {
  const auto gate = Tensor::of<float>({6}, {-inf, -1, -0.0f, 0.0f, inf, nan});
  const auto check = [&](F function, float value, const std::vector<float>& y) {
    SCOPED_TRACE(ir::cat(ir::enum_name(function), " times ", value));
    const auto values = Tensor::of<float>({6}, std::vector<float>(6, value));
    for (const DType dtype : {DType::f32, DType::f64}) {
      const std::vector<Tensor> in = {ir::convert(gate, dtype), ir::convert(values, dtype)};
      check_cpu(Glu{function}, in, {ir::convert(Tensor::of<float>({6}, y), dtype)});
      check_gpu(Glu{function}, in, {ir::convert(Tensor::of<float>({6}, y), dtype)});
    }
  };
  check(F::relu, inf, {nan, nan, nan, nan, inf, nan});
  check(F::relu, -2, {-0.0f, -0.0f, -0.0f, -0.0f, -inf, nan});
  check(F::silu, inf, {nan, -inf, nan, nan, inf, nan});
  check(F::sigmoid, inf, {nan, inf, inf, inf, inf, nan});
  check(F::gelu, nan, {nan, nan, nan, nan, nan, nan});
}

}  // namespace
}  // namespace plumb::glu_test
