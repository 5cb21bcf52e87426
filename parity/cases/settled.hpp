#pragma once

#include <cstdint>
#include <limits>

namespace plumb::parity::cases {

/// Counts of those elements of an output whose error is more than half of the limit that the whole tensor is held
/// to at first, and which were looked at one by one (verdict.md V15).
struct Settled {
  std::uint64_t open = 0;          ///< those that were looked at
  std::uint64_t left = 0;          ///< those that were not, since another is beyond all that is allowed it
  std::uint64_t replayed = 0;      ///< those beyond their limit, but bit for bit what the kernel's own order gives
  std::uint64_t out_of_range = 0;  ///< not judged: an intermediate result left the range of the type (verdict.md V34)
  std::uint64_t wide = 0;          ///< those beyond their limit, but within that of sums that creep
  /// The largest error over its first limit, before anything was looked at one by one; NaN where nothing had to be.
  double first_ratio = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace plumb::parity::cases
