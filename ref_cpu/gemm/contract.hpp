#pragma once

#include "ir/kernels/contraction.hpp"
#include "ir/tensor.hpp"

namespace plumb::ref_cpu::gemm {

/// A tensor whose elements are found along the strides of `axes`.
struct Term {
  ir::TensorView x;
  ir::kernels::Labelled axes;
};

/// y, dense with its axes in the order `labels`, is the sum of x over all other labels, in y's dtype.
void sum_over(const Term& x, const ir::kernels::Labels& labels, const ir::MutableView& y);

/// y is the product of a and b, summed over the labels that it has not.
void contract(const Term& a, const Term& b, const ir::kernels::Labels& labels, const ir::MutableView& y);

}  // namespace plumb::ref_cpu::gemm
