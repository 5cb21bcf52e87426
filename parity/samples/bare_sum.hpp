#pragma once

#include "parity/elements/summing.hpp"

namespace plumb::parity::samples {

/// The sums that a segment's elements are, where it is one op on real floats; nothing where it is several, or where no
/// walker walks it.
std::optional<elements::Summing> find_bare_sum(const elements::Subject& subject, std::size_t k);

/// The sum of an element, with what is behind it.
double value_of(const terms::ElementSum& sum);

}  // namespace plumb::parity::samples
