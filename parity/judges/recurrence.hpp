#pragma once

#include "parity/judges/limits.hpp"

/// States that are made of the ones before them (verdict.md V69).
namespace plumb::parity::judges {

/// One step of h ← a·h + w for one element of a state, by its truth.
struct ScanStep {
  double factor = 0;  ///< a
  double kept = 0;    ///< a·h of the state before
  double added = 0;   ///< w, itself a product
  double state = 0;   ///< h after the step
  /// How far the factor and its product with the state may be off, in units of u: 1 for the product alone, 2k + |ln a|
  /// where a is an exponential of k ulp.
  double factor_units = 1;
};

/// How far one element of a state may be off after some steps, in standard deviations and at most: E² ← a²E² + u²((its
/// factor)² + 4w² + h²). It holds for steps one by one, in chunks and as a parallel scan.
class CarriedError {
 public:
  explicit CarriedError(double unit) : unit_(unit) {}

  void step(const ScanStep& one);
  /// A step whose own error is known otherwise: what it may be off by chance, as a deviation, and at most.
  void step(double factor, double deviation, double certain);

  double deviation() const;
  double certain() const { return certain_; }

 private:
  using Square = long double;  ///< the square of a small double is 0 as a double

  const double unit_;
  Square variance_ = 0;
  double certain_ = 0;
};

/// The state before each step of a sequence whose states are all outputs: the candidate's states, shifted by one step.
/// `states` has the steps along its first axis, `first` is the state before them; `is_reverse`: the sequence runs from
/// its end, and its last step is the first.
ir::Tensor states_before(const ir::Tensor& states, const ir::Tensor& first, bool is_reverse = false);

/// Whether the states that the candidate gave are those that it went on from, not rounded to a narrower dtype: only
/// then a step can be held to them.
bool shows_its_states(const Question& question, std::size_t k);

}  // namespace plumb::parity::judges
