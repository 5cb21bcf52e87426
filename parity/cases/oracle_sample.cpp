// The message on a truth, or a limit, that its oracle refutes.
#include "parity/cases/oracle_sample.hpp"

#include <fmt/format.h>

namespace plumb::parity::cases {

std::string OracleSample::said(const std::string& op) const {
  if (bad == 0 && is_of_steps)
    return fmt::format(
        "wrong limit: by the error model of {} element {} is off by {:.9g}, by the steps of its element program "
        "{:.9g}; "
        "{} of {} sampled",
        op, limit_element, chance, chance_of_terms, bad_limits, limits);
  if (bad == 0)
    return fmt::format(
        "wrong limit: by the error model of {} chance moves element {} by {:.9g}, by its terms {:.9g}; {} of {} "
        "sampled",
        op, limit_element, chance, chance_of_terms, bad_limits, limits);
  return fmt::format("the truth of {} is wrong: element {} is {:.17g}, its definition gives {:.17g}; {} of {} sampled",
                     op, element, truth, oracle, bad, asked);
}

}  // namespace plumb::parity::cases
