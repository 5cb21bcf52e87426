#pragma once

#include <vector>

#include "parity/bounds/error_model.hpp"

/// Error terms that the models of softmax, its logarithm and the logarithm of a sum of exponentials share
/// (verdict.md V28).
namespace plumb::parity::bounds {

/// Errors of e^(x - top) and of its sum S over a line, relative to each, in units of the roundoff u of what is computed
/// in. With y = e^(x - top) / S: τ is the standard deviation of one exponential, ε what it is at most.
struct Exponentials {
  Real depth;           ///< |x - top|; 0 where it is infinite, of terms that are 0
  Real variance;        ///< τ²
  Real most;            ///< ε
  Real own;             ///< y²τ²
  Real of_sum;          ///< Σ y²τ² and the variance of S
  Real most_of_sum;     ///< Σ yε and the certain error of S
  double sum_size = 0;  ///< the one rounding at the end of a compensated sum
};

/// Those of the lines of x along `axes`, whose y are `weights`; `count` terms a line, whose sum `part` is about.
Exponentials exponentials(const Node& part, Real x, Real top, Real weights, const std::vector<std::int64_t>& axes,
                          std::int64_t count);

/// The error of ln S, which is `log_of_sum`.
Bound log_error(const Node& part, const Exponentials& terms, Real log_of_sum);

}  // namespace plumb::parity::bounds
