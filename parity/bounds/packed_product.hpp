// Declares the error model of products with packed weights: that of a product with the weights, which are exact.
#pragma once

#include <functional>
#include <optional>

#include "ir/ops/dequant_matmul.hpp"
#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {

/// An op that multiplies operand 0 with weights that are operand 1 and those behind it, packed. A bias, which is one
/// term more, is its last operand.
struct PackedProduct {
  ir::kernels::packed::Packing packing;
  ir::ops::WeightDtype weight_dtype;
  std::size_t packed_operands;
  bool has_bias;
  std::optional<std::size_t> x_scales;  ///< the operand that has the scales of x, where x is codes
  /// The op on numbers as x and as weights, without a bias.
  std::function<Real(const Node& node, Real x, Real weights)> product;
  /// The numbers that numbers in place of the bias add to the result.
  std::function<Real(const Node& node, Real bias)> addend;
};

Model packed_model(const PackedProduct& op);

/// The float that a product takes weights for.
ir::DType dtype_of(ir::ops::WeightDtype weights);

}  // namespace plumb::parity::bounds
