// Exactness of averaged periodograms: means by powers of two, counted once or twice, and the places of the largest.
#include "ir/ops/welch_peaks.hpp"

#include "ir/ops/reduce.hpp"
#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::WelchPeaks&, ir::Types in, ir::Types) {
  const ir::Shape& power = in[0].shape;
  Rule made = mean(ir::ops::Reduce{ir::ops::ReduceFunction::sum, {-2}, false}, power[power.size() - 2]);
  for (Term& term : made.terms) term.factor = 2;
  return made;
}

}  // namespace plumb::parity::checks::exact
