#pragma once

#include <complex>
#include <span>
#include <vector>

#include "parity/compare/telling.hpp"
#include "parity/core/segment.hpp"

/// How far results of Fourier transforms may be off, a line at a time: their errors are spread over it.
namespace plumb::parity::bounds {

/// How transforms of length n round, in units of u: `norm` times ‖y‖₂ the errors of a line, `element` times σ‖x‖₁ any
/// of them, σ being the transform's scale. 1.5√log₂ n and 5 log₂ n where all primes of n are at most 7, twice and three
/// times that by Bluestein's algorithm; nothing where n is 1. A scale that is no power of two is rounded, and so is its
/// product with every element: 2 more of `norm`.
///
/// Below the smallest normal products are rounded to a fixed place whatever their size: half a spacing each, up to 3
/// for a part and a halving of the line, of which later steps carry every one to all that comes of it. By chance that
/// is n/√2 spacings of a line's 2-norm at most, and never more than 6n of an element; lines of Bluestein's algorithm
/// are up to four times as long. `tiny_norm`, `tiny_element`: in units of the spacing.
struct TransformFactors {
  double norm = 0, element = 0;
  double tiny_norm = 0, tiny_element = 0;
};
TransformFactors transform_factors(std::int64_t length, double scale);

/// How often bins of the half spectrum of n points count: bin 0 and, for even n, the last one once, all others twice.
std::vector<double> half_spectrum_weights(std::int64_t n);
/// The places of those that count once.
std::vector<std::int64_t> real_bins(std::int64_t n);

/// The 2-norm of each line of a widened tensor, and the sum of the sizes of its elements, each with its weight. No
/// weights: all count once.
struct LineNorms {
  std::vector<double> two, one;
  std::vector<bool> is_finite;
};
LineNorms norms_of(const ir::Tensor& x, const compare::Line& line, std::span<const double> weights = {});

/// Whether both parts are.
bool is_finite(const std::complex<double>& z);

/// The square of a modulus, which of f64 numbers may be beyond the range of f64, to either side.
long double square_of(const std::complex<double>& z);

/// How far elements of a transform's result may be off by chance: σ for each, of complex numbers that of either part.
/// It is an element's share of what the 2-norm of its line's errors may be.
struct Deviations {
  compare::Line line;
  ir::Tensor sigma;
};
/// Whether a segment is one node, and that is fft, rfft or irfft; if so, its deviations by the truth of its result.
bool is_transform(const core::Segment& segment);
Deviations deviations_of_transform(const core::Segment& segment, const ir::Tensor& truth);

}  // namespace plumb::parity::bounds
