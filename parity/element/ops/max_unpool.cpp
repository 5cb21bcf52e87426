// The last element of x, row-major, whose index is the position; 0 where there is none.
#include "ir/ops/max_unpool.hpp"

#include <optional>

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::MaxUnpool& op, const Call& call) {
  // Indices count in [N, C, inferred..]; what is unpooled to may be larger.
  ir::Shape inferred = {call.in(0)[0], call.in(0)[1]};
  inferred.insert(inferred.end(), op.inferred_shape.begin(), op.inferred_shape.end());
  for (std::size_t axis = 0; axis < inferred.size(); ++axis)
    if (call.at(axis) >= inferred[axis]) return {};
  const std::int64_t wanted = index_of(call.at(), inferred);
  std::int64_t count = 1;
  for (const std::int64_t extent : inferred) count *= extent;
  std::optional<std::int64_t> last;
  std::int64_t number = 0;
  for_each(call.in(0), [&](const Position& in_x) {
    if (call.index(1, in_x, count) == wanted) last = number;
    ++number;
  });
  return last ? call.number(0, *last) : Number();
}

}  // namespace plumb::parity::element
