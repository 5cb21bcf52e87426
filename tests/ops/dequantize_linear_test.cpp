// Reals of codes against the truth on both executors; products narrower than f64 are rounded once.
#include "ir/ops/dequantize_linear.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::dequantize_linear_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::DequantizeLinear;
using testing::check_op;
using testing::random_tensor;

const ir::Fill scales{.distribution = ir::Distribution::uniform, .low = 0.05, .high = 0.2};

TEST(DequantizeLinear, EveryDtypeAndShape) {
  struct Case {
    ir::Shape q, scale;
    std::int64_t axis = 1, block_size = 0;
  };
  const Case all[] = {{{1}, {}}, {{13}, {1}}, {{3, 5}, {5}}, {{2, 31, 5}, {2}, 0}, {{2, 31, 5}, {2, 8, 5}, -2, 4}};
  std::size_t number = 0;
  for (const auto& [q, scale, axis, block_size] : all)
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      const DType to = std::array{dtype, DType::f32, DType::f64}[++number % 3];
      const DType code = std::array{DType::u8, DType::i8, DType::u16, DType::i16, DType::i32}[number % 5];
      SCOPED_TRACE(ir::cat(code, " ", q, " times ", dtype, " ", scale, " to ", to));
      const Tensor codes = random_tensor({code, q}, number), factors = random_tensor({dtype, scale}, 2, scales);
      DequantizeLinear op{.axis = axis, .block_size = block_size, .dtype = to};
      check_op(op, {codes, factors});
      op.has_zero_point = true;
      if (number % 2 == 0 && code != DType::i32) check_op(op, {codes, factors, random_tensor({code, scale}, 3)});
    }
}

/// The CPU's products are exact in f64, so that both round the same number: also to and of subnormal numbers, and
/// beyond the range.
TEST(DequantizeLinear, RoundsOnceLikeTheCpu) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  ref_cpu::CpuExecutor cpu;
  const ir::Fill whole{.distribution = ir::Distribution::uniform_int, .low = -32768, .high = 32768};
  const Tensor q = random_tensor({DType::i16, {301, 67}}, 1, whole);
  for (const DType to : {DType::f16, DType::bf16, DType::f32})
    for (const double size : {1.0, 1e-3, 1e-9, 1e-38, 1e-42, 2.0, 1e34}) {
      const ir::Fill around{.distribution = ir::Distribution::uniform, .low = size / 2, .high = size};
      const Tensor scale = random_tensor({DType::f32, {67}}, 2, around);
      const DequantizeLinear op{.dtype = to};
      const Tensor want = ir::run_op(cpu, op, {q, scale}).front();
      const Tensor got = ir::run_op(*testing::gpu().executor, op, {q, scale}).front();
      std::size_t differing = 0;
      const std::size_t width = ir::info(to).bytes;
      for (std::size_t i = 0; i < want.bytes().size(); i += width) {
        if (!std::ranges::equal(want.bytes().subspan(i, width), got.bytes().subspan(i, width))) ++differing;
      }
      EXPECT_EQ(differing, 0u) << to << " by scales of " << size;
    }
}

TEST(DequantizeLinear, SpecialScales) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Tensor> in = {Tensor::of<std::int8_t>({5}, {1, -2, 0, 3, 0}),
                                  Tensor::of<float>({5}, {nan, inf, inf, 0, nan})};
  const std::vector<Tensor> out = {Tensor::of<float>({5}, {nan, -inf, nan, 0, nan})};
  testing::check_cpu(DequantizeLinear{.axis = 0}, in, out);
  testing::check_gpu(DequantizeLinear{.axis = 0}, in, out);
}

}  // namespace
}  // namespace plumb::dequantize_linear_test
