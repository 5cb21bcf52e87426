// How far an output of a graph is from its truth, as those say it who ask what a precision costs.
#pragma once

#include <string>
#include <vector>

#include "parity/compare/compare.hpp"

namespace plumb::parity::studies::sweep {

/// The error of one output on one sample of inputs.
struct OutputError {
  double max_abs = compare::not_computed;
  double rel_l2 = compare::not_computed;  ///< 2-norm of the error over that of the truth
  double cosine = compare::not_computed;  ///< the cosine of the angle between result and truth
  /// The share of its lines along the last axis whose largest element is that of the truth: of equal ones the first, as
  /// argmax has it. NaN where no line has two elements.
  double top1 = compare::not_computed;
  double converted = compare::not_computed;  ///< rel_l2 against the truth of the converted graph, where there is one
};

/// Errors are infinite, and there is no cosine, where a number meets a NaN or an infinity, but for one that is infinite
/// in `written_in`, too. `truth` is f64, and has the shape of `got`.
OutputError error_of(const ir::TensorView& truth, const ir::TensorView& got, ir::DType written_in);

/// 20 log10 of the norm of the truth over that of the error, in dB: infinite where there is no error.
double snr_db(double rel_l2);

/// One output on every sample.
struct OutputErrors {
  std::string name = {};
  std::vector<OutputError> samples = {};

  /// The largest, the smallest and the middle one of a measure, of two in the middle the larger; NaN where a sample has
  /// none.
  double largest(double OutputError::*measure) const;
  double smallest(double OutputError::*measure) const;
  double median(double OutputError::*measure) const;

 private:
  std::vector<double> sorted(double OutputError::*measure) const;
};

}  // namespace plumb::parity::studies::sweep
