// The limits of all elements of a running sum, of which each has the terms of the one before it.
// Optimised: it loops over elements or terms.
#include "parity/sums/running_limit.hpp"

#include <algorithm>
#include <cmath>

#include "parity/sums/orders.hpp"

namespace plumb::parity::sums {
namespace {

Arithmetic of_numbers(Arithmetic arithmetic) {
  arithmetic.exact_products = true;
  return arithmetic;
}

}  // namespace

bool RunningLimit::is_known(const Arithmetic& arithmetic) {
  return arithmetic.is_compensated() && arithmetic.cut == 0 && !is_rearranged(*arithmetic.sum) &&
         RunningTree::is_known(arithmetic.sum->levels);
}

RunningLimit::RunningLimit(const Arithmetic& arithmetic, double lambda, std::vector<double> terms)
    : arithmetic_(of_numbers(arithmetic)),
      lambda_(lambda),
      terms_(std::move(terms)),
      tree_(arithmetic_.sum->levels, terms_, arithmetic_.additions()),
      creep_(arithmetic_) {}

void RunningLimit::take(double term) {
  total_ += term;
  sizes_ += std::abs(term);
  places_.take(term);
  creep_.take(term);
  const double size = std::abs(term);
  if (size == 0) return;
  smallest_ = std::min(smallest_, size);
  if (size < arithmetic_.flushed) lost_ += size;
  if (std::isnan(term)) return;
  std::int64_t& times = equals_[term];
  squares_of_counts_ += static_cast<double>(2 * times + 1);
  ++times;
  ++counted_;
}

double RunningLimit::multiplicity() const { return counted_ > 0 ? squares_of_counts_ / counted_ : 1; }

/// Partial sums of larger terms are multiples of numbers above the smallest normal.
double RunningLimit::vanished(double in_tree) const {
  return smallest_ < arithmetic_.flushed / (arithmetic_.unit * arithmetic_.unit) ? lost_ + in_tree : lost_;
}

void RunningLimit::go_to(std::int64_t count) {
  for (; count_ < count; ++count_, ++walked_) take(terms_[static_cast<std::size_t>(count_)]);
  const int bits = 1 - std::ilogb(2 * arithmetic_.unit);
  const std::uint64_t before = tree_.walked();
  const Tree::Roundings roundings = tree_.roundings(count);
  walked_ += tree_.walked() - before;
  ElementLimit limit;
  if (!places_.leave_sums_exact(sizes_, bits, arithmetic_.subnormal))
    limit = limit_of_compensated({.total = total_,
                                  .sizes = sizes_,
                                  .squares = 0,
                                  .multiplicity = multiplicity(),
                                  .depth = arithmetic_.tree(count).sizes().depth,
                                  .sigma = std::sqrt(roundings.variance),
                                  .creep = creep_.most},
                                 arithmetic_, lambda_);
  limit_ = with_factors(limit, {}, arithmetic_, lambda_);
  if (!(arithmetic_.flushed > 0)) return;
  const double lost = vanished(roundings.vanished);
  limit_.probable += lost;
  limit_.certain += lost;
  limit_.fixed += lost;
}

}  // namespace plumb::parity::sums
