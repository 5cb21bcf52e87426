// Roots of unity and scales, as the contract writes them.
#include "parity/element/fourier.hpp"

namespace plumb::parity::element {

Number turn(std::int64_t k, std::int64_t n, int sign) {
  const long double angle =
      2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k % n) / static_cast<long double>(n);
  // Where the angle is off by its own roundings, the result is as well: less than a unit of f64 in all.
  const auto part = [](long double x) { return Real(x, roundoff); };
  return {part(std::cos(angle)), part(static_cast<long double>(sign) * std::sin(angle))};
}

Number finite(Number x) {
  if (!std::isfinite(x.re.value) || !std::isfinite(x.im.value)) throw NoAnswer{};
  return x;
}

Real fourier_factor(bool is_ortho, bool is_scaled, std::int64_t n) {
  const Real points(static_cast<long double>(n));
  if (is_ortho) return Real(1) / sqrt(points);
  return is_scaled ? Real(1) / points : Real(1);
}

}  // namespace plumb::parity::element
