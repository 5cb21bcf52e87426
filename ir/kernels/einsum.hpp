#pragma once

#include <string_view>

#include "ir/kernels/contraction.hpp"

namespace plumb::ir::kernels {

/// One tensor of an einsum on its way to the result: an operand, or what a step gave.
struct EinsumTerm {
  std::size_t tensor = 0;  ///< operands first, then the results of the steps
  Labelled view;           ///< its labelled axes, as the step reads them
};

/// Sums the labels of one or of the product of two terms that are not in `result`, and
/// gives a dense tensor with axes in that order.
struct EinsumStep {
  std::vector<EinsumTerm> terms;
  Labels result;

  Shape shape() const;
};

/// How an einsum is evaluated (ops.md 6): diagonals are strides; first the labels that only
/// one operand has are summed, then operands are multiplied pairwise from the left. The
/// last step gives the result, whose axes of extent 1 have no label.
struct EinsumPlan {
  Shape shape;
  std::vector<EinsumStep> steps;
  double flops = 0;
  std::int64_t longest_sum = 0;
};

/// The fault of an equation: the number of the constraint that it breaks, and the finding in words.
struct EinsumFault {
  int constraint;
  std::string found;
};

/// An equation, or a part of it, as a message may show it.
std::string shown(std::string_view equation);

/// The labels of the axes of each operand and, last, of the result, those of an ellipsis spelled out. Throws
/// EinsumFault.
std::vector<Labels> axes_of_einsum(std::string_view equation, const std::vector<Shape>& operands);

/// Throws EinsumFault.
EinsumPlan plan_einsum(std::string_view equation, const std::vector<Shape>& operands);

}  // namespace plumb::ir::kernels
