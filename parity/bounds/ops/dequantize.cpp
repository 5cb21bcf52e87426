// Error model of dequantize: formats with scales in their blocks, and those of OCP MX, are rounded to f32 in the truth
// as well. The others round a difference, a product and the result, and lose scales and zero points that a device
// takes for 0.
#include "ir/ops/dequantize.hpp"

#include <algorithm>

#include "ir/ops/binary.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds {
namespace {

/// The change of results where scales and zero points move by so much: (q − z) of the one, s of the other.
Real change(const Node& node, const std::optional<Real>& of_scales, const std::optional<Real>& of_zero_points) {
  std::vector<Real> operands = node.in;
  Real moved = node.builder.constant(0);
  if (of_scales) {
    operands[1] = *of_scales;
    moved = moved + abs(node.apply(operands));
  }
  if (of_zero_points) {
    const Real codes = node.in[0];
    operands = {node.builder.apply(ir::ops::Binary{ir::ops::BinaryFunction::subtract}, {codes, codes}), node.in[1],
                *of_zero_points};
    moved = moved + abs(node.apply(operands));
  }
  return moved;
}

Bound rounding(const Node& node, bool has_zero_points) {
  const ir::DType computed = core::compute_dtype(node.in_types[1].dtype);
  const double u = std::max(ir::unit_roundoff(computed), node.unit());
  const core::FloatFormat format = core::float_format(computed);
  Bound bound = both(4 * u * abs(node.y()) + format.ulp(0));
  if (!node.flushes_subnormals) return bound;
  const auto lost = [&](std::size_t i) { return std::optional(may_vanish(node.in[i], format.smallest_normal())); };
  return bound + both(change(node, lost(1), has_zero_points ? lost(2) : std::nullopt));
}

}  // namespace

Model error_model(const ir::ops::Dequantize& op) {
  if (op.error_class() != ir::ErrorClass::ulp) return {.carried = moved, .decides_ties = true};
  return {.rounding = [op](const Node& node) { return rounding(node, op.has_zero_points); },
          .carried =
              [op](const Node& node, const Errors& errors) {
                return change(node, errors[1], op.has_zero_points ? errors[2] : std::nullopt);
              }};
}

}  // namespace plumb::parity::bounds
