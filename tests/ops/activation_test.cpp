#include "ir/ops/activation.hpp"

#include <gtest/gtest.h>

#include "ir/ops/prelu.hpp"
#include "tests/support/op_check.hpp"
#include "tests/support/samples.hpp"

namespace plumb::activation_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Activation;
using ir::ops::Prelu;
using testing::check_cpu;
using testing::check_gpu;
using testing::check_op;
using testing::random_tensor;
using F = ir::ops::ActivationFunction;

constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();

/// Each function with the defaults of ONNX and with parameters that round.
const Activation functions[] = {
    {F::leaky_relu, 0.01},
    {F::leaky_relu, -1.7},
    {F::elu, 1},
    {F::elu, 0.3},
    {F::selu, 1.67326319217681884765625, 1.05070102214813232421875},
    {F::selu, 2.1, 0.7},
    {F::celu, 1},
    {F::celu, 0.1},
    {F::celu, 37.3},
    {F::swish, 1},
    {F::swish, 1.702},
    {F::swish, -0.37},
    {F::hard_sigmoid, 0.2, 0.5},
    {F::hard_sigmoid, 0.17, -0.4},
    {F::thresholded_relu, 1},
    {F::thresholded_relu, 0},
    {F::shrink, 0.5},
    {F::shrink, 0.3, 0.7},
    {F::shrink, 0, -1.1},
    {F::scaled_tanh, 1.7159, 0.66666667},
};

std::string name_of(const Activation& op) {
  return ir::cat(ir::enum_name(op.function), " alpha ", op.alpha, " beta ", op.beta);
}

TEST(Activation, SamplesOfAllFloats) {
  for (const Activation& op : functions) {
    SCOPED_TRACE(name_of(op));
    check_op(op, {testing::f32_samples(1 << 16)});
    check_op(op, {ir::convert(testing::f32_samples(1 << 12), DType::f64)});
  }
}

TEST(Activation, EverySixteenBitCode) {
  const Activation rounding[] = {{F::leaky_relu, -1.7}, {F::elu, 0.3},
                                 {F::selu, 2.1, 0.7},   {F::celu, 37.3},
                                 {F::swish, 1.702},     {F::hard_sigmoid, 0.17, -0.4},
                                 {F::shrink, 0.3, 0.7}, {F::scaled_tanh, 1.7159, 0.66666667}};
  for (const Activation& op : rounding)
    for (const DType dtype : {DType::f16, DType::bf16}) {
      SCOPED_TRACE(ir::cat(name_of(op), ' ', dtype));
      check_op(op, {testing::all_codes(dtype)});
    }
}

TEST(Activation, ModerateNumbersOfEveryDtype) {
  for (const Activation& op : functions)
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      SCOPED_TRACE(ir::cat(name_of(op), ' ', dtype));
      const auto x = random_tensor({dtype, {7, 1031}}, 3,
                                   ir::Fill{.distribution = ir::Distribution::uniform, .low = -20, .high = 20});
      check_op(op, {x});
    }
}

TEST(Activation, Shapes) {
  for (const ir::Shape& shape :
       {ir::Shape{}, ir::Shape{0, 3}, ir::Shape{1}, ir::Shape{3, 5}, ir::Shape{2, 1, 2, 3, 1, 2, 2, 3}})
    check_op(Activation{F::elu, 0.5}, {random_tensor({DType::f32, shape}, 1)});
}

TEST(Activation, SpecialValues) {
  const auto x = Tensor::of<float>({5}, {-inf, -0.0f, 0.0f, inf, nan});
  const auto check = [&](const Activation& op, const std::vector<float>& y) {
    SCOPED_TRACE(name_of(op));
    for (const DType dtype : {DType::f32, DType::f64}) {
      check_cpu(op, {ir::convert(x, dtype)}, {ir::convert(Tensor::of<float>({5}, y), dtype)});
      check_gpu(op, {ir::convert(x, dtype)}, {ir::convert(Tensor::of<float>({5}, y), dtype)});
    }
  };
  check({F::leaky_relu, 0.5}, {-inf, 0, 0, inf, nan});
  check({F::elu, 2}, {-2, 0, 0, inf, nan});
  check({F::selu, 2, 0.5}, {-1, 0, 0, inf, nan});
  check({F::celu, 2}, {-2, 0, 0, inf, nan});
  check({F::swish, 2}, {nan, 0, 0, inf, nan});
  check({F::hard_sigmoid, 0.5, 0.25}, {0, 0.25f, 0.25f, 1, nan});
  check({F::thresholded_relu, 1}, {0, 0, 0, inf, nan});
  check({F::shrink, 0.5, 1}, {-inf, 0, 0, inf, nan});
  check({F::scaled_tanh, 3, 2}, {-3, 0, 0, 3, nan});
}

TEST(Prelu, SamplesOfAllFloats) {
  const auto x = testing::f32_samples(1 << 14);
  check_op(Prelu{}, {x, random_tensor(x.type(), 5)});
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const auto codes = testing::all_codes(dtype);
    check_op(Prelu{}, {codes, random_tensor(codes.type(), 5)});
    check_op(Prelu{}, {codes, random_tensor({dtype, {}}, 6)});
  }
}

TEST(Prelu, EveryDtypeAndBroadcast) {
  const ir::Shape slopes[] = {{}, {1}, {5}, {7, 1}, {3, 1, 1}, {1, 7, 5}, {3, 7, 5}};
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::u8, DType::i8, DType::u16,
                            DType::i16, DType::i32, DType::u32, DType::i64})
    for (const ir::Shape& slope : slopes)
      check_op(Prelu{}, {random_tensor({dtype, {3, 7, 5}}, 1), random_tensor({dtype, slope}, 2)});
  check_op(Prelu{}, {random_tensor({DType::f32, {0, 5}}, 1), random_tensor({DType::f32, {5}}, 2)});
  check_op(Prelu{}, {random_tensor({DType::f16, {2, 64, 9, 13}}, 1), random_tensor({DType::f16, {64, 1, 1}}, 2)});
}

TEST(Prelu, IntegersWrapAndNanStays) {
  check_cpu(Prelu{}, {Tensor::of<std::int8_t>({4}, {-128, -1, 0, 127}), Tensor::of<std::int8_t>({}, {3})},
            {Tensor::of<std::int8_t>({4}, {-128, -3, 0, 127})});
  check_gpu(Prelu{}, {Tensor::of<std::int8_t>({4}, {-128, -1, 0, 127}), Tensor::of<std::int8_t>({}, {3})},
            {Tensor::of<std::int8_t>({4}, {-128, -3, 0, 127})});
  const std::vector<Tensor> x = {Tensor::of<float>({3}, {nan, -2, 2}), Tensor::of<float>({3}, {0, nan, nan})};
  check_cpu(Prelu{}, x, {Tensor::of<float>({3}, {nan, nan, 2})});
  check_gpu(Prelu{}, x, {Tensor::of<float>({3}, {nan, nan, 2})});
}

}  // namespace
}  // namespace plumb::activation_test
