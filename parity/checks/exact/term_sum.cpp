// How large the sum of an element's terms can be, and on which grid it is, from those of its operands.
#include "parity/checks/exact/term_sum.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::parity::checks::exact {

TermSum sum_of(std::span<const Term> terms, const std::vector<Lattice>& operands) {
  TermSum sum;
  std::vector<Lattice> sizes;
  for (const Term& term : terms) {
    Lattice size = lattice_of(term.factor);
    for (const std::size_t i : term.operands) {
      const Lattice& operand = operands.at(i);
      size.grain += operand.grain;
      size.most *= operand.most;
      sum.finite &= operand.finite;
    }
    size.most *= static_cast<double>(term.count);
    if (!size.is_zero()) sizes.push_back(size);
  }
  for (const Lattice& size : sizes) sum.grain = std::min(&size == sizes.data() ? size.grain : sum.grain, size.grain);
  for (const Lattice& size : sizes) sum.steps += std::ldexp(size.most, size.grain - sum.grain);
  return sum;
}

}  // namespace plumb::parity::checks::exact
