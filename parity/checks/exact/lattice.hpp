#pragma once

#include "ir/tensor.hpp"

namespace plumb::parity::checks::exact {

/// The grid that the floats of a tensor are on: each is a whole number, at most `most`, of
/// steps of 2^grain.
struct Lattice {
  int grain = 0;       ///< the finest step's exponent; 0 where all are zero
  double most = 0;     ///< the largest |x|, in steps; 0 where all are zero
  bool finite = true;  ///< none is NaN or infinite

  bool is_zero() const { return most == 0; }
};

/// The lattice of floats of any width, or of the parts of complex numbers; an integer or bool tensor has steps of 1.
Lattice lattice_of(const ir::TensorView& x);

/// The lattice of one number.
Lattice lattice_of(double x);

/// Whether every number of an f64 or c128 tensor is one of `dtype`: none would be rounded.
bool fits(const ir::TensorView& x, ir::DType dtype);

}  // namespace plumb::parity::checks::exact
