#include "ir/fill.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "ir/raw/philox.hpp"
#include "ir/raw/threads.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::fill_test {
namespace {

constexpr DType all_dtypes[] = {DType::boolean, DType::u8,  DType::i8,  DType::u16, DType::i16,
                                DType::i32,     DType::u32, DType::i64, DType::f16, DType::bf16,
                                DType::f32,     DType::f64, DType::c64, DType::c128};

Fill make(
    Distribution distribution, std::function<void(Fill&)> set = [](Fill&) {}) {
  Fill fill;
  fill.distribution = distribution;
  set(fill);
  return fill;
}

std::string refusal(DType dtype, const Fill& f) {
  return tests::message_of([&] { fill({dtype, {4}}, f, 1, 0); });
}

TEST(Philox, AgreesWithTheTableOfRandom123) {
  EXPECT_EQ(raw::philox({0, 0, 0, 0}, {0, 0}), (raw::PhiloxWords{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(raw::philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (raw::PhiloxWords{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(raw::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (raw::PhiloxWords{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, BlocksOfAStreamAreCountedInTheFirstTwoWords) {
  EXPECT_EQ(raw::philox_block(1, 0, 0, 0), (raw::PhiloxWords{0xe3e80670, 0xe50a0ebc, 0x95f222c0, 0xb615aa27}));
  EXPECT_EQ(raw::philox_block(1, 0, 0, 1), (raw::PhiloxWords{0xac08141b, 0xdfc5ccbe, 0x79c07a47, 0xa7f66093}));
  EXPECT_EQ(raw::philox_block(1, 5, 2, 0), (raw::PhiloxWords{0xa678861e, 0x8f8c45fb, 0x0cb0f6ad, 0xcea75f05}));
  EXPECT_EQ(raw::philox_block(~0ull, 3, 4, 5ull << 32 | 6), raw::philox({6, 5, 3, 4}, {~0u, ~0u}));
}

TEST(Fill, UniformIsTheUpperBitsOfEachWord) {
  const auto y = fill({DType::f32, {5}}, make(Distribution::uniform), 1, 0);
  const std::uint32_t words[] = {0xe3e80670, 0xe50a0ebc, 0x95f222c0, 0xb615aa27, 0xac08141b};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(y.as<float>()[i], std::ldexp(float(words[i] >> 8), -24)) << i;
}

TEST(Fill, NormalPairsTwoWords) {
  const auto y = fill({DType::f64, {3}}, make(Distribution::normal), 1, 0);
  const double radius = std::sqrt(-2 * std::log((0xe3e806 + 1) * 0x1p-24));
  const double angle = 2 * std::acos(-1) * 0xe50a0e * 0x1p-24;
  EXPECT_NEAR(y.as<double>()[0], radius * std::cos(angle), 1e-7);
  EXPECT_NEAR(y.as<double>()[1], radius * std::sin(angle), 1e-7);
}

TEST(Fill, DoesNotDependOnTheNumberOfThreads) {
  constexpr std::int64_t count = 600'001;  // several pieces for each thread, the last of an odd length
  for (const Distribution distribution : {Distribution::normal, Distribution::uniform})
    for (const DType dtype : {DType::f16, DType::f32, DType::f64, DType::c64}) {
      const auto filled = [&](int threads) {
        const raw::ThreadLimit limit(threads);
        return fill({dtype, {count}},
                    make(distribution,
                         [](Fill& f) {
                           f.low = -1;
                           f.high = 1;
                         }),
                    3, 5);
      };
      const Tensor alone = filled(1), several = filled(7);
      EXPECT_TRUE(std::ranges::equal(several.bytes(), alone.bytes())) << dtype;
    }
  // An element far from the first is that of its own words.
  const Tensor y = fill({DType::f32, {count}},
                        make(Distribution::uniform,
                             [](Fill& f) {
                               f.low = 0;
                               f.high = 1;
                             }),
                        3, 5);
  const std::size_t i = 500'003;
  EXPECT_EQ(y.as<float>()[i], static_cast<float>(raw::philox_block(3, 5, 0, i / 4)[i % 4] >> 8) * 0x1p-24F);
}

TEST(Fill, NormalHasItsMomentsInEveryFloat) {
  const auto f = make(Distribution::normal, [](Fill& g) {
    g.mean = 0.5;
    g.scale = 2;
  });
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    const Tensor y = convert(fill({dtype, {100003}}, f, 3, 9), DType::f64);
    double sum = 0, squares = 0;
    for (const double v : y.as<double>()) {
      sum += v;
      squares += v * v;
    }
    const double n = static_cast<double>(y.elements()), mean = sum / n;
    EXPECT_NEAR(mean, 0.5, 5 * 2 / std::sqrt(n)) << dtype;
    EXPECT_NEAR(squares / n - mean * mean, 4, 5 * 4 * std::sqrt(2 / n)) << dtype;
  }
}

TEST(Fill, UniformStaysBelowItsUpperEnd) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    for (const auto& [low, high] : {std::pair{-1.0, 1.0}, {0.0, 0.001}, {-3.0, 0.0}, {100.0, 100.1}}) {
      const auto f = make(Distribution::uniform, [&, l = low, h = high](Fill& g) {
        g.low = l;
        g.high = h;
      });
      const Tensor y = convert(fill({dtype, {20011}}, f, 1, 2), DType::f64);
      const double half_spacing = high * unit_roundoff(dtype);
      for (const double v : y.as<double>()) {
        ASSERT_LT(v, high) << dtype;
        ASSERT_GE(v, low - std::abs(half_spacing)) << dtype;
      }
    }
  }
}

TEST(Fill, UniformWithOnePointGivesThatPoint) {
  const auto f = make(Distribution::uniform, [](Fill& g) { g.low = g.high = 3; });
  const Tensor y = fill({DType::f16, {7}}, f, 1, 2);
  for (const f16 v : y.as<f16>()) EXPECT_EQ(double(v), 3);
}

TEST(Fill, IntegersReachBothEndsAndNoFurther) {
  const auto f = make(Distribution::uniform_int, [](Fill& g) {
    g.low = -128;
    g.high = 128;
  });
  const Tensor y = fill({DType::i8, {10007}}, f, 1, 2);
  const std::set<int> seen(y.as<std::int8_t>().begin(), y.as<std::int8_t>().end());
  EXPECT_EQ(seen.size(), 256u);
}

TEST(Fill, IntegersOfAFloatTensorAreWhole) {
  const auto f = make(Distribution::uniform_int, [](Fill& g) {
    g.low = -3;
    g.high = 4;
  });
  const Tensor y = fill({DType::f32, {1009}}, f, 1, 2);
  const std::set<float> seen(y.as<float>().begin(), y.as<float>().end());
  EXPECT_EQ(seen, (std::set<float>{-3, -2, -1, 0, 1, 2, 3}));
}

TEST(Fill, BernoulliHasItsProbability) {
  for (const double p : {0.0, 0.1, 0.5, 1.0}) {
    const Tensor y =
        fill({DType::boolean, {50021}}, make(Distribution::bernoulli, [&](Fill& g) { g.probability = p; }), 1, 2);
    double ones = 0;
    for (const bool v : y.as<bool>()) ones += v;
    const double n = static_cast<double>(y.elements());
    EXPECT_NEAR(ones / n, p, p == 0 || p == 1 ? 0 : 5 * std::sqrt(p * (1 - p) / n)) << p;
  }
}

TEST(Fill, RangeCountsAndIntegersWrap) {
  const auto f = make(Distribution::range, [](Fill& g) {
    g.start = 250;
    g.delta = 3;
  });
  const Tensor y = fill({DType::u8, {4}}, f, 1, 2);
  EXPECT_EQ(std::vector<int>(y.as<std::uint8_t>().begin(), y.as<std::uint8_t>().end()), (std::vector{250, 253, 0, 3}));
  const auto g = make(Distribution::range, [](Fill& h) {
    h.start = 1;
    h.delta = -0.25;
  });
  const Tensor x = fill({DType::f32, {2, 2}}, g, 1, 2);
  EXPECT_EQ(std::vector(x.as<float>().begin(), x.as<float>().end()), (std::vector<float>{1, 0.75, 0.5, 0.25}));
}

TEST(Fill, ComplexTensorsAreRandomInBothParts) {
  const auto z = fill({DType::c64, {3}}, make(Distribution::normal), 1, 2);
  const auto x = fill({DType::f32, {6}}, make(Distribution::normal), 1, 2);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(z.as<std::complex<float>>()[i].real(), x.as<float>()[2 * i]);
    EXPECT_EQ(z.as<std::complex<float>>()[i].imag(), x.as<float>()[2 * i + 1]);
  }
  const auto c = fill({DType::c128, {1}}, make(Distribution::constant, [](Fill& f) { f.value = 2; }), 1, 2);
  EXPECT_EQ(c.as<std::complex<double>>()[0], std::complex<double>(2, 0));
}

TEST(Fill, EveryDtypeHasADefaultThatIsNotConstant) {
  for (const DType dtype : all_dtypes) {
    const Tensor y = fill({dtype, {101}}, default_fill(dtype), 1, stream_of("x"));
    const std::size_t width = info(dtype).bytes;
    std::set<std::vector<std::byte>> different;
    for (std::size_t i = 0; i < 101; ++i)
      different.emplace(y.bytes().begin() + std::ptrdiff_t(i * width),
                        y.bytes().begin() + std::ptrdiff_t((i + 1) * width));
    EXPECT_GE(different.size(), dtype == DType::boolean ? 2u : 9u) << dtype;
  }
}

TEST(Fill, DependsOnSeedAndNameAndOnNothingElse) {
  const auto numbers = [](std::uint64_t seed, const char* name, Shape shape) {
    const Tensor y = fill({DType::f32, std::move(shape)}, Fill{}, seed, stream_of(name));
    return std::vector(y.bytes().begin(), y.bytes().begin() + 24);
  };
  EXPECT_EQ(numbers(1, "w", {6}), numbers(1, "w", {2, 3}));
  EXPECT_EQ(numbers(1, "w", {6}), numbers(1, "w", {1000}));
  EXPECT_NE(numbers(1, "w", {6}), numbers(2, "w", {6}));
  EXPECT_NE(numbers(1, "w", {6}), numbers(1ull << 32 | 1, "w", {6}));
  EXPECT_NE(numbers(1, "w", {6}), numbers(1, "v", {6}));
}

TEST(Fill, EmptyTensorsAreFilledToo) {
  for (const DType dtype : all_dtypes) EXPECT_EQ(fill({dtype, {0, 3}}, default_fill(dtype), 1, 2).elements(), 0);
}

TEST(Fill, RefusesWhatADtypeCannotHold) {
  EXPECT_EQ(refusal(DType::i32, Fill{}), "fill normal: makes reals, the tensor is i32");
  EXPECT_EQ(refusal(DType::boolean, make(Distribution::range)),
            "fill range: a bool tensor takes bernoulli, or constant with value 0 or 1");
  EXPECT_EQ(refusal(DType::u8, make(Distribution::constant, [](Fill& f) { f.value = 256; })),
            "fill constant: value must be a whole number that fits u8, got 256");
  EXPECT_EQ(refusal(DType::i8, make(Distribution::uniform_int,
                                    [](Fill& f) {
                                      f.low = 0;
                                      f.high = 129;
                                    })),
            "fill uniform_int: high - 1 must be a whole number that fits i8, got 128");
  EXPECT_EQ(refusal(DType::i64, make(Distribution::uniform_int,
                                     [](Fill& f) {
                                       f.low = 0.5;
                                       f.high = 3.5;
                                     })),
            "fill uniform_int: low and high must be whole numbers, got 0.5 and 3.5");
  EXPECT_EQ(refusal(DType::f32, make(Distribution::uniform,
                                     [](Fill& f) {
                                       f.low = 1;
                                       f.high = 0;
                                     })),
            "fill uniform: low must be <= high, got 1 and 0");
  EXPECT_EQ(refusal(DType::f32, make(Distribution::normal, [](Fill& f) { f.scale = NAN; })),
            "fill normal: scale must be finite, got nan");
  EXPECT_EQ(refusal(DType::f32, make(Distribution::bernoulli, [](Fill& f) { f.probability = 1.5; })),
            "fill bernoulli: probability must be in 0..1, got 1.5");
}

}  // namespace
}  // namespace plumb::ir::fill_test
