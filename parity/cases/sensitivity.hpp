#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace plumb::parity::cases {

/// Whether an output would have noticed small faults in what it was made of (verdict.md V41).
struct Sensitivity {
  static constexpr double least = 0.25;
  static constexpr std::uint64_t fewest = 8;  ///< from fewer elements nothing is concluded

  std::uint64_t sampled = 0;  ///< elements that were asked
  /// The share of them that some fault moves by more than their limit; of results that are moved, selected or integers,
  /// the share that differs from another element. NaN where nothing could be asked.
  double share = std::numeric_limits<double>::quiet_NaN();
  bool is_figure = false;  ///< nothing is concluded from it

  /// Why agreement proves nothing, in words; "" where it proves something or nothing was asked.
  std::string mistrust() const;
};

}  // namespace plumb::parity::cases
