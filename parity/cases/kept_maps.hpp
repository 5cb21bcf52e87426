#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace plumb::parity::cases {
// Which of the maps that were made are kept.
struct NodeResult;

/// Whose maps of ratios the results of a case have: of no output, of those that are beyond their limits and the 32 with
/// the largest ratios, or of all that were judged.
enum class KeepMaps { none, worst, all };

constexpr auto enum_names(KeepMaps) { return std::array<std::string_view, 3>{"none", "worst", "all"}; }

inline constexpr std::size_t worst_maps = 32;

/// Lets all other maps go, and those of errors that are not what is judged.
void keep_maps(std::vector<NodeResult>& nodes, KeepMaps kept);

}  // namespace plumb::parity::cases
