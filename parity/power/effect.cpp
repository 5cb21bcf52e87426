// The effect of a fault: its change over limits, in units of what honest evaluations need of them.
#include "parity/power/effect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parity/compare/scan.hpp"

namespace plumb::parity::power {
namespace {

std::vector<double> numbers_of(const ir::TensorView& tensor) {
  const ir::Tensor wide = ir::convert(tensor, ir::DType::f64);
  const auto numbers = wide.as<double>();
  return {numbers.begin(), numbers.end()};
}

}  // namespace

Effect::Effect(const ir::Tensor& truth, const compare::Allowed& allowed, ir::DType dtype, double largest_over_rms)
    : truth_(numbers_of(truth)),
      dtype_(dtype),
      is_exact_(allowed.rule != compare::Allowed::Rule::within),
      is_bits_(allowed.rule == compare::Allowed::Rule::bits),
      largest_over_rms_(largest_over_rms) {
  const compare::Limit limit(allowed, dtype);
  for (std::size_t i = 0; i < truth_.size(); ++i) {
    const double allows = is_exact_ ? 0 : limit.at(std::abs(truth_[i]), i);
    limits_.push_back(limit.is_apart(i) ? compare::not_computed : allows);
    chances_.push_back(!is_exact_ && limit.knows_chance() ? limit.chance_at(std::abs(truth_[i]), i) : 0);
  }
}

void Effect::add(const ir::TensorView& honest) {
  const std::vector<double> came = numbers_of(honest);
  const bool rounds = ir::unit_roundoff(dtype_) > 0;
  double squares = 0, count = 0;
  for (std::size_t i = 0; i < truth_.size(); ++i) {
    const double error = std::abs(came[i] - truth_[i]), ratio = error / limits_[i];
    if (!(limits_[i] > 0) || !std::isfinite(limits_[i]) || !std::isfinite(ratio)) continue;
    largest_ = std::max(largest_, ratio);
    const double by_chance = std::min(error, chances_[i]) / limits_[i];
    squares += by_chance * by_chance;
    ++count;
    if (rounds) rounding_ = std::max(rounding_, 0.5 * compare::ulp_of(truth_[i], dtype_) / limits_[i]);
  }
  if (count > 0) largest_ = std::max(largest_, largest_over_rms_ * std::sqrt(squares / count));
}

double Effect::need() const { return std::min(largest_ > 0 ? largest_ : rounding_, 1.0); }

double Effect::of(const ir::TensorView& clean, const ir::TensorView& faulty) const {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> before = numbers_of(clean), after = numbers_of(faulty);
  double largest = 0;
  for (std::size_t i = 0; i < truth_.size(); ++i) {
    const bool is_same = before[i] == after[i] && (!is_bits_ || std::signbit(before[i]) == std::signbit(after[i]));
    if (is_same || (std::isnan(before[i]) && std::isnan(after[i])) || std::isnan(limits_[i])) continue;
    const double change = std::abs(after[i] - before[i]);
    if (is_exact_ || !std::isfinite(change) || limits_[i] == 0) return infinite;
    largest = std::max(largest, change / limits_[i]);
  }
  if (largest == 0) return 0;
  return need() > 0 ? largest / need() : infinite;
}

}  // namespace plumb::parity::power
