// Tuples count along several axes: all of their indices are in the range of the shortest.
#include "ir/ops/scatter_nd.hpp"

#include <algorithm>

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::ScatterNd&, Types in, std::size_t operand, Use& use) {
  if (operand != 1) return;
  const Shape& x = in[0].shape;
  const auto first = x.begin();
  use.role = Role::index;
  use.high = *std::min_element(first, first + in[1].shape.back());
  use.low = -use.high;
}

}  // namespace plumb::ir::adversarial
