#pragma once

#include <vector>

#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// The positions in operand 0 of the elements that share with `at` its place on all axes but `axes`, row-major.
std::vector<Position> line_of(const Call& call, Position at, std::span<const std::size_t> axes);

/// The elements of operand 0 there.
std::vector<Real> reals_of(const Call& call, Position at, std::span<const std::size_t> axes);

/// Axes from `first` to the last.
std::vector<std::size_t> axes_from(std::size_t first, std::size_t rank);

/// The largest of a line; NaN beside a NaN.
Real largest_of(std::span<const Real> line);

/// The power of two of the largest magnitude, in which a line's squares are in the range of f64 and nothing is rounded;
/// 1 for zeros, and beside what is not finite.
Real unit_of(std::span<const Real> line);

/// Moments of a line, for norms: its mean, and its variance about that.
struct Moments {
  Real mean, variance;
};
Moments moments_of(std::span<const Real> line);
/// Without a mean: about 0.
Real mean_of_squares(std::span<const Real> line);
/// 1 / √(variance + epsilon).
Real inverse_root(Real variance, long double epsilon);

/// The sum of two numbers' products over whole lines: Σ over a box of the integers' bits, or of the numbers.
Number sum_of_products(ir::DType dtype, std::span<const std::pair<Number, Number>> pairs);

}  // namespace plumb::parity::element
