// Error model of products with packed weights: that of a product with the weights, which are exact. The bias is one
// term more.
#include "ir/ops/dequant_matmul.hpp"

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/matmul.hpp"
#include "parity/bounds/error_terms.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::bounds {
namespace {

using ir::ops::DequantMatmul;
using ir::ops::WeightDtype;

Real product(Real x, Real weights) {
  const ir::Shape shape = x.shape();  // rank 1 has no matrix
  const Real rows = shape.size() > 1 ? x : reshaped(x, {1, shape.back()});
  const Real y = x.builder->apply(ir::ops::Matmul{false, true, {}}, {rows, weights});
  return shape.size() > 1 ? y : reshaped(y, {weights.shape()[0]});
}

/// The weights that these operands pack, in f64: formats with real scales without their roundings to f32.
Real weights(const DequantMatmul& op, const Node& node, const std::vector<Real>& packed) {
  ExpressionBuilder& builder = node.builder;
  const Real exact = builder.apply(
      ir::ops::Dequantize{op.format, ir::DType::f64, op.block_size, op.has_scales, op.has_zero_points}, packed);
  if (op.weight_dtype == WeightDtype::f32) return exact;
  const ir::DType to = op.weight_dtype == WeightDtype::f16 ? ir::DType::f16 : ir::DType::bf16;
  return builder.apply(ir::ops::Cast{ir::DType::f64}, {builder.apply(ir::ops::Cast{to}, {exact})});
}

std::vector<Real> packed_operands(const DequantMatmul& op, const Node& node) {
  return {node.in.begin() + 1, node.in.begin() + 1 + static_cast<std::ptrdiff_t>(op.packed_operands())};
}

std::vector<Real> with(std::vector<Real> operands, std::size_t i, Real other) {
  operands[i] = other;
  return operands;
}

Bound rounding(const DequantMatmul& op, const Node& node) {
  const Real w = weights(op, node, packed_operands(op, node)), x = node.in[0], size = abs(x);
  Terms terms{.count = x.shape().back() + (op.has_bias ? 1 : 0),
              .sum = node.y(),
              .magnitude = product(size, abs(w)),
              .squares = product(square(x), square(w))};
  if (op.has_bias) {
    terms.magnitude = terms.magnitude + abs(node.in.back());
    terms.squares = terms.squares + square(node.in.back());
  }
  const Bound of_sum = dot(node, terms);
  if (!node.flushes_subnormals) return of_sum;
  const double normal = core::float_format(ir::DType::f32).smallest_normal();
  return of_sum + both(product(size, may_vanish(w, normal)));  // weights that a device takes for 0
}

/// The change where x, the bias, scales and zero points move by so much.
Real carried(const DequantMatmul& op, const Node& node, const Errors& errors) {
  DequantMatmul exact = op;
  exact.weight_dtype = WeightDtype::f32;
  const Real size = abs(node.in[0]);
  const std::vector<Real> packed = packed_operands(op, node);
  Real moved = node.builder.constant(0);
  if (errors[0]) moved = moved + product(*errors[0], abs(weights(op, node, packed)));
  if (op.has_bias && errors.back()) moved = moved + *errors.back();
  if (op.has_scales && errors[2]) moved = moved + product(size, abs(weights(exact, node, with(packed, 1, *errors[2]))));
  if (op.has_zero_points && errors[3]) {
    const Real codes = packed[0];
    const Real none = node.builder.apply(ir::ops::Binary{ir::ops::BinaryFunction::subtract}, {codes, codes});
    moved = moved + product(size, abs(weights(exact, node, with(with(packed, 0, none), 2, *errors[3]))));
  }
  return moved;
}

}  // namespace

Model error_model(const DequantMatmul& op) {
  return {.rounding = [op](const Node& node) { return rounding(op, node); },
          .carried = [op](const Node& node, const Errors& errors) { return carried(op, node, errors); }};
}

}  // namespace plumb::parity::bounds
