#pragma once

#include "gpu_vulkan/lower.hpp"
#include "ir/contraction.hpp"

namespace plumb::gpu_vulkan {

/// A tensor whose elements are found along the strides of `axes`.
struct Term {
  Slot slot;
  ir::Labelled axes;
};

/// A slot that receives a dense tensor with axes in this order; it is not empty.
struct Target {
  Slot slot;
  ir::Labels labels;
};

/// The sum of x over all labels that the target has not.
void sum_over(const Term& x, ir::DType dtype, const Target& y, Lowering& node);

/// The product of a and b, summed over the labels that the target has not. What a matrix
/// product can read along strides is read in place, the rest copied first.
void contract(const Term& a, const Term& b, ir::DType dtype, const Target& y, Lowering& node);

}  // namespace plumb::gpu_vulkan
