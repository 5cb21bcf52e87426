// Quantisers against their judge on both executors, and codes that go there and back.
#include "ir/ops/quantize_linear.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "ir/ops/dequantize_linear.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/joint_check.hpp"

namespace plumb::quantize_linear_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::kernels::CodeFormat;
using ir::ops::DequantizeLinear;
using ir::ops::QuantizeLinear;
using testing::check_jointly;
using testing::random_tensor;

constexpr CodeFormat float_codes[] = {CodeFormat::e4m3, CodeFormat::e5m2, CodeFormat::e2m1};
const ir::Fill scales{.distribution = ir::Distribution::uniform, .low = 0.05, .high = 0.2};

TEST(QuantizeLinear, EveryDtypeAndShape) {
  struct Case {
    ir::Shape x, scale;
    std::int64_t axis = 1, block_size = 0;
  };
  const Case all[] = {{{1}, {}}, {{13}, {1}}, {{3, 5}, {5}}, {{2, 31, 5}, {2}, 0}, {{2, 31, 5}, {2, 8, 5}, -2, 4}};
  std::size_t number = 0;
  for (const auto& [x, scale, axis, block_size] : all)
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      const DType of_scale = std::array{dtype, DType::f32, DType::f64}[++number % 3];
      const DType code = std::array{DType::u8, DType::i8, DType::u16, DType::i16}[number / 2 % 4];
      SCOPED_TRACE(ir::cat(dtype, " ", x, " over ", of_scale, " ", scale, " to ", code));
      const Tensor numbers = random_tensor({dtype, x}, number), over = random_tensor({of_scale, scale}, 2, scales);
      QuantizeLinear op{.dtype = code, .axis = axis, .block_size = block_size};
      check_jointly(op, {numbers, over});
      op.has_zero_point = true;
      if (number % 2 == 0) check_jointly(op, {numbers, over, random_tensor({code, scale}, 3)});
    }
}

TEST(QuantizeLinear, FloatCodes) {
  for (const CodeFormat code : float_codes)
    for (const DType dtype : {DType::f16, DType::f32, DType::f64})
      for (const bool saturate : {true, false}) {
        if (!saturate && code == CodeFormat::e2m1) continue;
        const ir::Fill wide{.distribution = ir::Distribution::normal, .scale = code == CodeFormat::e5m2 ? 3e3 : 60};
        const Tensor x = random_tensor({dtype, {7, 301}}, 5, wide), scale = random_tensor({DType::f32, {7}}, 6, scales);
        check_jointly(QuantizeLinear{.dtype = DType::u8, .axis = 0, .code = code, .saturate = saturate}, {x, scale});
      }
}

/// Every number of a format has its own code again; all NaNs have one.
void expect_back(ir::Executor& executor, CodeFormat format, DType dtype) {
  SCOPED_TRACE(ir::cat(executor.name(), " ", ir::enum_name(format), " in ", dtype));
  const int count = format == CodeFormat::e2m1 ? 16 : 256;
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(count));
  std::iota(codes.begin(), codes.end(), std::uint8_t{0});
  const Tensor given = Tensor::of<std::uint8_t>({count}, codes);
  const Tensor half = ir::convert(Tensor::of<float>({}, {0.5f}), dtype);
  const Tensor numbers = ir::run_op(executor, DequantizeLinear{.code = format}, {given, half}).front();
  const QuantizeLinear op{.dtype = DType::u8, .code = format, .saturate = format == CodeFormat::e2m1};
  const Tensor back = ir::run_op(executor, op, {numbers, half}).front();
  const Tensor wide = ir::convert(numbers, DType::f64);
  for (std::size_t i = 0; i < codes.size(); ++i)
    EXPECT_EQ(back.as<std::uint8_t>()[i], std::isnan(wide.as<double>()[i]) ? 0x7F : codes[i]) << i;
}

TEST(QuantizeLinear, FloatCodesGoThereAndBack) {
  ref_cpu::CpuExecutor cpu;
  for (const CodeFormat format : float_codes)
    for (const DType dtype : {DType::f32, DType::f64}) {
      expect_back(cpu, format, dtype);
      if (testing::gpu().executor != nullptr) expect_back(*testing::gpu().executor, format, dtype);
    }
}

/// No scale of 2^k rounds a quotient: every executor gives the code of the exact one, ties among them.
TEST(QuantizeLinear, ScalesOfPowersOfTwoAreExact) {
  std::vector<float> x;
  for (int i = -600; i < 600; ++i) x.push_back(static_cast<float>(i) / 4);
  for (const float scale : {0.5f, 1.0f, 0x1p-3f, -2.0f}) {
    std::vector<std::int8_t> codes;
    for (const float one : x)
      codes.push_back(static_cast<std::int8_t>(std::clamp(std::nearbyint(one / scale), -128.0f, 127.0f)));
    const auto count = static_cast<std::int64_t>(x.size());
    const std::vector<Tensor> in = {Tensor::of<float>({count}, x), Tensor::of<float>({}, {scale})};
    testing::check_cpu(QuantizeLinear{}, in, {Tensor::of<std::int8_t>({count}, codes)});
    testing::check_gpu(QuantizeLinear{}, in, {Tensor::of<std::int8_t>({count}, codes)});
  }
}

TEST(QuantizeLinear, SpanMoreThan65535Workgroups) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  constexpr std::int64_t n = std::int64_t{65535} * 512 + 4567;  // 512 elements a workgroup
  Tensor x({DType::f16, {n}});
  std::uint32_t bits = 0;  // They are those of numbers from 0 up to 2.
  for (ir::f16& one : x.as<ir::f16>()) one = ir::f16::from_bits(static_cast<std::uint16_t>(bits++ & 0x3FFFu));
  const Tensor scale = ir::convert(Tensor::of<float>({}, {0x1p-5f}), DType::f16);
  ref_cpu::CpuExecutor cpu;
  const Tensor want = ir::run_op(cpu, QuantizeLinear{}, {x, scale}).front();
  const Tensor got = ir::run_op(*testing::gpu().executor, QuantizeLinear{}, {x, scale}).front();
  EXPECT_TRUE(std::ranges::equal(want.bytes(), got.bytes()));
}

}  // namespace
}  // namespace plumb::quantize_linear_test
