#pragma once

#include <vector>

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// The elements of a tensor that an op works on together: all those that differ in their positions along some axes
/// only.
class Lines {
 public:
  Lines(ir::Shape shape, const std::vector<std::int64_t>& axes);

  /// The number of the line that an element belongs to, lines in the order of their first elements.
  std::int64_t line_of(std::int64_t index) const;
  /// The flat indices of a line's elements, row-major.
  std::vector<std::int64_t> elements(std::int64_t line) const;
  const ir::Shape& shape() const { return shape_; }
  /// How many elements a line has.
  std::int64_t length() const { return within_.elements(); }

 private:
  ir::Shape shape_, within_, across_;
  std::vector<bool> is_within_;  ///< by axis
};

/// The axes of a shape from one on.
std::vector<std::int64_t> axes_from(const ir::Shape& shape, std::int64_t axis);

/// The element of an operand that broadcasts to `shape`, at a flat index of that shape.
double stretched(const Operand& operand, std::int64_t index, const ir::Shape& shape);

}  // namespace plumb::parity::element::terms
