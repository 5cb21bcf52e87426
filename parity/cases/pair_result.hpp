#pragma once

#include <cstdint>
#include <string>

#include "parity/compare/compare.hpp"

namespace plumb::parity::cases {

/// One result of a graph as two candidates gave it, on the same inputs.
struct PairResult {
  std::string graph = {};  ///< the file's path, as given
  std::uint64_t seed = 1;
  std::string value = {};                     ///< the result's name
  std::string first = {}, second = {};        ///< the candidates' names
  std::size_t first_at = 0, second_at = 0;    ///< their places among the candidates of the run
  std::uint64_t elements = 0, differing = 0;  ///< differing: those that do not have the very bits
  double max_abs = compare::not_computed, max_ulp = compare::not_computed;  ///< over elements finite on both sides
  /// Root mean squares of their errors against the truth of the graph; NaN where they are not known.
  double error_of_first = compare::not_computed, error_of_second = compare::not_computed;

  /// The name of the one with the smaller error; "" where both are alike, or one is not known.
  std::string closer() const {
    if (error_of_first < error_of_second) return first;
    return error_of_second < error_of_first ? second : "";
  }
};

}  // namespace plumb::parity::cases
