#pragma once

#include <optional>

#include "parity/elements/subject.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::samples {

/// A segment that is one op, whose output's elements are one sum each.
struct BareSum {
  std::vector<ir::Tensor> operands;  ///< widened; the walker reads them
  terms::Walker walker;
  sums::Arithmetic arithmetic;
  double lambda = 0;  ///< standard deviations that are allowed for

  terms::ElementSum at(std::size_t i) const {
    terms::ElementSum sum;
    walker(static_cast<std::int64_t>(i), sum);
    return sum;
  }
};

/// Nothing where the segment is several ops, where no walker walks it, or where an operand is no real float.
std::optional<BareSum> find_bare_sum(const elements::Subject& subject, std::size_t k);

/// The sum of an element, with what is behind it.
double value_of(const terms::ElementSum& sum);

}  // namespace plumb::parity::samples
