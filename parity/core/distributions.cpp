// The one file that Boost.Math is in.
#include "parity/core/distributions.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace plumb::parity::core {

double student_t_beyond(double tails, double degrees) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), tails / 2));
}

double lowest_success_rate(double successes, double trials, double tail) {
  return boost::math::binomial::find_lower_bound_on_p(trials, successes, tail);
}

double highest_success_rate(double successes, double trials, double tail) {
  return boost::math::binomial::find_upper_bound_on_p(trials, successes, tail);
}

std::uint64_t median_rank(std::uint64_t count, double tails) {
  const boost::math::binomial below(static_cast<double>(count), 0.5);  // how many numbers are below the median
  std::uint64_t rank = 0;
  while (2 * (rank + 1) <= count && 2 * boost::math::cdf(below, static_cast<double>(rank)) <= tails) ++rank;
  return rank;
}

}  // namespace plumb::parity::core
