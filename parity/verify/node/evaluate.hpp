#pragma once

#include "parity/verify/node/examination.hpp"
#include "parity/verify/node/node_view.hpp"

namespace plumb::parity::verify {

/// Evaluates the truth of a node, and the limits of its outputs if its kernel adds like this, on what the candidate's
/// node had.
Evaluation evaluate(const NodeView& view, const std::vector<ir::Sum>& sums);

/// Makes runs of a group from what the candidate's was fed; where an op of it has no error model, it cannot be judged.
void evaluate_by_runs(const NodeView& view, Evaluation& own);

}  // namespace plumb::parity::verify
