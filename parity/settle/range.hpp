#pragma once

#include <optional>

#include "parity/settle/ranges/out_of_range.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::settle {

/// Sets elements of output `k` apart of which an intermediate result leaves the range of the type (verdict.md V34). The
/// candidate is further off than any order of rounding explains, or infinite, NaN or 0 where the truth is not; and so
/// is the op as the reference runs it in the candidate's own dtypes, on the same operands (host_range.hpp). Both are
/// finite or neither is, but for a NaN, which may stand where the host has another wrong number; and where the op has
/// sums inside (rows.hpp), a NaN, an infinity or a 0 may stand in any row of which the host misses an element. Where
/// the op is a sum, what is not finite is excused as well if an order of its terms overflows, the host's or another;
/// and where it is a product or made of taps, what another order of the factors or a tap without weight makes of it
/// (ranges/product_range.hpp, ranges/tap_range.hpp). Complex numbers are looked at part by part
/// (ranges/complex_range.hpp). `native` holds the host's run, once somebody needed it.
OutOfRange set_out_of_range_apart(const Subject& subject, std::size_t k, const ir::Tensor& expected,
                                  const compare::Allowed& allowed, const ir::TensorView& got,
                                  std::optional<ir::Tensor>& native);

/// Sets elements of an output apart whose limit leaves f64, in which it and the numbers are computed: what they may be
/// off is not known (verdict.md V34). Those of other dtypes have limits, or their error model is wrong. Returns how
/// many these are.
std::uint64_t set_unlimited_apart(const ir::Tensor& expected, ir::DType dtype, compare::Allowed& allowed);

/// Whether element `i` of output `k` is a sum that is computed in f64, whose terms are finite and leave its range in
/// some order, of complex numbers in either part. The truth has no more range, so that nobody knows what it should be.
bool may_leave_range_of_truth(const Subject& subject, std::size_t k, std::size_t i);

}  // namespace plumb::parity::settle
