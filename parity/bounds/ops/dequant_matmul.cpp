// Error model of products with packed weights: all rows of x have one matrix.
#include "ir/ops/dequant_matmul.hpp"

#include "ir/ops/matmul.hpp"
#include "parity/bounds/packed_product.hpp"

namespace plumb::parity::bounds {
namespace {

Real product_with_rows(const Node&, Real x, Real weights) {
  const ir::Shape shape = x.shape();  // rank 1 has no matrix
  const Real rows = shape.size() > 1 ? x : reshaped(x, {1, shape.back()});
  const Real y = x.builder->apply(ir::ops::Matmul{false, true, {}}, {rows, weights});
  return shape.size() > 1 ? y : reshaped(y, {weights.shape()[0]});
}

}  // namespace

Model error_model(const ir::ops::DequantMatmul& op) {
  return packed_model({.packing = op.packing(),
                       .weight_dtype = op.weight_dtype,
                       .packed_operands = op.packed_operands(),
                       .has_bias = op.has_bias,
                       .x_scales = op.has_x_scales ? std::optional(op.x_scales()) : std::nullopt,
                       .product = product_with_rows,
                       .addend = [](const Node&, Real bias) { return bias; }});
}

}  // namespace plumb::parity::bounds
