// The error model of products with packed weights, by graphs that decode the weights in f64.
#include "parity/bounds/packed_product.hpp"

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/where.hpp"
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
  return builder.apply(ir::ops::Cast{ir::DType::f64}, {builder.apply(ir::ops::Cast{dtype_of(dtype)}, {exact})});
}

std::vector<Real> packed_operands(const PackedProduct& op, const Node& node) {
  return {node.in.begin() + 1, node.in.begin() + 1 + static_cast<std::ptrdiff_t>(op.packed_operands)};
}

std::vector<Real> with(std::vector<Real> operands, std::size_t i, Real other) {
  operands[i] = other;
  return operands;
}

/// Codes of 0, as many as these.
Real no_codes(Real codes) {
  return codes.builder->apply(ir::ops::Binary{ir::ops::BinaryFunction::subtract}, {codes, codes});
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

/// The terms of the sum of these products, without a bias.
Terms terms_of(const PackedProduct& op, const Node& node, Real x, Real w, Real sum) {
  return {.count = x.shape().back(),
          .sum = sum,
          .magnitude = op.product(node, abs(x), abs(w)),
          .squares = op.product(node, square(x), square(w))};
}

/// And the bias, which the sum has already.
Terms with_bias(const PackedProduct& op, const Node& node, const Terms& terms) {
  if (!op.has_bias) return terms;
  const Real bias = node.in.back();
  return {.count = terms.count + 1,
          .sum = terms.sum,
          .magnitude = terms.magnitude + op.addend(node, abs(bias)),
          .squares = terms.squares + op.addend(node, square(bias))};
}

/// An error whose square, as far as it is chance, is `squares`, and so many roundings of each term besides.
Bound with_roundings(const Node& node, Real certain, Real squares, const Terms& terms, int roundings) {
  const double chance = node.lambda() * node.accumulator();
  const Real most = certain + roundings * node.accumulator() * terms.magnitude;
  return {min(sqrt(squares + roundings * chance * chance * terms.squares), most), most};
}

/// The bytes of a block that hold codes, of formats of which a code of 0 may stand for another weight than 0.
struct CodeBytes {
  std::int64_t first, last;
};

std::optional<CodeBytes> code_bytes(ir::ops::PackedFormat format) {
  using Format = ir::ops::PackedFormat;
  switch (format) {
    case Format::q4_0:
      return CodeBytes{2, 17};
    case Format::q4_1:
      return CodeBytes{4, 19};
    case Format::q5_0:
      return CodeBytes{2, 21};
    case Format::q5_1:
      return CodeBytes{4, 23};
    case Format::q2_k:
      return CodeBytes{16, 79};
    case Format::q3_k:
      return CodeBytes{0, 95};
    case Format::q4_k:
      return CodeBytes{16, 143};
    case Format::q5_k:
      return CodeBytes{16, 175};
    case Format::q6_k:
      return CodeBytes{0, 191};
    default:
      return std::nullopt;
  }
}

/// The weights whose codes are 0: minima, offsets and zero points times scales. Nothing of formats without such.
std::optional<Real> offsets(const PackedProduct& op, const Node& node) {
  std::vector<Real> packed = packed_operands(op, node);
  ExpressionBuilder& builder = node.builder;
  const Real codes = packed[0], none = no_codes(codes);
  if (op.packing.has_zero_points) return weights(op, WeightDtype::f32, node, with(packed, 0, none));
  const auto bytes = code_bytes(op.packing.format);
  if (!bytes) return std::nullopt;
  std::vector<double> is_code(static_cast<std::size_t>(codes.shape().back()));
  const std::int64_t block = ir::kernels::packed::layout(op.packing.format).bytes;
  for (std::size_t i = 0; i < is_code.size(); ++i) {
    const std::int64_t place = static_cast<std::int64_t>(i) % block;
    is_code[i] = place >= bytes->first && place <= bytes->last ? 1 : 0;
  }
  const Real shown =
      builder.apply(ir::ops::Compare{ir::ops::Comparison::greater}, {builder.constant(is_code), builder.constant(0)});
  return weights(op, WeightDtype::f32, node, with(packed, 0, builder.apply(ir::ops::Where{}, {shown, none, codes})));
}

/// The error of kernels that sum x[k]·q[k] and, apart, the x[k] of a block for its offset, and scale these sums. Their
/// totals may be far larger than what is left of them; a term has the rounding of a scale, and that of W, which they
/// leave out.
Bound error_of_parts(const PackedProduct& op, const Node& node, Real x, Real w, Real offset) {
  const Real none = op.product(node, x, offset);
  const Terms apart = terms_of(op, node, x, offset, none),
              codes = with_bias(op, node, terms_of(op, node, x, w - offset, node.y() - none));
  const Bound of_codes = dot(node, codes), of_offsets = dot(node, apart);
  const Terms all{
      .sum = node.y(), .magnitude = codes.magnitude + apart.magnitude, .squares = codes.squares + apart.squares};
  return with_roundings(node, of_codes.certain + of_offsets.certain,
                        square(of_codes.probable) + square(of_offsets.probable), all, op.x_scales ? 3 : 2);
}

Bound error_of_sum(const PackedProduct& op, const Node& node, Real x, Real w) {
  const bool is_unknown = node.arithmetic.is_foreign && node.arithmetic.sums.empty();
  if (is_unknown && op.weight_dtype == WeightDtype::f32)
    if (const auto offset = offsets(op, node)) return error_of_parts(op, node, x, w, *offset);
  const Terms terms = with_bias(op, node, terms_of(op, node, x, w, node.y()));
  const Bound of_sum = dot(node, terms);
  // Each term of codes has one rounding more: of its factor, or of its share of a scaled sum.
  return op.x_scales ? with_roundings(node, of_sum.certain, square(of_sum.probable), terms, 1) : of_sum;
}

Bound rounding(const PackedProduct& op, const Node& node) {
  const Real w = weights(op, op.weight_dtype, node, packed_operands(op, node)), x = left_factors(op, node);
  const Real size = abs(x);
  const Bound of_sum = error_of_sum(op, node, x, w);
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
    const auto of_zero_points = with(with(packed, 0, no_codes(packed[0])), 2, *errors[3]);
    moved = moved + op.product(node, size, unrounded(of_zero_points));
  }
  return moved;
}

}  // namespace

ir::DType dtype_of(WeightDtype weights) {
  if (weights == WeightDtype::f32) return ir::DType::f32;
  return weights == WeightDtype::f16 ? ir::DType::f16 : ir::DType::bf16;
}

Model packed_model(const PackedProduct& op) {
  return {.rounding = [op](const Node& node) { return rounding(op, node); },
          .carried = [op](const Node& node, const Errors& errors) { return carried(op, node, errors); }};
}

}  // namespace plumb::parity::bounds
