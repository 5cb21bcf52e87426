// An integer whose bits are those of another; floats have no truth.
#include "ir/ops/bitcast.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Bitcast& op, const Call& call) {
  if (!ir::is_integer(call.dtype_in(0)) || !ir::is_integer(op.to)) throw NoAnswer{};
  return wrap(op.to, static_cast<std::uint64_t>(whole(call.number(0, call.at()))));
}

}  // namespace plumb::parity::element
