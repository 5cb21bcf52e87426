#pragma once

// How the cases of a run are shared out among several starts of the program.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace plumb::parity::cases {

/// One share of several.
struct Shard {
  std::uint16_t index = 1, count = 1;  ///< from 1 to `count`

  std::string text() const;  ///< "2/4"
  bool operator==(const Shard&) const = default;
};

/// The time that a case takes, as far as it is known.
struct CaseCost {
  std::string id = {};
  double flops = 0;                    ///< the sum over all its runs
  std::optional<double> seconds = {};  ///< likewise; nothing where it was not measured
};

/// How long each case takes, in seconds: as measured, and the others by their flops at the median rate of those. Where
/// none was measured, flops take the place of seconds.
std::vector<double> weights_of(std::span<const CaseCost> cases);

/// The share of each case, from 1 to `count`: the heaviest case first, each to the share that has least to do, and of
/// several such to the one with the fewest cases. The order in which the cases come makes no difference.
std::vector<std::uint16_t> shares_of(std::span<const CaseCost> cases, std::uint16_t count);

/// A name of what was shared out, and how: starts with equal names have shares that make a whole.
std::string partition_of(std::span<const CaseCost> cases, std::uint16_t count);

}  // namespace plumb::parity::cases
