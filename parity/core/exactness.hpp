#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace plumb::parity::core {

/// The source of a run's numbers: as the graph's file says, or made for a purpose.
enum class FillKind { graph, uniform, normal, exact, adversarial, file };

/// Whether every evaluation of a node on what it was fed gives the same bits.
enum class Exactness { proved, impossible, unknown };

constexpr auto enum_names(FillKind) {
  return std::array<std::string_view, 6>{"graph", "uniform", "normal", "exact", "adversarial", "file"};
}
constexpr auto enum_names(Exactness) { return std::array<std::string_view, 3>{"proved", "impossible", "unknown"}; }

/// Whether one node of an exact twin is proved (docs/exact_twin.md), and why.
struct Proof {
  Exactness exact = Exactness::unknown;
  std::string why = {};  ///< "every sum fits 17 of 24 bits", "exponentials are rounded"
};

/// "exact twin: 41 of 50 nodes are proved; 5 are not: a root and a division are rounded; ..."
std::string to_text(std::span<const Proof> proofs);

}  // namespace plumb::parity::core
