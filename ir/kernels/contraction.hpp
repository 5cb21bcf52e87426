// Tensors by labelled axes, in which einsum and dot-general become batched matrix products on both executors.
#pragma once

#include <algorithm>

#include "ir/kernels/strided_copy.hpp"

namespace plumb::ir::kernels {

using Label = int;
using Labels = std::vector<Label>;

inline bool contains(const Labels& labels, Label label) { return std::ranges::find(labels, label) != labels.end(); }

/// A tensor somewhere in memory whose axes have labels, by which the axes of several
/// tensors belong together. No label stands twice, and no extent is 1.
struct Labelled {
  Labels labels;
  Shape extents;
  std::vector<std::int64_t> strides;  ///< in elements

  bool has(Label label) const;
  /// The extent and the stride of the axis with that label; 1 and 0 where there is none.
  std::int64_t extent(Label label) const;
  std::int64_t stride(Label label) const;
  Shape extents_of(const Labels& some) const;

  /// One more axis. A label that is there already makes it the diagonal of both.
  void add(Label label, std::int64_t extent, std::int64_t stride);

  /// The copy to a dense tensor with axes in the order `to`, some of these.
  StridedCopy arranged(DType dtype, const Labels& to) const;
};

/// A row-major tensor with these axes.
Labelled dense(const Labels& labels, const Shape& extents);

/// The labels of a product of two tensors by their part in it:
///   y[batch, rows, columns] = Σ over summed of a[batch, rows, summed]·b[batch, columns, summed]
/// The labels of y are in the order it has them, the summed ones in the order of a.
struct Contraction {
  Labels batch, rows, columns, summed;

  Contraction(const Labelled& a, const Labelled& b, const Labels& y);

  /// batch, rows, columns.
  Labels result() const;
};

}  // namespace plumb::ir::kernels
