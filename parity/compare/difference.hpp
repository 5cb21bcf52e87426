#pragma once

#include <vector>

#include "ir/tensor.hpp"

namespace plumb::parity::compare {

/// The difference of a tensor from another of its type, one of those of widened graphs, as numbers. Where a NaN or an
/// infinity is not met by its like no number tells by how much: then it is those places that are the difference, a 1
/// for each.
class Difference {
 public:
  Difference(const ir::TensorView& from, const ir::TensorView& to);

  double squares() const;

  /// The component along `whole`, as a share of it: this.whole / whole.whole. NaN where there is no whole.
  double part_of(const Difference& whole) const;

 private:
  const std::vector<double>& parts(bool special) const { return special ? special_ : finite_; }

  std::vector<double> finite_, special_;
  bool is_special_ = false;
};

/// truth + (got - here), element by element; of an element without a finite difference what was got. A truth value
/// is turned where got and here are not the same. All are of one type.
ir::Tensor with_error(const ir::TensorView& truth, const ir::TensorView& here, const ir::TensorView& got);

}  // namespace plumb::parity::compare
