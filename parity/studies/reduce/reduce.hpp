#pragma once

// Makes the smallest candidate that still fails, whatever it is that asks each of them.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "parity/studies/reduce/candidate.hpp"
#include "parity/studies/reduce/numbers.hpp"

namespace plumb::parity::studies::reduce {

/// How candidates are asked.
struct Questions {
  Fails fails;  ///< false, too, of whatever is asked when the time is over
  /// The numbers of all values that nodes give, by value. Where one is not there no node can be left out that gives it
  /// to one that stays.
  std::function<ir::Tensors(const Candidate&)> values;
  /// Told after each step ("nodes", "shapes", "numbers") that made it smaller.
  std::function<void(std::string_view step, const Candidate& best)> tell = [](std::string_view, const Candidate&) {};
};

/// Reduces what fails: to the node of the label `guilty` alone where that is enough, else by ddmin over the nodes; then
/// extents; then numbers; and again until nothing changes, five times at most. Asks of no candidate twice.
Candidate reduced(Candidate failing, const std::optional<std::string>& guilty, const Questions& questions);

}  // namespace plumb::parity::studies::reduce
