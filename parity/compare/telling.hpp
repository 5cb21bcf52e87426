#pragma once

#include <string>

#include "parity/compare/compare.hpp"

namespace plumb::parity::compare {

/// The elements of an output that share a scale by what its op does: `length` of them, `inner` elements apart, at
/// (o · length + i) · inner + l for each o and l (verdict.md V38).
struct Line {
  std::int64_t length = 1, inner = 1;

  /// The elements of all axes from `first` to `last`, both counted from the end where they are negative.
  static Line along(const ir::Shape& shape, std::int64_t first, std::int64_t last = -1);
  /// The last axes, joined until there are 8 elements; an output of fewer is one line.
  static Line of_last_axes(const ir::Shape& shape);
};

/// How many elements of an output say something by agreeing with their truth (verdict.md V39).
struct Telling {
  std::uint64_t elements = 0;
  std::uint64_t not_finite = 0;   ///< by their truth; where nothing is rounded, NaN alone
  std::uint64_t informative = 0;  ///< with a limit of at most 10⁻² of the scale of their line, which is not 0
  std::uint64_t loose = 0;        ///< with a wider limit, in lines that are not 0
  bool has_precise = false;       ///< one element is more than 100 times as large as its limit

  /// Why agreement proves nothing, in words; "" where it proves something (verdict.md V42).
  std::string mistrust() const;
};

/// `known` is how the output compared with its truth; `marked_bools`: bools were neither false nor true before someone
/// wrote them.
Telling telling_of(const ir::TensorView& truth, ir::DType dtype, const Allowed& allowed, const Line& line,
                   const Comparison& known, bool marked_bools = false);

}  // namespace plumb::parity::compare
