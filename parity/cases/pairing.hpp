#pragma once

#include <array>
#include <string_view>

namespace plumb::parity::cases {

/// How a tensor of a candidate that is not ours was found to be a value of the graph.
enum class Pairing {
  none,        ///< it was not looked for: our executors hand over values, not names
  exact,       ///< by its name in the graph or in the model, byte for byte
  map,         ///< a file of names says so
  normal,      ///< by its name but for case, separators, a final ":0" and a prefix that all names share
  statistics,  ///< by shape and norm
};

constexpr auto enum_names(Pairing) {
  return std::array<std::string_view, 5>{"none", "exact", "map", "normal", "statistics"};
}

}  // namespace plumb::parity::cases
