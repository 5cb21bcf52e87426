// Declares random numbers, which follow from attributes and a counter.
#pragma once

#include <cmath>

#include "ir/loops.hpp"

namespace plumb::ir::ops {

enum class RandomDistribution { bits, uniform, uniform_int, normal, bernoulli };

constexpr auto enum_names(RandomDistribution) {
  return std::array<std::string_view, 5>{"bits", "uniform", "uniform_int", "normal", "bernoulli"};
}

/// Random numbers by a counter (ops.md 2, ops.md B.3): equal wherever and in whatever order they are made.
///
///   rounds  uniform twice, in f32 or f64, which gives the same everywhere; normal within 16 units of f32 of its spread
///
/// An f64 stream draws the fractions of an f32 one. The operand `offset` lets a loop draw fresh numbers.
struct Random {
  std::vector<std::int64_t> shape;
  DType dtype = DType::f32;
  RandomDistribution distribution = RandomDistribution::uniform;
  double low = 0, high = 1, mean = 0, scale = 1, probability = 0.5;
  std::int64_t seed = 0, stream = 0;
  bool has_offset = false;

  static constexpr auto name = "random";
  static constexpr auto summary = "random numbers by a counter";
  static constexpr auto formula =
      "word i mod 4 of Philox 4×32-10 at block ⌊i/4⌋, key seed, counter (block, stream, offset); uniform low + (high − "
      "low)·f below high, f of 24 bits (f16 11, bf16 8); uniform_int low + ⌊w·(high − low)/2³²⌋; normal by two words a "
      "pair; bernoulli w < ⌊probability·2³² + ½⌋";
  static constexpr int tier = 3;
  static constexpr bool makes_values = true;
  static constexpr std::array inputs = {Input{"offset", DType::u32, "[]", {}, "has_offset"}};
  static constexpr std::array outputs = {Output{"y", "`dtype` [shape]"}};
  static constexpr std::array<std::string_view, 6> checks = {
      "bits must have dtype u32",
      "uniform and normal must have a real dtype, low <= high and scale >= 0",
      "uniform_int must have an integer dtype, and low and high be integral with 1 <= high - low < 2^32",
      "bernoulli must have dtype bool or one of numbers, and 0 <= probability <= 1",
      "stream must be at least 0 and below 2^32",
      "offset must be one number"};
  static constexpr auto fields = std::tuple{
      Field{"shape", &Random::shape, "shape of y", Presence::required},
      Field{"dtype", &Random::dtype, "dtype of y"},
      Field{"distribution", &Random::distribution, "what words become"},
      Field{"low", &Random::low, "uniform and uniform_int: the least number"},
      Field{"high", &Random::high, "uniform and uniform_int: above every number"},
      Field{"mean", &Random::mean, "normal only"},
      Field{"scale", &Random::scale, "normal only: the standard deviation"},
      Field{"probability", &Random::probability, "bernoulli only: how often it is 1"},
      Field{"seed", &Random::seed, "the key, as 64 bits"},
      Field{"stream", &Random::stream, "which of 2^32 independent streams of the seed"},
      Field{"has_offset", &Random::has_offset, "whether there is an operand that counts streams on; 0 without it"},
  };

  TensorTypes infer(Types in) const;

  /// A real attribute as the op computes with it (ops.md 1.3).
  double real(double attribute) const {
    return dtype == DType::f64 ? attribute : static_cast<double>(static_cast<float>(attribute));
  }
  /// The interval of uniform numbers: low, high − low, and the largest one. All are exact in f32 unless dtype is f64.
  struct Interval {
    double low, width, most;
  };
  Interval interval() const;
  /// How many integers uniform_int draws from.
  std::uint32_t span() const { return static_cast<std::uint32_t>(static_cast<std::int64_t>(high - low)); }
  /// Words below it are 1 of bernoulli: up to 2^32, below which all are.
  std::uint64_t threshold() const { return static_cast<std::uint64_t>(std::floor(probability * 0x1p32 + 0.5)); }

  ErrorClass error_class() const {
    switch (distribution) {
      case RandomDistribution::uniform:
        return ErrorClass::exact;  // ops.md D.9 has ulps; the formula leaves none
      case RandomDistribution::normal:
        return ErrorClass::comp;
      default:
        return ErrorClass::bits;
    }
  }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types, Types) const { return {.rounds = "logarithm, root and cosine are rounded"}; }
  bool operator==(const Random&) const = default;
};

}  // namespace plumb::ir::ops
