// Errors of states, step by step, and the states that steps began with.
#include "parity/judges/recurrence.hpp"

#include <algorithm>
#include <cmath>

#include "parity/core/float_format.hpp"

namespace plumb::parity::judges {

void CarriedError::step(const ScanStep& one) {
  const double of_factor = one.factor_units * one.kept, of_added = 2 * one.added;
  const double certain = std::abs(of_factor) + std::abs(of_added) + std::abs(one.state);
  step(one.factor, unit_ * std::hypot(of_factor, of_added, one.state), unit_ * certain);
}

void CarriedError::step(double factor, double deviation, double certain) {
  // An error of 0 stays 0 whatever it is multiplied by.
  const Square of_factor = factor, own = deviation;
  variance_ = (variance_ == 0 ? 0 : of_factor * of_factor * variance_) + own * own;
  certain_ = (certain_ == 0 ? 0 : std::abs(factor) * certain_) + certain;
}

double CarriedError::deviation() const { return static_cast<double>(std::sqrt(variance_)); }

ir::Tensor states_before(const ir::Tensor& states, const ir::Tensor& first, bool is_reverse) {
  ir::Tensor before(states.type());
  const std::int64_t steps = states.shape().empty() ? 0 : states.shape().front();
  if (steps == 0) return before;
  const std::size_t size = states.bytes().size() / static_cast<std::size_t>(steps);
  ir::require(first.bytes().size() == size, "a first state of ", first.type(), " before states of ", states.type());
  const auto at = [&](std::int64_t step) {
    return before.bytes().subspan(static_cast<std::size_t>(step) * size, size);
  };
  std::ranges::copy(first.bytes(), at(is_reverse ? steps - 1 : 0).begin());
  for (std::int64_t step = 1; step < steps; ++step) {
    const std::int64_t from = is_reverse ? step : step - 1, to = is_reverse ? step - 1 : step;
    std::ranges::copy(states.bytes().subspan(static_cast<std::size_t>(from) * size, size), at(to).begin());
  }
  return before;
}

bool shows_its_states(const Question& question, std::size_t k) {
  const ir::DType dtype = question.out_type(k).dtype;
  return dtype == core::compute_dtype(dtype);
}

}  // namespace plumb::parity::judges
