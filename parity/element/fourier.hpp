#pragma once

#include "parity/element/call.hpp"

/// Parts that the definitions of all Fourier transforms use (ops.md 10).
namespace plumb::parity::element {

/// e^(sign 2 pi i k / n), by the functions of the C library.
Number turn(std::int64_t k, std::int64_t n, int sign);

/// An element of a line of which something can be said. Throws NoAnswer where a part is not finite: then the line is
/// wild.
Number finite(Number x);

/// 1/n, 1/√n or 1.
Real fourier_factor(bool is_ortho, bool is_scaled, std::int64_t n);

/// The factor of a direction's sums, by the op's `norm`.
template <class Norm>
Real factor_of(Norm norm, bool inverse, std::int64_t n) {
  return fourier_factor(norm == Norm::ortho, norm == (inverse ? Norm::backward : Norm::forward), n);
}

}  // namespace plumb::parity::element
