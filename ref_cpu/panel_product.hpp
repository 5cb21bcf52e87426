#pragma once

#include <cstdint>

#include "ir/kernels/packed/operands.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu {

/// A product with what limits take packed weights for: the attributes of parity's op, whose header says more
/// (parity/bounds/panel_product.hpp). That op is not of the IR, and nothing of ref_cpu includes parity.
struct PanelProduct {
  enum class Part { value, magnitude, square, vanishing };

  ir::kernels::packed::Packing packing;
  ir::kernels::packed::WeightDtype weight_dtype = ir::kernels::packed::WeightDtype::f32;
  Part part = Part::value;
  double normal = 0;           ///< from which magnitudes count as 0, where the part is `vanishing`
  bool is_difference = false;  ///< the weights of a second set of packed operands are taken off
  bool is_grouped = false;     ///< each row has the matrix of its expert, the last operand
};

/// Writes y = x·part(W)ᵀ of f64 x. Of W no more than a panel is ever there, for each thread.
void run(const PanelProduct& product, Call& call);

}  // namespace plumb::ref_cpu
