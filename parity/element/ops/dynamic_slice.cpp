// x behind its start on each axis, which is moved as far as it takes for the box to lie inside.
#include "ir/ops/dynamic_slice.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::DynamicSlice& op, const Call& call) {
  Position in_x = call.at();
  for (std::size_t k = 0; k < in_x.size(); ++k) {
    const std::int64_t start = call.whole(1, {static_cast<std::int64_t>(k)}), last = call.in(0)[k] - op.sizes[k];
    in_x[k] += start < 0 ? 0 : start > last ? last : start;
  }
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element
