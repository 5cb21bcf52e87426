// Rounding errors that add up in one direction while terms are added to a state, step after step.
// Optimised: it loops over elements or terms.
#include "parity/judges/scans/creep.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::parity::judges {

Creep::Creep(std::size_t rows, const core::FloatFormat& format)
    : format_(format), fused_(rows), separate_(rows), ties_(rows), is_decayed_(rows) {}

void Creep::decay(std::span<const double> factors) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    fused_[i] *= factors[i];
    separate_[i] *= factors[i];
    ties_[i] *= factors[i];
    is_decayed_[i] = factors[i] != 1;
  }
}

void Creep::take_known(std::span<const double> key, double beta, std::vector<double>& change) const {
  double known = 0;
  for (std::size_t i = 0; i < key.size(); ++i) known += key[i] * change[i];
  for (std::size_t i = 0; i < key.size(); ++i) change[i] -= beta * key[i] * known;
}

void Creep::update(std::span<const double> key, double beta, double change, std::span<const double> value) {
  if (beta != 0) {
    take_known(key, beta, fused_);
    take_known(key, beta, separate_);
  }
  for (std::size_t i = 0; i < key.size(); ++i) {
    // A decayed state is rounded anew: its sum is no multiple of anything, and rounds by chance.
    if (is_decayed_[i]) continue;
    const double term = key[i] * change, place = format_.ulp(value[i]), own = format_.ulp(term);
    const double made = std::nearbyint(term / own) * own;
    const auto of = [&](double added) { return std::nearbyint(added / place) * place - term; };
    fused_[i] += of(term);
    separate_[i] += of(made);
    const auto is_half_way = [&](double added) { return std::abs(added / place - std::trunc(added / place)) == 0.5; };
    if (beta == 0 && (is_half_way(term) || is_half_way(made))) ties_[i] += place / 2;
  }
}

double Creep::of_row(std::size_t row) const {
  return std::max(std::abs(fused_[row]), std::abs(separate_[row])) + ties_[row];
}

double Creep::of_sum(std::span<const double> x) const {
  double fused = 0, separate = 0, ties = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    fused += x[i] * fused_[i];
    separate += x[i] * separate_[i];
    ties += std::abs(x[i]) * ties_[i];
  }
  return std::max(std::abs(fused), std::abs(separate)) + ties;
}

}  // namespace plumb::parity::judges
