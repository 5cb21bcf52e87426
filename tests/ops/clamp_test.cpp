#include "ir/ops/clamp.hpp"

#include <gtest/gtest.h>

#include "tests/support/op_check.hpp"
#include "tests/support/samples.hpp"

namespace plumb::clamp_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Clamp;
using testing::check_op;
using testing::random_tensor;

constexpr std::array numbers = {DType::u8,  DType::i8,  DType::u16,  DType::i16, DType::i32, DType::u32,
                                DType::i64, DType::f16, DType::bf16, DType::f32, DType::f64};

TEST(Clamp, NanPropagatesAndTheUpperLimitWins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector operands = {Tensor::of<float>({6}, {5, nan, 1, 1, -9, 2}),
                                Tensor::of<float>({6}, {0, 0, nan, 0, 0, 7}),
                                Tensor::of<float>({6}, {3, 3, 3, nan, 3, -7})};
  const std::vector expected = {Tensor::of<float>({6}, {3, nan, nan, nan, 0, -7})};
  testing::check_cpu(Clamp{}, operands, expected);
  testing::check_gpu(Clamp{}, operands, expected);
}

TEST(Clamp, EveryDtypeWithEitherLimit) {
  for (const DType dtype : numbers) {
    const Tensor x =
        ir::is_float(dtype) ? ir::convert(testing::f32_samples(1000), dtype) : testing::integer_samples(dtype);
    const Tensor low = Tensor({dtype, {}}), high = random_tensor({dtype, x.shape()}, 2);
    check_op(Clamp{true, true}, {x, low, high});
    check_op(Clamp{true, false}, {x, high});
    check_op(Clamp{false, true}, {x, low});
    check_op(Clamp{false, false}, {x});
  }
}

TEST(Clamp, LimitsBroadcastAndStretchX) {
  struct Shapes {
    ir::Shape x, low, high;
  };
  const Shapes cases[] = {
      {{5, 8}, {8}, {5, 1}}, {{5, 7}, {}, {7}}, {{1, 7}, {3, 1}, {}}, {{}, {4}, {}}, {{0, 4}, {4}, {1, 1}}};
  for (const auto& [x, low, high] : cases)
    for (const DType dtype : {DType::f32, DType::bf16, DType::i16, DType::f64})
      check_op(Clamp{},
               {random_tensor({dtype, x}, 1), random_tensor({dtype, low}, 2), random_tensor({dtype, high}, 3)});
}

}  // namespace
}  // namespace plumb::clamp_test
