// Packed weights on both executors against a decoder of its own, which goes through the bytes of a block and puts what
// each holds where it belongs (ops.md A): executors go by elements that share a scale, element programs by elements.
#include "ir/ops/dequantize.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::dequantize_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Dequantize;
using F = ir::ops::PackedFormat;
using testing::check_op;
using testing::random_tensor;

constexpr F in_blocks[] = {F::q4_0, F::q4_1, F::q5_0, F::q5_1, F::q8_0, F::iq4_nl, F::mxfp4,
                           F::q2_k, F::q3_k, F::q4_k, F::q5_k, F::q6_k, F::iq4_xs};
constexpr DType reals[] = {DType::f16, DType::bf16, DType::f32, DType::f64};
constexpr double uneven[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr double twice_e2m1[] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

using Byte = const std::uint8_t*;

double half(Byte b) {
  const int bits = b[0] | b[1] << 8, field = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (field == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  return sign * std::ldexp(fraction + (field != 0 ? 1024 : 0), (field != 0 ? field : 1) - 25);
}

/// The codes of a block, and for every 16 elements the factor of codes and what is added to their product. All of it is
/// exact in double.
struct Unpacked {
  std::array<int, 256> q{};
  std::array<double, 16> scale{}, added{};
};

/// Nibbles of 16 bytes, a byte for elements that are 16 apart.
void put_nibbles(Byte codes, int* q) {
  for (int i = 0; i < 16; ++i) {
    q[i] += codes[i] % 16;
    q[i + 16] += codes[i] / 16;
  }
}

/// Bits of a byte, `bits` at once, for elements that are 32 apart: each adds its share.
void put_fields(Byte codes, int count, int bits, int weight, int* q) {
  for (int i = 0; i < count; ++i)
    for (int field = 0; field < 8 / bits; ++field)
      q[i / 32 * 32 * (8 / bits) + 32 * field + i % 32] += (codes[i] >> field * bits) % (1 << bits) * weight;
}

void shift(Unpacked& block, int by) {
  for (int& q : block.q) q += by;
}

/// Bit e of four bytes belongs to element e.
void put_fifth_bits(Byte bytes, int* q) {
  for (int e = 0; e < 32; ++e) q[e] += (bytes[e / 8] >> e % 8) % 2 * 16;
}

Unpacked small(F format, Byte b) {
  Unpacked block;
  const bool has_minimum = format == F::q4_1 || format == F::q5_1;
  block.scale.fill(format == F::mxfp4 ? std::ldexp(1.0, b[0] - 128) : half(b));
  if (has_minimum) block.added.fill(half(b + 2));
  const int head = format == F::mxfp4 ? 1 : has_minimum ? 4 : 2;
  if (format == F::q8_0) {
    for (int e = 0; e < 32; ++e) block.q[static_cast<std::size_t>(e)] = b[2 + e] < 128 ? b[2 + e] : b[2 + e] - 256;
    return block;
  }
  const bool has_five = format == F::q5_0 || format == F::q5_1;
  put_nibbles(b + head + (has_five ? 4 : 0), block.q.data());
  if (has_five) put_fifth_bits(b + head, block.q.data());
  if (format == F::q4_0 || format == F::q5_0) shift(block, has_five ? -16 : -8);
  return block;
}

/// The twelve bytes of q4_k and q5_k hold eight scales, then eight minima.
void put_six_bits(Byte b, Unpacked& block) {
  for (std::size_t part = 0; part < 16; ++part) {
    const std::size_t j = part / 2, of = j % 4;
    const int scale = j < 4 ? b[4 + of] % 64 : b[12 + of] % 16 + b[4 + of] / 64 * 16;
    const int minimum = j < 4 ? b[8 + of] % 64 : b[12 + of] / 16 + b[8 + of] / 64 * 16;
    block.scale[part] = half(b) * scale;
    block.added[part] = -half(b + 2) * minimum;
  }
}

Unpacked large(F format, Byte b) {
  Unpacked block;
  int* const q = block.q.data();
  if (format == F::q4_k || format == F::q5_k) {
    put_six_bits(b, block);
    put_fields(b + (format == F::q4_k ? 16 : 48), 128, 4, 1, q);
    if (format == F::q5_k) put_fields(b + 16, 32, 1, 16, q);
  } else if (format == F::q2_k) {
    put_fields(b + 16, 64, 2, 1, q);
    for (std::size_t part = 0; part < 16; ++part) {
      block.scale[part] = half(b + 80) * (b[part] % 16);
      block.added[part] = -half(b + 82) * (b[part] / 16);
    }
  } else if (format == F::q3_k) {
    put_fields(b + 32, 64, 2, 1, q);
    put_fields(b, 32, 1, 4, q);
    shift(block, -4);
    for (std::size_t part = 0; part < 16; ++part) {
      const int low = part < 8 ? b[96 + part] % 16 : b[88 + part] / 16, high = (b[104 + part % 4] >> part / 4 * 2) % 4;
      block.scale[part] = half(b + 108) * (low + 16 * high - 32);
    }
  } else if (format == F::q6_k) {
    for (int i = 0; i < 128; ++i) {
      q[i / 64 * 128 + i % 64] += b[i] % 16;
      q[i / 64 * 128 + i % 64 + 64] += b[i] / 16;
    }
    put_fields(b + 128, 64, 2, 16, q);
    shift(block, -32);
    for (std::size_t part = 0; part < 16; ++part)
      block.scale[part] = half(b + 208) * (b[192 + part] < 128 ? b[192 + part] : b[192 + part] - 256);
  } else {  // iq4_xs
    for (int g = 0; g < 8; ++g) put_nibbles(b + 8 + 16 * g, q + 32 * g);
    for (std::size_t part = 0; part < 16; ++part) {
      const std::size_t g = part / 2;
      const int low = g % 2 == 0 ? b[4 + g / 2] % 16 : b[4 + g / 2] / 16, high = (b[2 + g / 4] >> g % 4 * 2) % 4;
      block.scale[part] = half(b) * (low + 16 * high - 32);
    }
  }
  return block;
}

std::vector<float> decoded(F format, std::span<const std::uint8_t> bytes) {
  const auto [elements, size, scales, halves] = ir::kernels::packed::layout(format);
  std::vector<float> values;
  for (auto at = bytes.data(); at < bytes.data() + bytes.size(); at += size) {
    const Unpacked block = elements == 32 ? small(format, at) : large(format, at);
    for (std::size_t e = 0; e < static_cast<std::size_t>(elements); ++e) {
      double q = block.q[e];
      if (format == F::iq4_nl || format == F::iq4_xs) q = uneven[block.q[e]];
      if (format == F::mxfp4) q = twice_e2m1[block.q[e]];
      values.push_back(static_cast<float>(block.scale[e / 16] * q + block.added[e / 16]));
    }
  }
  return values;
}

/// The first element that is not the same number, or both NaN; -1 for none.
std::int64_t first_difference(std::span<const float> expected, std::span<const float> got) {
  if (expected.size() != got.size()) return 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(expected[i] == got[i]) && !(std::isnan(expected[i]) && std::isnan(got[i])))
      return static_cast<std::int64_t>(i);
  return -1;
}

TEST(Dequantize, TenThousandBlocksOfEveryFormat) {
  ref_cpu::CpuExecutor cpu;
  for (const F format : in_blocks) {
    SCOPED_TRACE(ir::enum_name(format));
    const Tensor codes = tests::noise({DType::u8, {80, 125 * ir::kernels::packed::layout(format).bytes}}, 7);
    const std::vector<float> expected = decoded(format, codes.as<std::uint8_t>());
    const Dequantize op{.format = format};
    EXPECT_EQ(first_difference(expected, ir::run_op(cpu, op, {codes}).front().as<float>()), -1);
    if (testing::gpu().executor == nullptr) continue;
    EXPECT_EQ(first_difference(expected, ir::run_op(*testing::gpu().executor, op, {codes}).front().as<float>()), -1);
  }
}

TEST(Dequantize, EveryDtypeAndShape) {
  for (const F format : in_blocks) {
    const std::int64_t bytes = ir::kernels::packed::layout(format).bytes;
    for (const DType dtype : reals)
      if (dtype == reals[static_cast<std::size_t>(format) % 4])  // f32 is asked of more blocks
        check_op(Dequantize{.format = format, .dtype = dtype}, {tests::noise({DType::u8, {2, 1, 3 * bytes}}, 3)});
    check_op(Dequantize{.format = format}, {tests::noise({DType::u8, {257 * bytes}}, 4)});
    check_op(Dequantize{.format = format}, {tests::noise({DType::u8, {0, bytes}})});
    check_op(Dequantize{.format = format}, {tests::noise({DType::u8, {3, 0}})});
  }
}

TEST(Dequantize, ScalesBesideTheCodes) {
  const ir::Fill around{.distribution = ir::Distribution::uniform, .low = -9, .high = 140};
  std::size_t number = 0;  // dtypes of scales and results take turns
  for (const F format : {F::int8, F::uint8, F::int4, F::uint4, F::fp8_e4m3, F::fp8_e5m2})
    for (const std::int64_t block : {0, 7, 50})
      for (const bool has_zero_points : {false, true}) {
        const bool is_affine = ir::kernels::packed::layout(format).scales == ir::ops::PackedScales::affine;
        if (has_zero_points && !is_affine) continue;
        const DType scales = reals[number % 4], dtype = reals[number / 4 % 4];
        ++number;
        const Dequantize op{format, dtype, block, true, has_zero_points};
        const Tensor codes = tests::noise({format == F::int8 ? DType::i8 : DType::u8, {3, 38}}, 5);
        const ir::TensorType side{scales, ir::kernels::packed::scale_shape(op.packing(), {3, 38})};
        std::vector<Tensor> operands = {codes, random_tensor(side, 6)};
        if (has_zero_points) operands.push_back(random_tensor(side, 7, around));
        check_op(op, operands, testing::Data::ill_conditioned);  // fp8 has infinities and NaN
      }
}

TEST(Dequantize, EveryCodeOfOcpMxUnderEveryExponent) {
  for (const F format : {F::mxfp8_e4m3, F::mxfp8_e5m2, F::mxfp4_ocp}) {
    std::vector<std::uint8_t> codes, exponents;
    const std::int64_t scales = format == F::mxfp4_ocp ? 16 : 8;
    for (int exponent = 0; exponent < 256; ++exponent) {
      for (int code = 0; code < 256; ++code) codes.push_back(static_cast<std::uint8_t>(code));
      exponents.insert(exponents.end(), static_cast<std::size_t>(scales), static_cast<std::uint8_t>(exponent));
    }
    for (const DType dtype : {DType::f32, DType::bf16})
      check_op(Dequantize{.format = format, .dtype = dtype, .has_scales = true},
               {Tensor::of<std::uint8_t>({256, 256}, codes), Tensor::of<std::uint8_t>({256, scales}, exponents)});
  }
}

}  // namespace
}  // namespace plumb::dequantize_test
