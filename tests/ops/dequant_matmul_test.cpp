// Products with packed weights: against the truth, and against the product of the two ops that it stands for.
#include "ir/ops/dequant_matmul.hpp"

#include <gtest/gtest.h>

#include "ir/kernels/packed/fill.hpp"
#include "ir/ops/matmul.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::dequant_matmul_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::DequantMatmul;
using F = ir::ops::PackedFormat;
using testing::check_op;
using testing::random_tensor;

constexpr F in_blocks[] = {F::q4_0, F::q4_1, F::q5_0, F::q5_1, F::q8_0, F::iq4_nl, F::mxfp4,
                           F::q2_k, F::q3_k, F::q4_k, F::q5_k, F::q6_k, F::iq4_xs};

Tensor packed(F format, std::int64_t rows, std::int64_t blocks) {
  const std::int64_t bytes = ir::kernels::packed::layout(format).bytes;
  return ir::kernels::packed::fill({DType::u8, {rows, blocks * bytes}}, format, 3, 1);
}

TEST(DequantMatmul, EveryFormat) {
  std::size_t number = 0;
  for (const F format : in_blocks) {
    const std::int64_t elements = ir::kernels::packed::layout(format).elements;
    const ir::Shape shape = number % 2 == 0 ? ir::Shape{3, 3 * elements} : ir::Shape{33, 3 * elements};
    const DType dtype = number % 3 == 2 ? DType::f16 : DType::f32;
    ++number;
    check_op(DequantMatmul{.format = format}, {random_tensor({dtype, shape}, number), packed(format, 31, 3)});
  }
}

TEST(DequantMatmul, IsTheProductWithTheNumbersThatItsCodesAre) {
  ref_cpu::CpuExecutor cpu;
  for (const F format : in_blocks) {
    SCOPED_TRACE(ir::enum_name(format));
    const Tensor codes = packed(format, 9, 2);
    const Tensor w = ir::run_op(cpu, ir::ops::Dequantize{.format = format}, {codes}).front();
    const Tensor x = random_tensor({DType::f32, {4, w.shape()[1]}}, 8);
    const Tensor expected = ir::run_op(cpu, ir::ops::Matmul{false, true, {}}, {x, w}).front();
    EXPECT_TRUE(tests::same_bytes(ir::run_op(cpu, DequantMatmul{.format = format}, {x, codes}).front(), expected));
  }
}

TEST(DequantMatmul, BiasDtypesAndRoundedWeights) {
  const Tensor codes = packed(F::q6_k, 7, 2);
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const Tensor x = random_tensor({dtype, {2, 3, 512}}, 1), bias = random_tensor({dtype, {7}}, 2);
    check_op(DequantMatmul{.format = F::q6_k, .has_bias = true}, {x, codes, bias});
    if (ir::info(dtype).bytes != 2) continue;
    const auto to = dtype == DType::f16 ? ir::ops::WeightDtype::f16 : ir::ops::WeightDtype::bf16;
    check_op(DequantMatmul{.format = F::q6_k, .weight_dtype = to, .dtype = DType::f32}, {x, codes});
  }
  check_op(DequantMatmul{.format = F::q6_k}, {random_tensor({DType::f32, {512}}, 1), codes});
}

TEST(DequantMatmul, ScalesBesideTheCodes) {
  const ir::Fill around{.distribution = ir::Distribution::uniform, .low = 0, .high = 15};
  const Tensor x = random_tensor({DType::f32, {3, 38}}, 1), codes = tests::noise({DType::u8, {5, 19}}, 2);
  for (const std::int64_t block : {0, 8, 38}) {
    const DequantMatmul op{
        .format = F::uint4, .block_size = block, .has_scales = true, .has_zero_points = true, .has_bias = true};
    const ir::TensorType side{DType::f32, ir::kernels::packed::scale_shape(op.packing(), codes.shape())};
    check_op(op,
             {x, codes, random_tensor(side, 3), random_tensor(side, 4, around), random_tensor({DType::f32, {5}}, 5)});
  }
}

TEST(DequantMatmul, CodesOfX) {
  const ir::Fill any{.distribution = ir::Distribution::uniform_int, .low = -128, .high = 128};
  const Tensor codes = packed(F::q4_k, 5, 1), x = random_tensor({DType::i8, {3, 256}}, 1, any);
  const Tensor scales = random_tensor({DType::f32, {3, 8}}, 2), bias = random_tensor({DType::f16, {5}}, 3);
  check_op(DequantMatmul{.format = F::q4_k, .has_x_scales = true}, {x, codes, scales});
  check_op(DequantMatmul{.format = F::q4_k, .has_x_scales = true, .has_bias = true, .dtype = DType::f16},
           {x, codes, scales, bias});
}

/// Codes times powers of two are numbers of f32.
TEST(DequantMatmul, OfCodesIsTheProductOfTheNumbersThatTheyAre) {
  ref_cpu::CpuExecutor cpu;
  std::vector<std::int8_t> codes;
  std::vector<float> numbers;
  for (std::size_t k = 0; k < 2 * 41; ++k) {
    const float scale = k % 41 < 32 ? 0.25f : 2.0f;
    codes.push_back(static_cast<std::int8_t>(37 * k - 128));
    numbers.push_back(scale * static_cast<float>(codes.back()));
  }
  const Tensor w = tests::noise({DType::i8, {7, 41}}, 4), by_row = random_tensor({DType::f32, {7, 1}}, 5);
  const Tensor scales = Tensor::of<float>({2, 2}, {0.25f, 2, 0.25f, 2});
  const DequantMatmul of_numbers{.format = F::int8, .has_scales = true};
  const Tensor expected = ir::run_op(cpu, of_numbers, {Tensor::of<float>({2, 41}, numbers), w, by_row}).front();
  const DequantMatmul of_codes{.format = F::int8, .has_scales = true, .has_x_scales = true};
  const Tensor x = Tensor::of<std::int8_t>({2, 41}, codes);
  EXPECT_TRUE(tests::same_bytes(ir::run_op(cpu, of_codes, {x, w, by_row, scales}).front(), expected));
}

}  // namespace
}  // namespace plumb::dequant_matmul_test
