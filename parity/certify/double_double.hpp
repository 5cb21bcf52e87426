#pragma once

#include <cmath>

namespace plumb::parity::certify {

/// The unevaluated sum of two doubles, |low| <= ulp(high) / 2: 106 bits (Dekker 1971; Joldes, Muller and Popescu,
/// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", 2017). For finite numbers
/// far from overflow and from subnormals. Must not be compiled with reassociation.
struct DoubleDouble {
  double high = 0, low = 0;

  DoubleDouble() = default;
  DoubleDouble(double x) : high(x) {}
  DoubleDouble(double big, double small) : high(big), low(small) {}

  /// Rounded to nearest.
  double rounded() const { return high + low; }
};

/// a + b without error.
inline DoubleDouble exact_sum(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

/// a b without error.
inline DoubleDouble exact_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

/// Relative error at most 3 u^2 + 13 u^3, u = 2^-53 (AccurateDWPlusDW).
inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
  const DoubleDouble middle = exact_sum(high.high, high.low + low.high);
  return exact_sum(middle.high, middle.low + low.low);
}

/// Relative error at most 2 u^2 (DWTimesFP, with fma).
inline DoubleDouble operator*(const DoubleDouble& a, double b) {
  const DoubleDouble high = exact_product(a.high, b);
  return exact_sum(high.high, std::fma(a.low, b, high.low));
}

}  // namespace plumb::parity::certify
