// Numbers as packed codes on both executors, and what the judge admits: another scale within its roundings, codes near
// a step, either sign of two equal sizes.
#include "ir/ops/quantize_blocks.hpp"

#include <gtest/gtest.h>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/joint_check.hpp"
#include "tests/support/noise.hpp"

namespace plumb::quantize_blocks_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::QuantizeBlocks;
using F = ir::ops::PackedFormat;
using testing::check_jointly;
using testing::random_tensor;

constexpr F formats[] = {F::q4_0, F::q4_1, F::q5_0, F::q5_1, F::q8_0, F::mxfp4};

TEST(QuantizeBlocks, EveryFormatAndDtype) {
  std::size_t number = 0;
  for (const F format : formats)
    for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
      if (dtype != DType::f32 && ++number % 3 != 0) continue;  // fixtures have the others
      for (const double scale : {1e-3, 1.0, 300.0}) {
        const ir::Fill how{.distribution = ir::Distribution::normal, .scale = scale};
        check_jointly(QuantizeBlocks{format}, {random_tensor({dtype, {5, 3 * 32}}, number, how)});
      }
      check_jointly(QuantizeBlocks{format}, {Tensor({dtype, {0, 32}})});
    }
}

TEST(QuantizeBlocks, SubnormalLargeAndEqualNumbers) {
  for (const F format : formats)
    for (const double scale : {0.0, 0x1p-140, 0x1p-126, 0x1p-110, 0x1p-24, 0x1p20, 0x1p120}) {
      std::vector<float> x;
      for (int e = 0; e < 64; ++e) x.push_back(static_cast<float>(scale * (e < 32 ? 1 : e - 47.5)));
      check_jointly(QuantizeBlocks{format}, {Tensor::of<float>({2, 32}, x)}, testing::Data::ill_conditioned,
                    testing::Where::cpu_only);
    }
}

/// The judge's words on codes that differ from the CPU's in one byte.
std::string said_of(F format, const std::vector<float>& x, std::size_t byte, int changed) {
  ref_cpu::CpuExecutor cpu;
  const Tensor numbers = Tensor::of<float>({32}, x);
  std::vector<Tensor> codes = ir::run_op(cpu, QuantizeBlocks{format}, {numbers});
  codes[0].as<std::uint8_t>()[byte] = static_cast<std::uint8_t>(codes[0].as<std::uint8_t>()[byte] ^ changed);
  return testing::complaint_of(testing::judged(QuantizeBlocks{format}, {numbers}, codes));
}

std::vector<float> ordinary() {
  const Tensor x = random_tensor({DType::f32, {32}}, 9);
  return {x.as<float>().begin(), x.as<float>().end()};
}

TEST(QuantizeBlocks, AWrongCodeOrScaleIsFound) {
  for (const F format : formats) {
    SCOPED_TRACE(ir::enum_name(format));
    const auto bytes = static_cast<std::size_t>(ir::kernels::packed::layout(format).bytes);
    EXPECT_EQ(said_of(format, ordinary(), 0, 0), "");
    EXPECT_NE(said_of(format, ordinary(), 0, 1), "");          // the scale's last bit
    EXPECT_NE(said_of(format, ordinary(), bytes - 1, 1), "");  // a code's
    EXPECT_NE(said_of(format, ordinary(), bytes - 16, 16), "");
  }
}

TEST(QuantizeBlocks, EitherSignOfEqualSizesIsRight) {
  std::vector<float> x(32, 0.3f);
  x[3] = 2.7f;
  x[9] = -2.7f;
  ref_cpu::CpuExecutor cpu;
  const Tensor numbers = Tensor::of<float>({32}, x);
  std::swap(x[3], x[9]);  // the other one comes first, and its code goes where it came from
  std::vector<Tensor> codes = ir::run_op(cpu, QuantizeBlocks{F::q4_0}, {Tensor::of<float>({32}, x)});
  const auto bytes = codes[0].as<std::uint8_t>();
  const int third = bytes[5] & 15, ninth = bytes[11] & 15;
  bytes[5] = static_cast<std::uint8_t>((bytes[5] & 0xF0) | ninth);
  bytes[11] = static_cast<std::uint8_t>((bytes[11] & 0xF0) | third);
  EXPECT_EQ(testing::complaint_of(testing::judged(QuantizeBlocks{F::q4_0}, {numbers}, codes)), "");
  bytes[1] ^= 0x80;  // the codes of one sign under the scale of the other
  EXPECT_NE(testing::complaint_of(testing::judged(QuantizeBlocks{F::q4_0}, {numbers}, codes)), "");
}

TEST(QuantizeBlocks, NumbersThatAreNotFiniteAreRefused) {
  ref_cpu::CpuExecutor cpu;
  std::vector<float> x(64, 1.0f);
  x[40] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(tests::message_of([&] {
              ir::run_op(cpu, QuantizeBlocks{}, {Tensor::of<float>({2, 32}, x)});
            }),
            "node 'y' (quantize_blocks): x[40] is inf, which no code stands for");
}

}  // namespace
}  // namespace plumb::quantize_blocks_test
