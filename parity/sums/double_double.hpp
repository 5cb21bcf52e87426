#pragma once

#include <cmath>

namespace plumb::parity::sums {

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

inline DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }

/// Relative error at most 2 u^2 (DWTimesFP, with fma).
inline DoubleDouble operator*(const DoubleDouble& a, double b) {
  const DoubleDouble high = exact_product(a.high, b);
  return exact_sum(high.high, std::fma(a.low, b, high.low));
}

/// Relative error at most 5 u^2 (DWTimesDW, with fma).
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = exact_product(a.high, b.high);
  return exact_sum(high.high, high.low + std::fma(a.high, b.low, a.low * b.high));
}

/// Relative error at most 15 u^2 + 56 u^3 (DWDivDW2).
inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double quotient = a.high / b.high;
  const DoubleDouble taken = b * quotient;
  return exact_sum(quotient, ((a.high - taken.high) + (a.low - taken.low)) / b.high);
}

/// A step of Newton's method from the root of the larger number: relative error of a few u^2. 0 for 0.
inline DoubleDouble sqrt(const DoubleDouble& x) {
  const double root = std::sqrt(x.high);
  if (root == 0) return {};
  return exact_sum(root, (std::fma(-root, root, x.high) + x.low) / (2 * root));
}

}  // namespace plumb::parity::sums
