#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/contraction.hpp"

namespace plumb::gpu_vulkan::kernels::gemm {

/// A tensor whose elements are found along the strides of `axes`.
struct Term {
  plan::Slot slot;
  ir::kernels::Labelled axes;
};

/// A slot that receives a dense tensor with axes in this order; it is not empty.
struct Target {
  plan::Slot slot;
  ir::kernels::Labels labels;
  bool sums_in_f16 = false;          ///< products may have f16 accumulators
  ir::kernels::Labels summed = {};  ///< the order of the terms in the contract; empty: that of the first operand's axes
};

/// The sum of x over all labels that the target has not.
void sum_over(const Term& x, ir::DType dtype, const Target& y, plan::Lowering& node);

/// The product of a and b, summed over the labels that the target has not. What a matrix
/// product can read along strides is read in place, the rest copied first.
void contract(const Term& a, const Term& b, ir::DType dtype, const Target& y, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::gemm
