// Kernels of interpolation.
#include "parity/element/kernels.hpp"

namespace plumb::parity::element {

Real linear_weight(Real t) {
  if (t.value - t.off >= 1) return {};
  return maximum(Real(0), Real(1) - t);
}

Real keys_weight(Real t, Real a) {
  const Real square = t * t, cube = square * t;
  // Both pieces are 0 at 1, and the outer one is 0 at 2: a distance that may be on either side is of either piece.
  if (t.value <= 1) return (a + Real(2)) * cube - (a + Real(3)) * square + Real(1);
  if (t.value < 2) return a * cube - Real(5) * a * square + Real(8) * a * t - Real(4) * a;
  return {0, t.value - t.off < 2 ? 4 * t.off : 0.0L};
}

Real weighted(const Call& call, const Position& leading, std::span<const Taps> taps) {
  std::vector<std::int64_t> counts;
  for (const Taps& one : taps) counts.push_back(static_cast<std::int64_t>(one.size()));
  Sum sum;
  for_each(counts, [&](const Position& number) {
    Position in_x = leading;
    Real weight(1);
    for (std::size_t axis = 0; axis < taps.size(); ++axis) {
      const Tap1& tap = taps[axis][static_cast<std::size_t>(number[axis])];
      in_x.push_back(tap.place);
      weight = weight * tap.weight;
    }
    if (weight.value == 0 && weight.off < 0x1p-200L) return;
    const Real x = call.real(0, in_x);
    // A weight that is 0 or not within its uncertainty lets an infinity in, or does not.
    if (!std::isfinite(x.value) && !(std::fabs(weight.value) > weight.off)) throw NoAnswer{};
    sum.add(weight, x);
  });
  return sum.total();
}

}  // namespace plumb::parity::element
