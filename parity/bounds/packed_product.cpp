// The error model of products with packed weights, by graphs that decode the weights in f64.
#include "parity/bounds/packed_product.hpp"

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/dequantize_linear.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::WeightDtype;

/// The weights that these operands pack, in f64: formats with real scales without their roundings to f32.
Real weights(const PackedProduct& op, WeightDtype dtype, const Node& node, const std::vector<Real>& packed) {
  ExpressionBuilder& builder = node.builder;
  const auto& [format, block_size, has_scales, has_zero_points] = op.packing;
  const Real exact =
      builder.apply(ir::ops::Dequantize{format, ir::DType::f64, block_size, has_scales, has_zero_points}, packed);
  if (dtype == WeightDtype::f32) return exact;
  const ir::DType to = dtype == WeightDtype::f16 ? ir::DType::f16 : ir::DType::bf16;
  return builder.apply(ir::ops::Cast{ir::DType::f64}, {builder.apply(ir::ops::Cast{to}, {exact})});
}

std::vector<Real> packed_operands(const PackedProduct& op, const Node& node) {
  return {node.in.begin() + 1, node.in.begin() + 1 + static_cast<std::ptrdiff_t>(op.packed_operands)};
}

std::vector<Real> with(std::vector<Real> operands, std::size_t i, Real other) {
  operands[i] = other;
  return operands;
}

/// x, or codes times scales.
Real left_factors(const Node& node, std::optional<Real> scales) {
  if (!scales) return node.in[0];
  const std::int64_t last = node.in[0].shape().rank() - 1;
  return node.builder.apply(ir::ops::DequantizeLinear{.axis = last, .block_size = 32}, {node.in[0], *scales});
}

Real left_factors(const PackedProduct& op, const Node& node) {
  return left_factors(node, op.x_scales ? std::optional(node.in[*op.x_scales]) : std::nullopt);
}

Bound rounding(const PackedProduct& op, const Node& node) {
  const Real w = weights(op, op.weight_dtype, node, packed_operands(op, node)), x = left_factors(op, node);
  const Real size = abs(x);
  Terms terms{.count = x.shape().back() + (op.has_bias ? 1 : 0),
              .sum = node.y(),
              .magnitude = op.product(node, size, abs(w)),
              .squares = op.product(node, square(x), square(w))};
  if (op.has_bias) {
    terms.magnitude = terms.magnitude + op.addend(node, abs(node.in.back()));
    terms.squares = terms.squares + op.addend(node, square(node.in.back()));
  }
  Bound of_sum = dot(node, terms);
  if (op.x_scales) {  // each term has one rounding more: of its factor, or of its share of a scaled sum
    const Real certain = of_sum.certain + node.accumulator() * terms.magnitude;
    const double chance = node.lambda() * node.accumulator();
    const Real squares = square(of_sum.probable) + chance * chance * terms.squares;
    of_sum = {min(sqrt(squares), certain), certain};
  }
  if (!node.flushes_subnormals) return of_sum;
  const double normal = core::float_format(ir::DType::f32).smallest_normal();
  const Bound kept = of_sum + both(op.product(node, size, may_vanish(w, normal)));  // weights taken for 0
  return op.x_scales ? kept + both(op.product(node, may_vanish(x, normal), abs(w))) : kept;
}

/// The change where x, the bias, scales and zero points move by so much.
Real carried(const PackedProduct& op, const Node& node, const Errors& errors) {
  const Real size = abs(left_factors(op, node));
  const std::vector<Real> packed = packed_operands(op, node);
  const bool has_scales = op.packing.has_scales, has_zero_points = op.packing.has_zero_points;
  const auto unrounded = [&](const std::vector<Real>& operands) {
    return abs(weights(op, WeightDtype::f32, node, operands));
  };
  Real moved = node.builder.constant(0);
  const auto by_left = [&](Real change) {
    return op.product(node, change, abs(weights(op, op.weight_dtype, node, packed)));
  };
  if (!op.x_scales && errors[0]) moved = moved + by_left(*errors[0]);
  if (op.x_scales && errors[*op.x_scales]) moved = moved + by_left(abs(left_factors(node, *errors[*op.x_scales])));
  if (op.has_bias && errors.back()) moved = moved + op.addend(node, *errors.back());
  if (has_scales && errors[2]) moved = moved + op.product(node, size, unrounded(with(packed, 1, *errors[2])));
  if (has_zero_points && errors[3]) {
    const Real codes = packed[0];
    const Real none = node.builder.apply(ir::ops::Binary{ir::ops::BinaryFunction::subtract}, {codes, codes});
    moved = moved + op.product(node, size, unrounded(with(with(packed, 0, none), 2, *errors[3])));
  }
  return moved;
}

}  // namespace

Model packed_model(const PackedProduct& op) {
  return {.rounding = [op](const Node& node) { return rounding(op, node); },
          .carried = [op](const Node& node, const Errors& errors) { return carried(op, node, errors); }};
}

}  // namespace plumb::parity::bounds
