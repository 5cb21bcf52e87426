#pragma once

#include <cstdint>
#include <span>

namespace plumb::parity::studies::fit {

/// The distribution of the largest of many: P(x <= q) = exp(-exp(-(q - location) / scale)).
struct Gumbel {
  double location = 0, scale = 1;

  /// The value that is exceeded with probability `tail`, 0 < tail < 1; exact for tails down to 10^-300.
  double exceeded_with(double tail) const;
};

/// Fits by L-moments (Hosking, "L-moments", J. R. Statist. Soc. B 52, 1990): scale = l2 / ln 2,
/// location = l1 - 0.5772... scale. Takes at least two values; a scale of 0 when all are equal.
Gumbel fit_gumbel(std::span<const double> values);

/// An upper confidence limit of what is exceeded with probability `tail`, given a fit to `count`
/// values: at or above the true quantile in a share `confidence` of all samples. By parametric
/// bootstrap of the pivot (true quantile - fitted quantile) / fitted scale, which for a family of location
/// and scale does not depend on the true parameters; above 5000 values it is that of 5000, less as the root of the
/// count. Equal arguments give equal bits.
double upper_limit(const Gumbel& fitted, std::size_t count, double tail, double confidence);

}  // namespace plumb::parity::studies::fit
