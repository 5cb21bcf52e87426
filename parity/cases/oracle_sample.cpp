// What is said of a truth that its oracle refutes.
#include "parity/cases/oracle_sample.hpp"

#include <fmt/format.h>

namespace plumb::parity::cases {

std::string OracleSample::said(const std::string& op) const {
  return fmt::format("the truth of {} is wrong: element {} is {:.17g}, its definition gives {:.17g}; {} of {} sampled",
                     op, element, truth, oracle, bad, asked);
}

}  // namespace plumb::parity::cases
