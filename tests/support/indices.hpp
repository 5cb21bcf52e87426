#pragma once

#include <vector>

#include "ir/shape.hpp"

namespace plumb::testing {

using Index = std::vector<std::int64_t>;

/// visit(index, position) for every multi-index of a shape, in row-major order: for oracles
/// that follow a formula letter by letter.
template <class Visit>
void for_each_index(const ir::Shape& shape, const Visit& visit) {
  const std::int64_t count = shape.elements();
  Index index(shape.size(), 0);
  for (std::int64_t position = 0; position < count; ++position) {
    visit(static_cast<const Index&>(index), static_cast<std::size_t>(position));
    for (std::size_t a = shape.size(); a-- > 0 && ++index[a] == shape[a];) index[a] = 0;
  }
}

/// The row-major position of a multi-index; -1 outside the shape.
inline std::int64_t position_of(const Index& index, const ir::Shape& shape) {
  std::int64_t position = 0;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    if (index[a] < 0 || index[a] >= shape[a]) return -1;
    position = position * shape[a] + index[a];
  }
  return position;
}

}  // namespace plumb::testing
