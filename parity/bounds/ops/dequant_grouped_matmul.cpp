// Error model of products with packed weights: each row of x has the matrix of its expert. Rows without one are 0.
#include "ir/ops/dequant_grouped_matmul.hpp"

#include "ir/ops/grouped_matmul.hpp"
#include "parity/bounds/packed_product.hpp"

namespace plumb::parity::bounds {

Model error_model(const ir::ops::DequantGroupedMatmul& op) {
  const std::size_t expert = 1 + op.packed_operands();
  const auto product = [expert](const Node& node, Real x, Real weights) {
    return node.builder.apply(ir::ops::GroupedMatmul{.transpose_w = true}, {x, weights, node.in[expert]});
  };
  const auto bias_of_rows = [expert](const Node& node, Real bias) {  // a product of no terms leaves it
    const ir::Shape shape = bias.shape();
    const Real none = node.builder.constant(0), rows = node.in[expert];
    return node.builder.apply(ir::ops::GroupedMatmul{.transpose_w = true, .has_bias = true},
                              {filled(none, {rows.shape()[0], 0}), filled(none, {shape[0], shape[1], 0}), rows, bias});
  };
  return packed_model({.packing = op.packing(),
                       .weight_dtype = op.weight_dtype,
                       .packed_operands = op.packed_operands(),
                       .has_bias = op.has_bias,
                       .x_scales = op.has_x_scales ? std::optional(op.x_scales()) : std::nullopt,
                       .product = product,
                       .addend = bias_of_rows});
}

}  // namespace plumb::parity::bounds
