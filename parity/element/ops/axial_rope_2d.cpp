// A pair of neighbours turned by the column, or by the row, of its token.
#include "ir/ops/axial_rope_2d.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::AxialRope2d& op, const Call& call) {
  const std::int64_t g = call.at(1) / op.repeat, d = call.at(2) % op.head_dim, half = op.head_dim / 2;
  const std::int64_t p = d < half ? g % op.width : g / op.width, i = d % half / 2;
  const Real exponent = Real(-4 * i) / Real(op.head_dim), theta(call.attribute(op.theta));
  const auto power = [](long double a, long double b) { return std::pow(a, b); };
  const Real angle = Real(p) * apply(power, theta, exponent, library_ulps);
  const Real cosine = apply([](long double v) { return std::cos(v); }, angle, library_ulps);
  const Real sine = apply([](long double v) { return std::sin(v); }, angle, library_ulps);
  const bool is_first = d % 2 == 0;
  Position other = call.at();
  other[2] += is_first ? 1 : -1;
  const Real own = call.real(0, call.at()), partner = call.real(0, other);
  return own * weight_within(cosine, 1) + partner * weight_within(is_first ? -sine : sine, 1);
}

}  // namespace plumb::parity::element
