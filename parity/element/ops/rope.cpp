// A pair of coordinates rotated by the angle of its token; the others are copied.
#include "ir/ops/rope.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Rope& op, const Call& call) {
  const bool heads_first = op.layout == ir::ops::RopeLayout::bhsd;
  const std::int64_t b = call.at(0), s = call.at(heads_first ? 2 : 1), d = call.at(3);
  const std::int64_t n = op.rotary_dim == 0 ? call.out()[3] : op.rotary_dim;
  if (d >= n) return call.number(0, call.at());
  const std::int64_t i = op.interleaved ? d / 2 : d % (n / 2);
  const bool is_first = op.interleaved ? d % 2 == 0 : d < n / 2;
  Position in_table;
  if (op.has_positions) {
    const std::int64_t t = call.in(3).size() == 1 ? call.whole(3, {s}) : call.whole(3, {b, s});
    if (t < 0 || t >= call.in(1)[0]) throw NoAnswer{};
    in_table = {t, i};
  } else if (call.in(1).size() == 2) {
    in_table = {op.offset + s, i};
  } else {
    in_table = {b, s, i};
  }
  const Real cosine = call.real(1, in_table), sine = op.inverse ? -call.real(2, in_table) : call.real(2, in_table);
  const auto at = [&](std::int64_t place) {
    Position in_x = call.at();
    in_x[3] = place;
    return call.real(0, in_x);
  };
  const std::int64_t distance = op.interleaved ? 1 : n / 2;
  const Real own = at(d), other = at(is_first ? d + distance : d - distance);
  return own * cosine + other * (is_first ? -sine : sine);
}

}  // namespace plumb::parity::element
