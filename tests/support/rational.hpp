#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <stdexcept>

namespace plumb::testing {

__extension__ typedef __int128 Whole;

/// A quotient of whole numbers in lowest terms, exact: what results of index maths are compared with. Throws where
/// terms leave 128 bits.
class Rational {
 public:
  Rational(std::int64_t whole = 0) : Rational(whole, 1) {}
  Rational(Whole top, Whole bottom) : top_(bottom < 0 ? -top : top), bottom_(bottom < 0 ? -bottom : bottom) {
    if (bottom == 0) throw std::domain_error("a quotient by 0");
    Whole a = top_ < 0 ? -top_ : top_, b = bottom_;
    while (b != 0) {
      const Whole rest = a % b;
      a = b;
      b = rest;
    }
    top_ /= a;
    bottom_ /= a;
  }
  /// The number that a double is.
  static Rational of(double x) {
    int exponent = 0;
    const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), 53));
    exponent -= 53;
    return exponent >= 0 ? Rational(checked(digits, Whole{1} << exponent), 1) : Rational(digits, Whole{1} << -exponent);
  }

  friend Rational operator+(const Rational& a, const Rational& b) {
    return {sum(checked(a.top_, b.bottom_), checked(b.top_, a.bottom_)), checked(a.bottom_, b.bottom_)};
  }
  friend Rational operator-(const Rational& a) { return {-a.top_, a.bottom_}; }
  friend Rational operator-(const Rational& a, const Rational& b) { return a + -b; }
  friend Rational operator*(const Rational& a, const Rational& b) {
    const Rational x(a.top_, b.bottom_), y(b.top_, a.bottom_);  // shortened crosswise
    return {checked(x.top_, y.top_), checked(x.bottom_, y.bottom_)};
  }
  friend Rational operator/(const Rational& a, const Rational& b) { return a * Rational(b.bottom_, b.top_); }
  friend bool operator==(const Rational&, const Rational&) = default;
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    return checked(a.top_, b.bottom_) <=> checked(b.top_, a.bottom_);
  }

  std::int64_t floor() const { return static_cast<std::int64_t>(top_ / bottom_ - (top_ % bottom_ < 0 ? 1 : 0)); }
  std::int64_t ceil() const { return -(-*this).floor(); }
  double rounded() const {
    return static_cast<double>(static_cast<long double>(top_) / static_cast<long double>(bottom_));
  }

 private:
  static Whole checked(Whole a, Whole b) {
    Whole product = 0;
    if (__builtin_mul_overflow(a, b, &product)) throw std::overflow_error("a product beyond 128 bits");
    return product;
  }
  static Whole sum(Whole a, Whole b) {
    Whole total = 0;
    if (__builtin_add_overflow(a, b, &total)) throw std::overflow_error("a sum beyond 128 bits");
    return total;
  }

  Whole top_, bottom_;
};

inline Rational abs(const Rational& x) { return x < Rational(0) ? -x : x; }

}  // namespace plumb::testing
