// Limits of products with packed weights hold for kernels that sum codes and offsets apart, as those of the ggml
// library do, where nothing is known of the kernel; and for no kernel of ours.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "ir/ops/dequant_matmul.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::parity::bounds::packed_limit_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::PackedFormat;

constexpr std::int64_t rows = 3, columns = 24;

/// A weight as a kernel sees it: d·q − m.
struct Parts {
  float d, q, m;
};

/// Rows of packed weights of mean 0, as those of trained networks are, and how a kernel reads them.
struct Weights {
  PackedFormat format;
  Tensor bytes;
  std::vector<Parts> parts;
};

void put_half(std::span<std::uint8_t> block, std::size_t at, float x) {
  const auto bits = std::bit_cast<std::uint16_t>(ir::f16(x));
  block[at] = static_cast<std::uint8_t>(bits & 255);
  block[at + 1] = static_cast<std::uint8_t>(bits >> 8);
}

float half_of(float x) { return static_cast<float>(ir::f16(x)); }

int drawn_code(std::mt19937& random) {
  return std::clamp(static_cast<int>(std::lround(std::normal_distribution<double>(7.5, 3)(random))), 0, 15);
}

/// d·(q − 8), which kernels take for d·q − 8d.
Weights q4_0(std::int64_t k, std::mt19937& random) {
  Weights made{PackedFormat::q4_0, Tensor({DType::u8, {columns, k / 32 * 18}}), {}};
  made.parts.resize(static_cast<std::size_t>(columns * k));
  const auto bytes = made.bytes.as<std::uint8_t>();
  for (std::size_t b = 0; b < bytes.size() / 18; ++b) {
    const float d = half_of(std::uniform_real_distribution<float>(0.01f, 0.02f)(random));
    put_half(bytes.subspan(b * 18, 18), 0, d);
    for (std::size_t e = 0; e < 32; ++e) {
      const int q = drawn_code(random);
      bytes[b * 18 + 2 + e % 16] |= static_cast<std::uint8_t>(e < 16 ? q : q << 4);
      made.parts[b * 32 + e] = {d, static_cast<float>(q), 8 * d};
    }
  }
  return made;
}

/// d·sc·q − dmin·sc, dmin = 7.5 d.
Weights q4_k(std::int64_t k, std::mt19937& random) {
  Weights made{PackedFormat::q4_k, Tensor({DType::u8, {columns, k / 256 * 144}}), {}};
  made.parts.resize(static_cast<std::size_t>(columns * k));
  for (std::size_t b = 0; b < made.parts.size() / 256; ++b) {
    const auto block = made.bytes.as<std::uint8_t>().subspan(b * 144, 144);
    const float d = half_of(std::uniform_real_distribution<float>(0.001f, 0.002f)(random)), least = half_of(7.5f * d);
    put_half(block, 0, d);
    put_half(block, 2, least);
    for (std::size_t g = 0; g < 8; ++g) {
      const int scale = std::uniform_int_distribution(20, 63)(random);
      const auto low = static_cast<std::uint8_t>(scale & 15), high = static_cast<std::uint8_t>(scale >> 4);
      if (g < 4) {
        block[4 + g] |= static_cast<std::uint8_t>(scale);
        block[8 + g] |= static_cast<std::uint8_t>(scale);
      } else {
        block[8 + g] = static_cast<std::uint8_t>(low | low << 4);
        block[g] |= static_cast<std::uint8_t>(high << 6);
        block[4 + g] |= static_cast<std::uint8_t>(high << 6);
      }
      for (std::size_t l = 0; l < 32; ++l) {
        const int q = drawn_code(random);
        block[16 + 32 * (g / 2) + l] |= static_cast<std::uint8_t>(g % 2 == 0 ? q : q << 4);
        const auto s = static_cast<float>(scale);
        made.parts[b * 256 + g * 32 + l] = {d * s, static_cast<float>(q), least * s};
      }
    }
  }
  return made;
}

/// Row i of x with column n of the weights: for each block of 32 a sum of x·q and one of x, scaled and added in f32.
float by_codes(std::span<const float> x, std::span<const Parts> w) {
  float total = 0;
  for (std::size_t b = 0; b < x.size(); b += 32) {
    float of_codes = 0, of_x = 0;
    for (std::size_t k = b; k < b + 32; ++k) {
      of_codes += x[k] * w[k].q;
      of_x += x[k];
    }
    total += w[b].d * of_codes;
    total -= w[b].m * of_x;
  }
  return total;
}

/// The largest error of that kernel, in limits of a kernel that is somebody else's or ours.
double worst(const Weights& weights, const Tensor& x, bool is_foreign) {
  ir::Graph graph;
  const std::vector<ir::Value> in{graph.input("x", x.type()), graph.input("w", weights.bytes.type())};
  graph.add("y", ir::ops::DequantMatmul{.format = weights.format}, in);
  const auto segment = core::segment_of(graph, 0, [&](ir::Value v) { return graph.is_source(v); });
  ref_cpu::CpuExecutor cpu;
  const auto fed = [&](ir::Value v) { return ir::passes::widen(v == in[0] ? x : weights.bytes); };
  const Bounded bounded = evaluate_bounded(cpu, segment, fed, {.arithmetic = {.is_foreign = is_foreign}});
  const auto truth = bounded.truth.outputs[0].as<double>();
  const auto limits = bounded.allowed[0].limits->probable.as<double>();
  const auto k = static_cast<std::size_t>(x.shape()[1]);
  double most = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const float got =
        by_codes(x.as<float>().subspan(i / columns * k, k), std::span(weights.parts).subspan(i % columns * k, k));
    most = std::max(most, std::abs(got - truth[i]) / limits[i]);
  }
  return most;
}

/// x of this mean, whose blocks of 32 change their sign where that is asked for.
Tensor drawn_x(std::int64_t k, double mean, bool alternates, std::mt19937& random) {
  Tensor x({DType::f32, {rows, k}});
  std::normal_distribution<double> spread(mean, 1);
  for (std::size_t i = 0; float& e : x.as<float>())
    e = static_cast<float>(spread(random) * (alternates && i++ / 32 % 2 != 0 ? -1 : 1));
  return x;
}

TEST(PackedLimit, HoldsForUnknownKernelsThatSumOffsetsApart) {
  std::mt19937 random(7);
  double most = 0;
  for (const std::int64_t k : {32, 64, 96, 256, 1024, 4096})
    for (const double mean : {0.0, 1.0, 4.0, 64.0})
      for (const bool alternates : {false, true}) {
        const Tensor x = drawn_x(k, mean, alternates, random);
        most = std::max(most, worst(q4_0(k, random), x, true));
        if (k % 256 == 0) most = std::max(most, worst(q4_k(k, random), x, true));
        ASSERT_LE(most, 1) << k << ' ' << mean << ' ' << alternates;
      }
  EXPECT_GT(most, 0.02);  // the limits are of this kind of kernel
}

TEST(PackedLimit, OfOurKernelsHasNoRoomForSuchSums) {
  std::mt19937 random(7);
  const Tensor x = drawn_x(256, 64, false, random);
  const Weights small = q4_0(256, random), large = q4_k(256, random);
  EXPECT_GT(worst(small, x, false), 5 * worst(small, x, true));
  EXPECT_GT(worst(large, x, false), 1);
}

}  // namespace
}  // namespace plumb::parity::bounds::packed_limit_test
