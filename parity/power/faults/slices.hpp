#pragma once

#include <functional>

#include "parity/power/faults/site.hpp"

namespace plumb::parity::power::faults {

/// An axis of an operand over which the op sums: a slice of zeros takes its terms out. Terms that two operands make
/// other than as factors, such as differences, need a slice of zeros in `partner` too, on the same axis.
struct Summed {
  std::size_t operand = 0, axis = 0;
  std::optional<std::size_t> partner = {};
  bool is_linear = false;  ///< the output is the sum of what the slices give, so that a slice may also come twice
};

/// The first axis of more than one position that the op sums along, by the loops that it declares.
std::optional<Summed> summed_axis(const Site& site);

/// The operands with slices [from, to) of the axis zero, which takes their terms out of every sum.
std::vector<ir::Tensor> without(const Site& site, const Summed& summed, std::int64_t from, std::int64_t to);

/// The operands with all of the axis zero that `is_zero` says.
std::vector<ir::Tensor> zeroed(const Site& site, const Summed& summed,
                               const std::function<bool(std::int64_t)>& is_zero);

/// The truth without the terms of a slice; made once for all faults of a site.
const Numbers& truth_without(const Site& site, const Summed& summed, std::int64_t from, std::int64_t to);

/// Whether it is an op whose operands a matrix unit multiplies.
bool multiplies(const Site& site);
/// And whether they are two, and the op adds up their products alone.
bool multiplies_two(const Site& site);

/// The result on operands of these dtypes that were rounded before they were read; of ops that multiply.
std::optional<Numbers> round_operands(const Site& site, ir::DTypes dtypes, const std::function<double(double)>& round);

}  // namespace plumb::parity::power::faults
