#pragma once

#include <vector>

#include "parity/compare/compare.hpp"

namespace plumb::parity::power {

/// How large a fault at an output is, free of the scale of the output's limits: its largest change over its limit,
/// divided by the largest error over its limit of honest evaluations (verdict.md V74).
class Effect {
 public:
  /// `allowed` is what elements are held to that are looked at one by one; `largest_over_rms` that of the run
  /// (false_alarms.hpp).
  Effect(const ir::Tensor& truth, const compare::Allowed& allowed, ir::DType dtype, double largest_over_rms);

  /// An honest evaluation of the output.
  void add(const ir::TensorView& honest);

  /// The share of their limits that honest evaluations need: the largest error among them over its limit.
  ///
  /// Limits have one λ for all elements of a run, so that an honest run of N elements has its largest error at
  /// √(2 ln N) times their rms (verdict.md V52). An output that has few of the N has seen few draws, a single element
  /// may be right by chance: of what chance has a part in, that multiple of the output's own rms counts where it is
  /// larger. Where all errors are 0 the rounding of the results counts. Nothing needs more than its limit.
  double need() const;

  /// d of a result that differs from `clean`. Infinite where no error is allowed or a change is no number.
  double of(const ir::TensorView& clean, const ir::TensorView& faulty) const;

 private:
  const std::vector<double> truth_;
  const ir::DType dtype_;
  const bool is_exact_, is_bits_;
  const double largest_over_rms_;
  std::vector<double> limits_;   ///< by element; NaN where nothing is judged
  std::vector<double> chances_;  ///< λσ of each limit; 0 where chance has no part in it
  double largest_ = 0, rounding_ = 0;
};

}  // namespace plumb::parity::power
