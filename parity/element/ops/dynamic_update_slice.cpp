// The update where the box lies, which is moved as far as it takes to lie inside, and x elsewhere.
#include "ir/ops/dynamic_update_slice.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::DynamicUpdateSlice&, const Call& call) {
  Position in_update = call.at();
  for (std::size_t k = 0; k < in_update.size(); ++k) {
    const std::int64_t start = call.whole(2, {static_cast<std::int64_t>(k)}), last = call.in(0)[k] - call.in(1)[k];
    in_update[k] -= start < 0 ? 0 : start > last ? last : start;
    if (in_update[k] < 0 || in_update[k] >= call.in(1)[k]) return call.number(0, call.at());
  }
  return call.number(1, in_update);
}

}  // namespace plumb::parity::element
