// theta times the coordinates of a point, the innermost axis first, and 1.
#include "ir/ops/affine_grid.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::AffineGrid& op, const Call& call) {
  const std::size_t axes = op.output_shape.size();
  const std::int64_t n = call.at(0), j = call.at(axes + 1);
  Sum sum;
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t axis = axes - 1 - k;
    const Real i(call.at(1 + axis)), m(op.output_shape[axis]);
    const Real place = !op.align_corners            ? (Real(2) * i + Real(1) - m) / m
                       : op.output_shape[axis] == 1 ? Real(-1)
                                                    : (Real(2) * i + Real(1) - m) / (m - Real(1));
    sum.add(call.real(0, {n, j, static_cast<std::int64_t>(k)}), weight_within(place, 2));
  }
  sum.add(call.real(0, {n, j, static_cast<std::int64_t>(axes)}));
  return sum.total();
}

}  // namespace plumb::parity::element
