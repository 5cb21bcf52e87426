// Arithmetic of numbers that know how far off an evaluation in f64 may be.
// Optimised: it loops over elements or terms.
#include "parity/element/real.hpp"

#include <algorithm>
#include <limits>

#include "parity/element/tape.hpp"

namespace plumb::parity::element {
namespace {

using Wide = std::numeric_limits<long double>;
using F64 = std::numeric_limits<double>;

static_assert(Wide::digits >= 64, "whole numbers of 64 bits have to be exact");

constexpr long double infinity = Wide::infinity();
constexpr long double least = F64::denorm_min();

bool is_double(long double x) { return static_cast<long double>(static_cast<double>(x)) == x; }

/// Whether both are numbers that nothing was rounded for, and y, what becomes of them, a number of f64.
bool are_exact(Real a, Real b, long double y) { return a.off == 0 && b.off == 0 && is_double(y); }

/// Whether y is a·b, not rounded. Products of small numbers, whose errors may vanish, are taken for rounded ones.
bool is_product(long double a, long double b, long double y) {
  if (!is_double(a) || !is_double(b) || !is_double(y)) return false;
  if (y == 0) return a == 0 || b == 0;
  const auto rest = std::fma(static_cast<double>(a), static_cast<double>(b), -static_cast<double>(y));
  return std::fabs(y) >= 0x1p-900L && rest == 0;
}

/// Where operands are not finite the result is exact, unless the sign of an uncertain operand decides it.
void refuse_unsure_sign(Real a, Real b) {
  const auto is_unsure = [](Real x) { return x.off > 0 && !(std::fabs(x.value) > x.off); };
  if ((std::isinf(a.value) && is_unsure(b)) || (std::isinf(b.value) && is_unsure(a))) throw NoAnswer{};
}

}  // namespace

Real in_range(Real y) {
  if (std::isnan(y.off)) throw NoAnswer{};
  const long double size = std::fabs(y.value), threshold = static_cast<long double>(F64::max()) * (1 + roundoff / 2);
  if (std::isinf(y.value) || !(size + y.off > F64::max())) return y;
  if (size - y.off < threshold) throw NoAnswer{};
  return {std::copysign(infinity, y.value)};
}

Real exact_sum(Real a, Real b) {
  const long double y = a.value + b.value;
  if (is_double(y) && std::isfinite(y)) {
    const long double of_b = y - a.value, rest = (a.value - (y - of_b)) + (b.value - of_b);
    if (rest == 0) return in_range({y});
  }
  return rounded(y, 0);
}

Real special_product(Real a, Real b) {
  refuse_unsure_sign(a, b);
  const long double y = a.value * b.value;
  if (are_exact(a, b, y) && is_product(a.value, b.value, y)) return in_range({y});
  const long double carried =
      a.off == 0 && b.off == 0 ? 0 : std::fabs(a.value) * b.off + std::fabs(b.value) * a.off + a.off * b.off;
  return rounded(y, carried);
}

Real operator/(Real a, Real b) {
  if (is_recorded(a, b)) return recorded::quotient(a, b);
  if (b.off > 0 && !(std::fabs(b.value) > b.off)) throw NoAnswer{};
  const long double y = a.value / b.value;
  if (are_exact(a, b, y) && is_product(y, b.value, a.value)) return in_range({y});
  if (a.off == 0 && b.off == 0) return rounded(y, 0);
  return rounded(y, (a.off + std::fabs(y) * b.off) / (std::fabs(b.value) - b.off));
}

Number operator+(Number a, Number b) { return {a.re + b.re, a.im + b.im}; }
Number operator-(Number a, Number b) { return {a.re - b.re, a.im - b.im}; }
Number operator*(Number a, Number b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

/// In long double throughout: squares of f64 numbers leave the range of f64, and quotients need not.
Number operator/(Number a, Number b) {
  const long double ar = a.re.value, ai = a.im.value, br = b.re.value, bi = b.im.value, squares = br * br + bi * bi;
  const long double re = (ar * br + ai * bi) / squares, im = (ai * br - ar * bi) / squares, size = std::hypot(re, im);
  const long double off_a = std::hypot(a.re.off, a.im.off), off_b = std::hypot(b.re.off, b.im.off),
                    least_divisor = std::sqrt(squares) - off_b;
  if (!std::isfinite(size) || !(least_divisor > 0)) throw NoAnswer{};
  // Parts that cancel are judged against the modulus of the quotient, for which any algorithm is good to 16 roundoffs.
  const long double off = (off_a + size * off_b) / least_divisor + 16 * roundoff * size + least;
  return {in_range({re, off}), in_range({im, off})};
}

Real abs(Real x) { return x.step != 0 ? recorded::magnitude(x) : Real(std::fabs(x.value), x.off); }

Real maximum(Real a, Real b) {
  if (std::isnan(a.value) || std::isnan(b.value)) return {Wide::quiet_NaN()};
  if (is_recorded(a, b)) return recorded::chosen(a.value < b.value ? b : a);
  return {std::max(a.value, b.value), std::max(a.off, b.off)};
}

Real minimum(Real a, Real b) { return -maximum(-a, -b); }

Real apply(Function f, Real x, int ulps) {
  if (x.step != 0) return recorded::of_function(f, x, ulps);
  const long double y = f(x.value);
  if (!std::isfinite(y)) {
    if (x.off > 0 && std::isfinite(x.value)) throw NoAnswer{};
    return {y};
  }
  long double carried = 0;
  if (x.off > 0) {
    const long double above = f(x.value + x.off), below = f(x.value - x.off);
    if (!std::isfinite(above) || !std::isfinite(below)) throw NoAnswer{};
    carried = 2 * std::max(std::fabs(above - y), std::fabs(below - y));
  }
  // A unit in the last place is at most 2 roundoffs of a number.
  return in_range({y, carried + 2 * ulps * (roundoff * std::fabs(y) + least)});
}

Real apply_steps(Function f, Real x) {
  const long double y = f(x.value);
  if (x.off > 0 && !(f(x.value - x.off) == y && f(x.value + x.off) == y)) throw NoAnswer{};
  return {y};
}

Real apply(long double (*f)(long double, long double), Real a, Real b, int ulps) {
  if (is_recorded(a, b)) return recorded::of_function(f, a, b, ulps);
  const long double y = f(a.value, b.value);
  long double carried = 0;
  for (const long double da : {-a.off, a.off})
    for (const long double db : {-b.off, b.off}) {
      if (da == 0 && db == 0) continue;
      const long double there = f(a.value + da, b.value + db);
      if (!std::isfinite(there) || !std::isfinite(y)) throw NoAnswer{};
      carried = std::max(carried, 2 * std::fabs(there - y));
    }
  if (!std::isfinite(y)) return {y};
  return in_range({y, carried + 2 * ulps * (roundoff * std::fabs(y) + least)});
}

Real sqrt(Real x) {
  return apply([](long double v) { return std::sqrt(v); }, x, 1);
}
Real exp(Real x) {
  return apply([](long double v) { return std::exp(v); }, x, library_ulps);
}
Real log(Real x) {
  return apply([](long double v) { return std::log(v); }, x, library_ulps);
}

bool less(Real a, Real b) {
  const long double off = a.off + b.off;
  if (off > 0 && std::fabs(a.value - b.value) <= off) throw NoAnswer{};
  return a.value < b.value;
}

bool equal(Real a, Real b) {
  const long double off = a.off + b.off;
  if (off > 0 && std::fabs(a.value - b.value) <= off) throw NoAnswer{};
  return a.value == b.value;
}

bool comes_before(Real a, Real b) {
  if (std::isnan(a.value) || std::isnan(b.value)) return !std::isnan(a.value) && std::isnan(b.value);
  return less(a, b);
}

void Sum::add_products(std::span<const float> a, std::span<const float> b) {
  long double value = value_, sizes = sizes_;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double term = static_cast<double>(a[k]) * static_cast<double>(b[k]);  // exact, or not finite
    value += term;
    sizes += std::fabs(term);
  }
  value_ = value;
  sizes_ = sizes;
  count_ += static_cast<std::int64_t>(a.size());
}

Real Sum::total() const {
  if (terms_ != 0 || (count_ == 0 && Recording::tape() != nullptr)) return recorded_total();
  if (!std::isfinite(sizes_)) {
    // The finite terms may add up to another infinity, in one order or in another.
    if (!std::isnan(value_) && finite_ > F64::max()) throw NoAnswer{};
    return {value_};
  }
  // A finite sum may still overflow on its way, in one order or in another.
  if (sizes_ + off_ > F64::max()) throw NoAnswer{};
  const auto n = static_cast<long double>(count_);
  if (count_ == 1) return {value_, off_};
  // Every term passes at most n - 1 additions.
  return {value_, off_ * (1 + n * roundoff) + n * roundoff * sizes_ / (1 - n * roundoff)};
}

void Product::take(Real factor) {
  value_ = value_ * factor;
  const long double size = std::fabs(factor.value);
  if (std::isfinite(size)) (size < 1 ? below_ : above_) *= size;
}

Real Product::total() const {
  const bool stays = below_ == 0 || !(below_ < F64::min());
  if (!stays || above_ > F64::max()) throw NoAnswer{};
  return value_;
}

long double wrapped(ir::DType dtype, std::uint64_t bits) {
  switch (dtype) {
    case ir::DType::u8:
      return static_cast<std::uint8_t>(bits);
    case ir::DType::i8:
      return static_cast<std::int8_t>(bits);
    case ir::DType::u16:
      return static_cast<std::uint16_t>(bits);
    case ir::DType::i16:
      return static_cast<std::int16_t>(bits);
    case ir::DType::i32:
      return static_cast<std::int32_t>(bits);
    case ir::DType::u32:
      return static_cast<std::uint32_t>(bits);
    default:
      return static_cast<std::int64_t>(bits);
  }
}

}  // namespace plumb::parity::element
