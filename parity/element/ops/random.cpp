// Element i by the words of its block (ops.md B.1, ops.md B.3).
#include "ir/ops/random.hpp"

#include <cmath>

#include "parity/element/call.hpp"
#include "parity/element/philox.hpp"

namespace plumb::parity::element {
namespace {

using ir::ops::Random;

/// A real attribute as the op computes with it.
double real(const Random& op, double x) { return op.dtype == ir::DType::f64 ? x : double(float(x)); }

/// Half a unit in the last place of the dtype, subnormal ones too.
long double half_unit(ir::DType dtype, long double y) {
  if (dtype == ir::DType::f64) return 0;  // as what it is computed in
  return ir::unit_roundoff(dtype) * std::fabs(y) + (dtype == ir::DType::f16 ? 0x1p-24L : 0x1p-133L);
}

Real uniform(const Random& op, std::uint32_t word) {
  const auto step = [&](double exact) { return real(op, exact); };
  const int bits = op.dtype == ir::DType::f16 ? 11 : op.dtype == ir::DType::bf16 ? 8 : 24;
  const double low = real(op, op.low), high = real(op, op.high);
  const double fraction = std::ldexp(static_cast<double>(word >> (32 - bits)), -bits);
  const double width = step(high - low), part = step(width * fraction), y = step(low + part);
  const long double off = op.dtype == ir::DType::f32 ? 0 : half_unit(op.dtype, y);
  if (low == high || y + off < high) return Real(y, off);
  return Real(y, 2 * off + 4 * ir::unit_roundoff(op.dtype) * std::fabs(y) + 0x1p-149L);  // the largest below high
}

Real normal(const Random& op, std::uint32_t a, std::uint32_t b, bool is_second) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  const long double size = std::sqrt(-2 * std::log((static_cast<long double>(a >> 8) + 1) * 0x1p-24L));
  const std::uint32_t t = b >> 8, quarters = (t + (1u << 21)) >> 22;
  const auto turned_by = static_cast<long double>(t) - static_cast<long double>(quarters << 22);
  const long double angle = 2 * pi * turned_by * 0x1p-24L;
  // The sine of a turn is the cosine of a quarter less.
  const std::uint32_t turned = (quarters + (is_second ? 3u : 0u)) & 3u;
  const long double across = std::cos(angle), up = std::sin(angle);
  const long double g = size * (turned == 0 ? across : turned == 1 ? -up : turned == 2 ? -across : up);
  const long double mean = real(op, op.mean), part = real(op, op.scale) * g, y = mean + part;
  return Real(y, 16 * 0x1p-53L * (std::fabs(part) + std::fabs(y)) + half_unit(op.dtype, y));
}

}  // namespace

Number element(const Random& op, const Call& call) {
  const auto i = static_cast<std::uint64_t>(index_of(call.at(), call.out()));
  const auto offset = op.has_offset ? static_cast<std::uint32_t>(call.whole(0, {})) : 0u;
  const auto words = words_of({.block = i / 4,
                               .seed = static_cast<std::uint64_t>(op.seed),
                               .stream = static_cast<std::uint32_t>(op.stream),
                               .offset = offset});
  const std::uint32_t word = words[i % 4];
  using enum ir::ops::RandomDistribution;
  switch (op.distribution) {
    case bits:
      return {Real(word)};
    case uniform_int: {
      const auto low = static_cast<std::int64_t>(op.low), span = static_cast<std::int64_t>(op.high) - low;
      const std::uint64_t drawn = word * static_cast<std::uint64_t>(span) >> 32;
      return wrap(op.dtype, static_cast<std::uint64_t>(low) + drawn);
    }
    case bernoulli:
      return {Real(word < std::floor(static_cast<long double>(op.probability) * 0x1p32L + 0.5L) ? 1 : 0)};
    case normal: {
      const std::size_t pair = i % 4 < 2 ? 0 : 2;
      return element::normal(op, words[pair], words[pair + 1], i % 2 == 1);
    }
    case uniform:
      break;
  }
  return element::uniform(op, word);
}

}  // namespace plumb::parity::element
