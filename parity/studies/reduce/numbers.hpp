#pragma once

// Simpler numbers for a candidate.

#include <functional>

#include "parity/studies/reduce/candidate.hpp"

namespace plumb::parity::studies::reduce {

/// Whether a candidate fails as the original does.
using Fails = std::function<bool(const Candidate&)>;

/// Gives sources simpler numbers for as long as it still fails: a constant or the usual fill, of all at once or one by
/// one; where neither will do, 0 in blocks, and floats of 2, 4 or 8 bits. Whether anything changed.
bool simplify_numbers(Candidate& candidate, const Fails& fails);

/// The tensor with its floats rounded to so many significant bits; the others, and other dtypes, as they are.
ir::Tensor with_bits(const ir::Tensor& tensor, int bits);

}  // namespace plumb::parity::studies::reduce
