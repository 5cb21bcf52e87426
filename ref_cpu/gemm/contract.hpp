#pragma once

#include <optional>

#include "ir/kernels/contraction.hpp"
#include "ref_cpu/gemm/product.hpp"
#include "ref_cpu/kernels/strided_copy.hpp"

namespace plumb::ref_cpu::gemm {

/// Elements that are found along the strides of `axes`, in a tensor that has so many.
struct Term {
  ir::DType dtype = ir::DType::f32;
  std::int64_t count = 0;
  ir::kernels::Labelled axes;
};

/// How the elements of a term become dense with their axes in an order: as they are where they are so, else by a copy.
struct Arrangement {
  Arrangement(const Term& term, const ir::kernels::Labels& order);

  std::optional<kernels::PlannedCopy> copy;
  std::size_t bytes = 0;  ///< the dense tensor has so many
};

/// The sum of a term over all labels but some: y is dense, with its axes in the order `labels`.
class LabelSum {
 public:
  LabelSum(const Term& x, const ir::kernels::Labels& labels);

  /// y has x's dtype. It is overwritten.
  void run(const kernels::Elements& x, const kernels::MutableElements& y) const;

 private:
  Arrangement lines_;
  bool sums_;
};

/// The product of two terms, summed over the labels that y has not: batched matrix products, of copies where a term is
/// not dense in the right order.
class LabelProduct {
 public:
  LabelProduct(const Term& a, const Term& b, const ir::kernels::Labels& labels);

  /// y has the terms' dtype. It is overwritten.
  void run(const kernels::Elements& a, const kernels::Elements& b, const kernels::MutableElements& y) const;

 private:
  LabelProduct(const Term& a, const Term& b, const ir::kernels::Labels& labels, const ir::kernels::Contraction& kinds);

  bool transposed_;  ///< b is read as [batch, columns, summed]
  Arrangement left_, right_;
  ProductPlan product_;
  std::optional<kernels::PlannedCopy> back_;  ///< from [batch, rows, columns] to y, where that is another order
};

}  // namespace plumb::ref_cpu::gemm
