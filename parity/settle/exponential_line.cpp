// Exponentials of one line and their sum, with errors by chance where equal terms err alike, for settling elements.
#include "parity/settle/exponential_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "parity/element/terms/median_term.hpp"

namespace plumb::parity::settle {

ExponentialLine::ExponentialLine(const Operation& operation, const InsideSum& sum,
                                 const std::vector<std::int64_t>& elements)
    : how_(sum), top_(-std::numeric_limits<double>::infinity()) {
  for (const std::int64_t i : elements) x_.push_back(operation.x(i));
  for (const double x : x_) top_ = std::isnan(x) || std::isnan(top_) ? std::nan("") : std::max(top_, x);
  if (!is_finite()) return;
  for (const double x : x_) {
    const double term = std::exp(x - top_);
    terms_.add(term);
    sum_ += term;
    weights_[x] += term;
  }
  for (auto& [x, weight] : weights_) {
    weight /= sum_;
    if (weight > 0) variance_ += weight * most(x) * weight * most(x);
  }
  of_sum_ = how_.error(terms_).probable / sum_;
}

double ExponentialLine::creep_of_sum() const {
  if (!creep_of_sum_) creep_of_sum_ = how_.wide_error(terms_) / sum_ - of_sum_;
  return *creep_of_sum_;
}

double ExponentialLine::others(double x) const {
  const double own = share(x) > 0 ? share(x) * most(x) : 0;
  return std::sqrt(std::max(variance_ - own * own, 0.0));
}

std::optional<double> ExponentialLine::median_share() const {
  const auto median = element::terms::median_of_lesser(terms_.values());
  return median ? std::optional(*median / sum_) : std::nullopt;
}

std::optional<float> ExponentialLine::replay_sum(bool fused) const {
  const auto [at, is_new] = replayed_.try_emplace(fused);
  if (!is_new) return at->second;
  std::vector<float> terms(x_.size());
  std::ranges::transform(x_, terms.begin(), [this](double x) { return std::exp(static_cast<float>(x) - top_f32()); });
  return at->second = how_.replay(terms, fused);
}

}  // namespace plumb::parity::settle
