// Random numbers by Philox: every element from its own block and word, so that neither threads nor order matter.
#include "ir/ops/random.hpp"

#include <cmath>
#include <numbers>

#include "ir/convert.hpp"
#include "ir/raw/philox.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::Random;
using ir::ops::RandomDistribution;
using Words = ir::raw::PhiloxWords;

/// Calls of_block(words, numbers) for every block, which gives four numbers, and writes those that there are.
template <class T, class OfBlock>
void for_each_block(const Random& op, Call& call, const OfBlock& of_block) {
  const auto y = call.out(0).as<T>();
  const std::uint32_t offset = op.has_offset ? call.in(0).as<std::uint32_t>()[0] : 0;
  const auto seed = static_cast<std::uint64_t>(op.seed);
  const auto stream = static_cast<std::uint32_t>(op.stream);
  const auto count = static_cast<std::int64_t>(y.size());
  parallel_for((count + 3) / 4, 1 << 12, [&](std::int64_t block, std::int64_t end) {
    for (; block < end; ++block) {
      std::array<T, 4> numbers;
      of_block(ir::raw::philox_block(seed, stream, offset, static_cast<std::uint64_t>(block)), numbers);
      const std::int64_t first = 4 * block, n = std::min<std::int64_t>(4, count - first);
      for (std::int64_t i = 0; i < n; ++i)
        y[static_cast<std::size_t>(first + i)] = numbers[static_cast<std::size_t>(i)];
    }
  });
}

template <class T, class OfWord>
void for_each_word(const Random& op, Call& call, const OfWord& of_word) {
  for_each_block<T>(op, call, [&](const Words& words, std::array<T, 4>& numbers) {
    for (std::size_t i = 0; i < 4; ++i) numbers[i] = of_word(words[i]);
  });
}

/// The fraction of a word, exact in T and below 1: as many bits as T has, but f64 those of f32.
template <class T>
ir::compute_t<T> fraction_of(std::uint32_t word) {
  constexpr int bits = sizeof(T) > 2 ? 24 : std::is_same_v<T, ir::f16> ? 11 : 8;
  using C = ir::compute_t<T>;
  return static_cast<C>(word >> (32 - bits)) * static_cast<C>(std::ldexp(1.0, -bits));
}

template <class T>
void uniform(const Random& op, Call& call) {
  using C = ir::compute_t<T>;
  const Random::Interval interval = op.interval();
  const auto low = static_cast<C>(interval.low), width = static_cast<C>(interval.width);
  const auto most = static_cast<C>(interval.most);
  for_each_word<T>(op, call, [&](std::uint32_t word) {
    const C step = width * fraction_of<T>(word), number = low + step;
    return static_cast<T>(number > most ? most : number);
  });
}

/// The cosine and sine of t 2^-24 turns, which are brought near 0 as integers: quarter turns are exact.
std::array<double, 2> circle(std::uint32_t t) {
  const std::uint32_t quarters = (t + (1u << 21)) >> 22;
  const double turned = static_cast<double>(t) - static_cast<double>(quarters << 22);
  const double angle = 2 * std::numbers::pi * (turned * 0x1p-24), c = std::cos(angle), s = std::sin(angle);
  switch (quarters & 3) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

template <class T>
void normal(const Random& op, Call& call) {
  const double mean = op.real(op.mean), scale = op.real(op.scale);
  for_each_block<T>(op, call, [&](const Words& words, std::array<T, 4>& numbers) {
    for (const std::size_t pair : {0u, 2u}) {
      const double size = std::sqrt(-2 * std::log((static_cast<double>(words[pair] >> 8) + 1) * 0x1p-24));
      const std::array<double, 2> at = circle(words[pair + 1] >> 8);
      for (const std::size_t i : {0u, 1u}) {
        const double deviation = size * at[i];
        numbers[pair + i] = ir::convert_value<T>(mean + scale * deviation);
      }
    }
  });
}

void integers(const Random& op, Call& call) {
  const auto low = static_cast<std::uint64_t>(static_cast<std::int64_t>(op.low));
  const std::uint64_t span = op.span();
  ir::visit_integer(op.dtype, [&]<class T>(T) {
    for_each_word<T>(op, call, [&](std::uint32_t word) { return static_cast<T>(low + (word * span >> 32)); });
  });
}

void coins(const Random& op, Call& call) {
  const std::uint64_t threshold = op.threshold();
  ir::visit_any(op.dtype, [&]<class T>(T) {
    if constexpr (!ir::is_complex(ir::dtype_of<T>))
      for_each_word<T>(op, call, [&](std::uint32_t word) { return static_cast<T>(word < threshold ? 1.0f : 0.0f); });
  });
}

}  // namespace

void run(const Random& op, Call& call) {
  switch (op.distribution) {
    case RandomDistribution::bits:
      return for_each_word<std::uint32_t>(op, call, [](std::uint32_t word) { return word; });
    case RandomDistribution::uniform:
      return ir::visit_float(op.dtype, [&]<class T>(T) { uniform<T>(op, call); });
    case RandomDistribution::uniform_int:
      return integers(op, call);
    case RandomDistribution::normal:
      return ir::visit_float(op.dtype, [&]<class T>(T) { normal<T>(op, call); });
    case RandomDistribution::bernoulli:
      return coins(op, call);
  }
}

}  // namespace plumb::ref_cpu
