#pragma once

#include <cstdint>

#include "parity/compare/compare.hpp"

namespace plumb::parity::cases {

/// How certain a truth is, which was evaluated in f64 (docs/truth.md).
struct Certificate {
  double uncertainty = compare::not_computed;  ///< the most that an element may be off, before any was computed again
  std::uint64_t recomputed = 0;                ///< elements computed again in double-double
  std::uint64_t undecided = 0;  ///< others whose error is as close to its limit as the truth is uncertain
};

}  // namespace plumb::parity::cases
