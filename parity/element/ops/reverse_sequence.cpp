// The first lengths[b] entries along time come in reverse.
#include "ir/ops/reverse_sequence.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::ReverseSequence& op, const Call& call) {
  Position in_x = call.at();
  const std::size_t batch = axis_of(op.batch_axis, in_x.size()), time = axis_of(op.time_axis, in_x.size());
  const std::int64_t length = call.whole(1, {call.at(batch)});
  if (length < 0 || length > call.in(0)[time]) throw NoAnswer{};
  if (call.at(time) < length) in_x[time] = length - 1 - call.at(time);
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element
