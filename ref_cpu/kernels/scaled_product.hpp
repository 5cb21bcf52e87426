// A product of f64 numbers whose partial products cannot leave the range, whatever the order of the factors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace plumb::ref_cpu::kernels {

/// fraction · 2^exponent. A fraction that is neither 0 nor infinite nor NaN is kept within 2^±500, so that the product
/// of two of them is rounded as any other is.
struct ScaledProduct {
  double fraction = 1;
  std::int64_t exponent = 0;

  static ScaledProduct of(double x) {
    ScaledProduct one{x};
    one.normalise();
    return one;
  }
  friend ScaledProduct operator*(const ScaledProduct& a, const ScaledProduct& b) {
    ScaledProduct both{a.fraction * b.fraction, a.exponent + b.exponent};
    both.normalise();
    return both;
  }
  double value() const {
    constexpr std::int64_t most = 1 << 20;  // beyond what any fraction brings back into the range
    return std::ldexp(fraction, static_cast<int>(std::clamp(exponent, -most, most)));
  }

 private:
  void normalise() {
    const double size = std::abs(fraction);
    if ((size >= 0x1p-500 && size <= 0x1p500) || size == 0 || !std::isfinite(size)) return;
    int shift = 0;
    fraction = std::frexp(fraction, &shift);
    exponent += shift;
  }
};

}  // namespace plumb::ref_cpu::kernels
