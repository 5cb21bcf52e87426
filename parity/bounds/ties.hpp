#pragma once

#include "parity/bounds/error_model.hpp"
#include "parity/core/segment.hpp"

/// Ties of what is rounded once: results that lie half way between two numbers of their dtype, of which the even one is
/// due (docs/truth.md).
namespace plumb::parity::bounds {

/// Whether the truth of output `k` says of every tie whether it is one, and else on which side of it the exact result
/// lies: of one op whose model decides ties, on operands that are integers or numbers of its result's dtype, one
/// narrower than f64.
bool decides_ties(const core::Segment& segment, std::size_t k);

/// Rounds a truth to odd in place of to nearest, by what it lacks of the exact result: truncated, its last bit 1 where
/// that leaves anything out. Rounded to at least two bits less it then is what the exact result is, rounded (Boldo and
/// Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008).
void round_to_odd(ir::Tensor& truth, const ir::Tensor& lost);

}  // namespace plumb::parity::bounds
