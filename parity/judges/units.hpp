#pragma once

#include <optional>

#include "parity/compare/compare.hpp"
#include "parity/judges/judgement.hpp"

/// Outputs judged by units, reported in the terms of elements, so that tables, policies and results files need not know
/// the kind of unit.
namespace plumb::parity::judges {

/// The errors of an output from its truth, and the ratios of its units: elements of a unit that is beyond its limit are
/// bad, and the worst "elements" are the worst units, each at its largest error. No element of these has a limit. A
/// unit that is refused although it is no more than `lambda` standard deviations off is so whatever λ is. In a map each
/// element has the ratio of its unit.
compare::Comparison comparison_of(const OutputJudgement& output, const ir::TensorView& got, double lambda,
                                  const std::optional<compare::MapExtents>& map = {});

/// How many elements say something.
compare::Telling telling_of(const OutputJudgement& output, const compare::Comparison& compared);

/// The columns of a results row for an output that was judged by units.
cases::Units units_of(const OutputJudgement& output, const compare::Comparison& compared);

/// Where the truth is 0 everywhere, nothing says that anybody wrote it: no choice says something then.
void silence_zeros(OutputJudgement& output);

}  // namespace plumb::parity::judges
