// Limits of the elements of a result from the roundings on the way to it.
#pragma once

#include <optional>
#include <string>

#include "parity/bounds/runs/sign_runs.hpp"

namespace plumb::parity::checks::expected {

/// How a result compares with the truth of its graph.
struct EndToEnd {
  compare::Allowed allowed = {};  ///< the limit it was held to
  compare::Comparison comparison = {};
  /// Elements that a rounding on the way may make another: numbers, indices and bools that hang on a discrete choice
  /// are held to the values that it leaves; those that may be infinite or a NaN are not judged.
  std::uint64_t n_flagged = 0;
  bool says_nothing = false;      ///< every element may be whatever there is
  compare::Telling telling = {};  ///< for a float tensor
  /// Values that a rounding on the way may make of the worst element, in words; "" where it hangs on no choice.
  std::string may_be = "";

  /// Why agreement proves nothing, in words; "" where it proves something.
  std::string mistrust() const;
};

/// Holds a result to how far the runs moved it from the truth (verdict.md V44): floats to λ √(v + the mean v of their
/// line), half a last place and `precision.unit` of the truth; integers and bools to the truth; and what hangs on a
/// choice that is open to the values that this leaves.
EndToEnd hold_to_runs(const bounds::runs::Spread& spread, const ir::TensorView& got,
                      const bounds::runs::Precision& precision, double lambda,
                      const std::optional<compare::MapExtents>& map = {});

}  // namespace plumb::parity::checks::expected
