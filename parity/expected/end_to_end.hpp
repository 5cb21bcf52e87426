// What roundings on the way to a result may make of it, as limits of its elements.
#pragma once

#include <string>

#include "parity/expected/sign_runs.hpp"

namespace plumb::parity::expected {

/// How a result compares with the truth of its graph.
struct EndToEnd {
  compare::Allowed allowed = {};  ///< what it was held to
  compare::Comparison comparison = {};
  std::uint64_t n_flagged = 0;    ///< elements that are not judged: a discrete choice on the way is open
  compare::Telling telling = {};  ///< for a float tensor

  /// Why agreement proves nothing, in words; "" where it proves something.
  std::string mistrust() const;
};

/// Holds a result to how far the runs moved it from the truth (verdict.md V44): floats to λ √(v + the mean v of their
/// line), half a last place and `precision.unit` of the truth; integers and bools to the truth, where no run changed
/// it.
EndToEnd hold_to_runs(const Spread& spread, const ir::TensorView& got, const Precision& precision, double lambda);

}  // namespace plumb::parity::expected
