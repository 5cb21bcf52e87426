// Sets that may be the largest of several numbers, each of which may be off by so much: groups of experts, tokens at a
// cut of their ranking (verdict.md V64).
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace plumb::parity::judges {

/// Numbers that are ranked, the largest first and of equals the first, by their truth and how far each may be off.
/// Equal numbers are never open: whatever is rounded, it is rounded alike.
struct Ranked {
  std::span<const double> value, limit;  ///< by place
  std::span<const std::size_t> order;    ///< places by rank
};

/// A set as it differs from the truth's: places that it has not, and places that it has in their stead.
struct KeptSet {
  std::vector<std::size_t> without, with;
};

/// No more sets than three open choices leave are tried.
inline constexpr std::size_t most_sets = 8;

/// The sets that may be the first `count`, the truth's own first; nothing where they are more than are tried. NaN is
/// the largest, and exact.
std::optional<std::vector<KeptSet>> kept_sets(const Ranked& ranked, std::size_t count);

}  // namespace plumb::parity::judges
