#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parity/compare/compare.hpp"

namespace plumb::parity::cases {

/// The unit of one ratio of an output (verdict.md V63): an element, a line by its 2-norm, a matrix by its Frobenius
/// norm, the residual of the outputs put together again, or a choice that was read off the output.
enum class UnitKind { element, line, matrix, residual, choice };

constexpr auto enum_names(UnitKind) {
  return std::array<std::string_view, 5>{"element", "line", "matrix", "residual", "choice"};
}

/// A discrete choice in a result that the truth does not share (verdict.md V64).
struct Decision {
  std::string what;            ///< "code", "bin", "sign"
  std::uint64_t where = 0;     ///< the element of the output in which it was read
  double chosen = 0;           ///< as it was read
  double truth = 0;            ///< the truth's choice
  double margin = 0;           ///< how far the real that decides is from those that decide so
  double limit = 0;            ///< and how far it may be
  bool is_admissible = false;  ///< it is no further
};

/// The choices of an output: how many there are, and how many of them roundings explain.
struct Decisions {
  std::uint64_t count = 0;
  std::uint64_t free = 0;     ///< admissible ones that the truth does not share
  std::uint64_t refused = 0;  ///< those that no rounding explains
  /// The share of free ones that chance gives at most, where reals are in no particular place next to what parts them.
  double bound = compare::not_computed;
  std::vector<Decision> differing = {};  ///< those that are not the truth's, refused ones first; at most 8
};

/// How one output was judged, where its elements are not held to limits of their own.
struct Units {
  UnitKind kind = UnitKind::element;
  std::uint64_t count = 0, beyond = 0;  ///< units, and those beyond their limit
  std::uint64_t flagged = 0;            ///< not judged: more choices are open than can be tried
  std::uint64_t untraced = 0;           ///< not judged: nobody kept what they were made of
  Decisions decisions = {};
  /// The largest residual of factors relative to what was factored, and their largest distance from orthogonality.
  double residual = compare::not_computed, orthogonality = compare::not_computed;

  /// Whether a unit is an element whose own limit decides.
  bool are_elements() const { return kind == UnitKind::element; }
};

}  // namespace plumb::parity::cases
