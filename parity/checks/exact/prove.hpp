#pragma once

#include <vector>

#include "ir/executor.hpp"
#include "parity/checks/exact/rule.hpp"
#include "parity/core/exactness.hpp"

namespace plumb::parity::checks::exact {

/// An op on operands at hand: whether every evaluation of it gives the same bits, and if so these.
struct Outcome {
  core::Proof proof;
  std::vector<ir::Tensor> outputs = {};  ///< in the op's own dtypes; where it is proved
};

/// Tries to prove it of one op, from its operands' values:
///
///   sums  In units of the product of its operands' finest steps every term is a whole number. Where all of one
///         element's |terms| together are at most 2^24 of them (2^52 in f64), every partial sum, in any order, with or
///         without fma, is a float of the accumulator. First by intervals, then by the op on absolute values.
///   fits  The result is a float of the output's dtype: neither there nor before is anything rounded.
///
/// Nothing comes near subnormals or overflow. Throws what the executor throws: an index out of range, say.
Outcome prove(const ir::Op& op, const std::vector<ir::Tensor>& operands, ir::Executor& reference);

}  // namespace plumb::parity::checks::exact
