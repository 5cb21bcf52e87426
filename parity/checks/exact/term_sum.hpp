#pragma once

#include <span>
#include <vector>

#include "parity/checks/exact/lattice.hpp"
#include "parity/checks/exact/rule.hpp"

namespace plumb::parity::checks::exact {

/// All |terms| of an element, in whole steps of 2^grain.
struct TermSum {
  int grain = 0;
  double steps = 0;
  bool finite = true;
};

/// The intervals: each term as large as its operands allow, of which these are the lattices.
TermSum sum_of(std::span<const Term> terms, const std::vector<Lattice>& operands);

}  // namespace plumb::parity::checks::exact
