#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/op.hpp"

namespace plumb::parity::checks::exact {

/// A product that is added to an element: operands by number, repeated for powers.
struct Term {
  std::vector<std::size_t> operands;
  std::int64_t count = 1;  ///< products of this kind that one element is the sum of, at most
  double factor = 1;       ///< a constant of the op
};

/// The condition on an op's arithmetic for its result to be the same in every order of evaluation.
struct Rule {
  enum class Arithmetic {
    selects,  ///< it moves, selects or compares, or wraps integers: nothing
    sums,     ///< it adds products: they and their sums must fit the accumulator
    rounds,   ///< nothing helps: it makes numbers that no float holds
  };

  Arithmetic arithmetic = Arithmetic::selects;
  std::string why = {};  ///< why an op that `rounds` does

  std::vector<Term> terms = {};
  std::int64_t divisor = 1;            ///< that the sum is divided by: a power of two
  std::optional<ir::Op> sums_of = {};  ///< this op, on absolute values, gives the sum of all |terms| over the divisor
};

/// The rule of an op on these operands. Every op has one.
Rule rule_of(const ir::Op& op, ir::Types in, ir::Types out);

}  // namespace plumb::parity::checks::exact
