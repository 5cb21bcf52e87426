// Lines of a tensor along any axes, and elements of operands that are broadcast to it.
#include "parity/element/terms/lines.hpp"

#include <algorithm>

namespace plumb::parity::element::terms {

Lines::Lines(ir::Shape shape, const std::vector<std::int64_t>& axes)
    : shape_(std::move(shape)), is_within_(shape_.size(), false) {
  for (const std::int64_t axis : axes) is_within_[shape_.axis(axis)] = true;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis)
    (is_within_[axis] ? within_ : across_).push_back(shape_[axis]);
}

std::int64_t Lines::line_of(std::int64_t index) const {
  const std::vector<std::int64_t> at = position_of(index, shape_);
  std::vector<std::int64_t> outside;
  for (std::size_t axis = 0; axis < at.size(); ++axis)
    if (!is_within_[axis]) outside.push_back(at[axis]);
  return index_of(outside, across_);
}

std::vector<std::int64_t> Lines::elements(std::int64_t line) const {
  const std::vector<std::int64_t> outside = position_of(line, across_);
  std::vector<std::int64_t> at(shape_.size()), inside(within_.size(), 0), found;
  const std::vector<std::int64_t> extents(within_.begin(), within_.end());
  if (std::ranges::count(extents, 0) > 0) return found;
  do {
    for (std::size_t axis = 0, in = 0, out = 0; axis < at.size(); ++axis)
      at[axis] = is_within_[axis] ? inside[in++] : outside[out++];
    found.push_back(index_of(at, shape_));
  } while (step(inside, extents));
  return found;
}

std::vector<std::int64_t> axes_from(const ir::Shape& shape, std::int64_t axis) {
  std::vector<std::int64_t> axes;
  for (std::size_t a = shape.axis(axis); a < shape.size(); ++a) axes.push_back(static_cast<std::int64_t>(a));
  return axes;
}

double stretched(const Operand& operand, std::int64_t index, const ir::Shape& shape) {
  const std::vector<std::int64_t> at = position_of(index, shape);
  const std::size_t skipped = shape.size() - operand.shape.size();
  std::int64_t found = 0;
  for (std::size_t axis = 0; axis < operand.shape.size(); ++axis)
    found = found * operand.shape[axis] + (operand.shape[axis] == 1 ? 0 : at[skipped + axis]);
  return operand.values[static_cast<std::size_t>(found)];
}

}  // namespace plumb::parity::element::terms
