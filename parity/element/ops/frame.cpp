// Sample i of window f is x[.., f·hop + i].
#include "ir/ops/frame.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Frame& op, const Call& call) {
  Position in_x = call.at();
  const std::int64_t i = in_x.back();
  in_x.pop_back();
  in_x.back() = in_x.back() * op.hop + i;
  return call.number(0, in_x);
}

}  // namespace plumb::parity::element
