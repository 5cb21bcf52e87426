// Operands of the experiments on dot products, each of which tells hypotheses of rounding apart.
#include "parity/profile/probe/experiments.hpp"

#include <algorithm>
#include <cmath>

#include "ir/raw/philox.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::profile::probe {
namespace {

constexpr int base = 12;  // the exponent of "1" below: what is far below it is no subnormal of f16 operands

/// Places terms of one lane.
class LaneDot {
 public:
  LaneDot(int terms, int lanes) : lanes_(static_cast<std::size_t>(lanes)), dot_(at(terms - 1) + 1) {}

  LaneDot& set(int term, int exponent, float factor = 1) {
    dot_.set(at(term), exponent, factor);
    return *this;
  }
  LaneDot& set(int term, float a, float b) {
    dot_.a[at(term)] = a;
    dot_.b[at(term)] = b;
    return *this;
  }
  operator Dot() const { return dot_; }

 private:
  std::size_t at(int term) const { return static_cast<std::size_t>(term) * lanes_; }

  std::size_t lanes_;
  Dot dot_;
};

/// Random significands of a dtype, with exponents from a range.
class Random {
 public:
  Random(ir::DType dtype, std::uint64_t seed) : bits_(core::float_format(dtype).fraction_bits), seed_(seed) {}

  float next(int least_exponent, int most_exponent) {
    const ir::raw::PhiloxWords words = ir::raw::philox_block(seed_, 0, 0, drawn_++);
    const auto fraction = static_cast<float>(words[0] >> (32 - bits_));
    const auto range = static_cast<std::uint32_t>(most_exponent - least_exponent + 1);
    const int exponent = least_exponent + static_cast<int>(words[1] % range);
    const float magnitude = std::ldexp(1.0f + std::ldexp(fraction, -bits_), exponent);
    return (words[2] & 1) != 0 ? -magnitude : magnitude;
  }

 private:
  int bits_;
  std::uint64_t seed_, drawn_ = 0;
};

Dot random_dot(Random& random, int terms, int lanes, int spread, bool positive) {
  LaneDot dot(terms, lanes);
  for (int t = 0; t < terms; ++t) {
    const float a = random.next(-spread, spread - 1), b = random.next(-1, 0);
    dot.set(t, positive ? std::abs(a) : a, positive ? std::abs(b) : b);
  }
  return dot;
}

/// 1 and what is at, near and far below half the last place of an accumulator; at once and one after the other.
void add_ties(std::vector<Dot>& dots, int bits, int lanes) {
  const int last = base - (bits - 1);  // the exponent of the last place of an accumulator that holds 1
  for (const int at : {1, 33})
    for (const float sign : {1.0f, -1.0f})
      for (int below = 0; below <= 10; ++below) {
        dots.push_back(LaneDot(64, lanes).set(0, base).set(at, last - below, sign));
        dots.push_back(LaneDot(64, lanes).set(0, base).set(32, last).set(at, last - below, sign));
        dots.push_back(LaneDot(64, lanes).set(0, base).set(at, last - 1).set(at + 1, last - 1 - below, sign));
      }
}

/// 1 and a product that is a little more than half the last place: below it by fewer and fewer bits.
void add_near_ties(std::vector<Dot>& dots, int bits, int lanes, int fraction_bits) {
  const int half = base - bits;
  const auto scaled = [&](float a, float b, int down) {  // a b 2^(half - down)
    return std::pair{std::ldexp(a, (half - down) / 2), std::ldexp(b, (half - down) - (half - down) / 2)};
  };
  const auto add = [&](std::pair<float, float> factors) {
    for (const float sign : {1.0f, -1.0f})
      for (const int before : {0, 32})
        dots.push_back(LaneDot(64, lanes).set(before, base).set(33, sign * factors.first, factors.second));
  };
  for (int j = 1; j <= std::min(fraction_bits, 18); ++j) add(scaled(1.0f + std::ldexp(1.0f, -j), 1, 0));
  add(scaled(145, 113, 14));                           // 2^14 + 1
  if (fraction_bits >= 10) add(scaled(481, 545, 18));  // 2^18 + 1
}

/// 1.5 * 1.5, which is no significand, and before it what is near and far below its last place and half of it.
void add_wide_products(std::vector<Dot>& dots, int bits, int lanes, int fraction_bits) {
  const int last = base + 1 - (bits - 1);
  const float factor = std::ldexp(1.5f, base / 2);
  const float odd = factor + std::ldexp(4.0f, base / 2 - fraction_bits);  // 3 last places more in f32
  for (const int at : {1, 33})
    for (const float sign : {1.0f, -1.0f})
      for (int below = 0; below <= 10; ++below) {
        dots.push_back(LaneDot(64, lanes).set(0, last - below, sign).set(at, factor, factor));
        const float near = sign * (1.0f + std::ldexp(1.0f, -std::clamp(below, 1, fraction_bits)));
        dots.push_back(LaneDot(64, lanes).set(0, last - 1, near).set(at, factor, factor));
        dots.push_back(LaneDot(64, lanes).set(0, last - 1, near).set(at, factor, odd));
      }
}

/// 1 and many halves and quarters of its last place: how many are added before one rounding.
void add_halves(std::vector<Dot>& dots, int bits, int lanes) {
  for (const int part : {1, 2})
    for (const int count : {1, 2, 3, 4, 7, 8, 15, 16, 31, 32}) {
      LaneDot dot(64, lanes);
      dot.set(0, base);
      for (int t = 1; t <= count; ++t) dot.set(t, base - (bits - 1) - part);
      dots.push_back(dot);
    }
}

}  // namespace

std::vector<Dot> lane_dots() {
  std::vector<Dot> dots;
  for (const int step : lane_steps)
    dots.push_back(LaneDot(513, 1).set(0, big).set(256 + step, small).set(512, big, -1));
  return dots;
}

std::vector<Dot> chunk_dots(int lanes) {
  std::vector<Dot> dots;
  for (const int step : chunk_steps)
    dots.push_back(LaneDot(step + 33, lanes).set(0, small).set(step, big).set(step + 32, big, -1));
  return dots;
}

std::vector<Dot> group_dots(int accumulator_bits, int lanes) {
  std::vector<Dot> dots;
  const int last = base - (accumulator_bits - 1);
  for (const int part : {3, 2})
    for (const int step : group_steps)
      dots.push_back(LaneDot(65, lanes).set(0, base).set(32, last - part, 3).set(32 + step, last - part, 3));
  return dots;
}

std::vector<Dot> operand_dots(int fraction_bits) {
  std::vector<Dot> dots;
  for (int j = 1; j <= fraction_bits; ++j) {
    const float number = 1.0f + std::ldexp(1.0f, -j);
    dots.push_back(LaneDot(1, 1).set(0, number, 1.0f));
    dots.push_back(LaneDot(1, 1).set(0, 1.0f, number));
  }
  return dots;
}

std::vector<Dot> accumulator_dots(int lanes) {
  std::vector<Dot> dots;
  for (int j = 1; j <= most_accumulator_bits; ++j)
    dots.push_back(LaneDot(65, lanes).set(0, base).set(32, base - j).set(64, base, -1));
  return dots;
}

std::vector<Dot> arithmetic_dots(ir::DType operands, int accumulator_bits, int lanes) {
  std::vector<Dot> dots;
  Random random(operands, 1);
  for (int i = 0; i < 24; ++i) dots.push_back(random_dot(random, 64, lanes, 1 + i % 6, i % 3 == 0));
  add_ties(dots, accumulator_bits, lanes);
  add_near_ties(dots, accumulator_bits, lanes, core::float_format(operands).fraction_bits);
  add_wide_products(dots, accumulator_bits, lanes, core::float_format(operands).fraction_bits);
  add_halves(dots, accumulator_bits, lanes);
  return dots;
}

std::vector<Dot> long_dots(ir::DType operands, int lanes) {
  std::vector<Dot> dots;
  Random random(operands, 2);
  const int terms = std::min(700 * lanes, 40000);
  for (int i = 0; i < 4; ++i) dots.push_back(random_dot(random, terms, 1, 3, i % 2 == 0));
  return dots;
}

}  // namespace plumb::parity::profile::probe
