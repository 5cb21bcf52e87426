#pragma once

#include <array>
#include <string_view>

namespace plumb::parity::core {

/// How the nodes of the candidate are fed, and which part of their error is judged (docs/attribution.md).
enum class Mode {
  propagate,  ///< the graph runs as a whole; its error in total
  isolate,    ///< each node runs alone on the truth, rounded to the dtypes of its operands; its own error
  attribute,  ///< the graph runs as a whole; its own error
};

constexpr auto enum_names(Mode) { return std::array<std::string_view, 3>{"propagate", "isolate", "attribute"}; }

}  // namespace plumb::parity::core
