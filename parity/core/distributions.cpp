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

}  // namespace plumb::parity::core
