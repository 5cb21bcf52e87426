#include "ir/ops/affine_grid.hpp"

#include <cmath>

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// A row of theta times the position, the innermost axis first, and 1. A coordinate is at most 1 and good to two units
/// of that.
std::optional<Walker> walker(const ir::ops::AffineGrid& op, std::span<const Operand> operands, const ir::Shape& y) {
  const Operand theta = operands[0];
  return [=](std::int64_t index, ElementSum& sum) {
    const std::vector<std::int64_t> at = position_of(index, y);
    const std::int64_t rows = theta.shape[1], first = (at[0] * rows + at.back()) * (rows + 1);
    const auto axes = static_cast<std::size_t>(rows);
    for (std::size_t k = 0; k <= axes; ++k) {
      const double factor = theta.values[static_cast<std::size_t>(first) + k];
      double coordinate = 1;
      if (k < axes) {
        const auto i = static_cast<double>(at[axes - k]), extent = static_cast<double>(y[axes - k]);
        coordinate = !op.align_corners ? (2 * i + 1 - extent) / extent
                     : extent == 1     ? -1
                                       : (2 * i + 1 - extent) / (extent - 1);
      }
      sum.add(factor, coordinate);
      sum.off.push_back(k < axes ? 2 * std::abs(factor) : 0);
    }
    sum.is_rounded = true;
  };
}

}  // namespace plumb::parity::element::terms
