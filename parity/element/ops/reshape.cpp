// The element with the same row-major number.
#include "ir/ops/reshape.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Reshape&, const Call& call) { return call.number(0, index_of(call.at(), call.out())); }

}  // namespace plumb::parity::element
