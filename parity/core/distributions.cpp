// The one file that Boost.Math is in.
#include "parity/core/distributions.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace plumb::parity::core {

double student_t_beyond(double tails, double degrees) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), tails / 2));
}

}  // namespace plumb::parity::core
