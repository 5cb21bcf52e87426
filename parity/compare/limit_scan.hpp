#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plumb::parity::compare {

/// The largest limit that is finite; 0 where there is none.
double largest_limit(std::span<const double> limits);

/// Elements whose limit, of which a share is left, is not above all that the truth may be off.
std::vector<std::size_t> not_clear(std::span<const double> limits, std::span<const double> off, double left);

}  // namespace plumb::parity::compare
