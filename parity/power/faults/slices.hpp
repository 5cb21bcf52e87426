#pragma once

#include "parity/power/faults/site.hpp"

namespace plumb::parity::power::faults {

/// An axis of an operand in which the output is linear, and over which it sums.
struct Summed {
  std::size_t operand = 0, axis = 0;
};

/// Which axis products, convolutions, attention (its keys), sums and means sum over; nothing for other ops.
std::optional<Summed> summed_axis(const Site& site);

/// The operands with slices [from, to) of the axis zero, which takes their terms out of every sum;
/// or all other slices.
std::vector<ir::Tensor> without(const Site& site, const Summed& summed, std::int64_t from, std::int64_t to);
std::vector<ir::Tensor> only(const Site& site, const Summed& summed, std::int64_t from, std::int64_t to);

}  // namespace plumb::parity::power::faults
