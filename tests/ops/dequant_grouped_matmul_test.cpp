// Products with the packed weights of experts: against the truth, and against the ops that they stand for.
#include "ir/ops/dequant_grouped_matmul.hpp"

#include <gtest/gtest.h>

#include "ir/kernels/packed/fill.hpp"
#include "ir/ops/grouped_matmul.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/experts.hpp"

namespace plumb::dequant_grouped_matmul_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::DequantGroupedMatmul;
using F = ir::ops::PackedFormat;
using testing::check_op;
using testing::random_experts;
using testing::random_tensor;

constexpr F in_blocks[] = {F::q4_0, F::q4_1, F::q5_0, F::q5_1, F::q8_0, F::iq4_nl, F::mxfp4,
                           F::q2_k, F::q3_k, F::q4_k, F::q5_k, F::q6_k, F::iq4_xs};

Tensor bank(F format, std::int64_t experts, std::int64_t rows, std::int64_t blocks) {
  const std::int64_t bytes = ir::kernels::packed::layout(format).bytes;
  return ir::kernels::packed::fill({DType::u8, {experts, rows, blocks * bytes}}, format, 3, 1);
}

/// Devices are asked for two of the formats: their kernel is that of dequant_matmul, which is asked for all.
TEST(DequantGroupedMatmul, EveryFormat) {
  std::size_t number = 0;
  for (const F format : in_blocks) {
    const std::int64_t k = 3 * ir::kernels::packed::layout(format).elements;
    const bool is_known = format == F::q4_k || format == F::mxfp4;
    check_op(DequantGroupedMatmul{.format = format},
             {random_tensor({DType::f32, {19, k}}, ++number), bank(format, 4, 31, 3),
              random_experts(DType::i64, 19, 4, number)},
             is_known ? testing::Where::cpu_and_gpu : testing::Where::cpu_only);
  }
}

TEST(DequantGroupedMatmul, IsTheProductWithTheNumbersThatItsCodesAre) {
  ref_cpu::CpuExecutor cpu;
  for (const F format : in_blocks) {
    SCOPED_TRACE(ir::enum_name(format));
    const Tensor codes = bank(format, 3, 9, 2);
    const Tensor w = ir::run_op(cpu, ir::ops::Dequantize{.format = format}, {codes}).front();
    const Tensor x = random_tensor({DType::f32, {14, w.shape()[2]}}, 8), bias = random_tensor({DType::f32, {3, 9}}, 9);
    const Tensor expert = random_experts(DType::i32, 14, 3, 5);
    const Tensor expected =
        ir::run_op(cpu, ir::ops::GroupedMatmul{.transpose_w = true, .has_bias = true}, {x, w, expert, bias}).front();
    const DequantGroupedMatmul op{.format = format, .has_bias = true};
    EXPECT_TRUE(tests::same_bytes(ir::run_op(cpu, op, {x, codes, expert, bias}).front(), expected));
  }
}

TEST(DequantGroupedMatmul, BiasDtypesAndRoundedWeights) {
  const Tensor codes = bank(F::q6_k, 3, 7, 2), expert = random_experts(DType::i64, 11, 3, 4);
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const Tensor x = random_tensor({dtype, {11, 512}}, 1), bias = random_tensor({dtype, {3, 7}}, 2);
    const auto where = dtype == DType::f32 ? testing::Where::cpu_only : testing::Where::cpu_and_gpu;
    check_op(DequantGroupedMatmul{.format = F::q6_k, .has_bias = true}, {x, codes, expert, bias}, where);
    if (ir::info(dtype).bytes != 2) continue;
    const auto to = dtype == DType::f16 ? ir::ops::WeightDtype::f16 : ir::ops::WeightDtype::bf16;
    check_op(DequantGroupedMatmul{.format = F::q6_k, .weight_dtype = to, .dtype = DType::f32}, {x, codes, expert},
             testing::Where::cpu_only);
  }
}

TEST(DequantGroupedMatmul, ScalesBesideTheCodes) {
  const ir::Fill around{.distribution = ir::Distribution::uniform, .low = 0, .high = 15};
  const Tensor x = random_tensor({DType::f32, {6, 38}}, 1), codes = tests::noise({DType::u8, {3, 5, 19}}, 2);
  const Tensor expert = random_experts(DType::i32, 6, 3, 6), bias = random_tensor({DType::f32, {3, 5}}, 5);
  for (const std::int64_t block : {0, 8, 38}) {
    const DequantGroupedMatmul op{
        .format = F::uint4, .block_size = block, .has_scales = true, .has_zero_points = true, .has_bias = true};
    const ir::TensorType side{DType::f32, ir::kernels::packed::scale_shape(op.packing(), codes.shape())};
    check_op(op, {x, codes, random_tensor(side, 3), random_tensor(side, 4, around), expert, bias});
  }
}

TEST(DequantGroupedMatmul, AnExpertThatThereIsNotNamesNodePositionAndValue) {
  testing::expect_faults_of_experts(
      DequantGroupedMatmul{.format = F::q8_0},
      {Tensor({DType::f32, {3, 32}}), Tensor({DType::u8, {2, 5, 34}}), Tensor({DType::i32, {3}})}, 2);
}

}  // namespace
}  // namespace plumb::dequant_grouped_matmul_test
