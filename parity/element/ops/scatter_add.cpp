// The sum of the rows of updates whose index is the position's.
#include "ir/ops/scatter_add.hpp"

#include "parity/element/scattered.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::ScatterAdd& op, const Call& call) {
  const std::size_t axis = axis_of(op.axis, call.at().size()), rank = call.in(1).size();
  const auto middle = call.at().begin() + static_cast<std::ptrdiff_t>(axis);
  std::vector<Number> updates;
  for_each(call.in(1), [&](const Position& i) {
    if (call.index(1, i, op.size) != call.at(axis)) return;
    Position in_updates(call.at().begin(), middle);
    in_updates.insert(in_updates.end(), i.begin(), i.begin() + static_cast<std::ptrdiff_t>(rank));
    in_updates.insert(in_updates.end(), middle + 1, call.at().end());
    updates.push_back(call.number(0, in_updates));
  });
  return joined(Joining::add, call.dtype_out(), Number(), updates);
}

}  // namespace plumb::parity::element
