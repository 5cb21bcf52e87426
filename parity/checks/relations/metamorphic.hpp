#pragma once

#include "parity/cases/executors.hpp"
#include "parity/cases/node_filter.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/cases/relation_result.hpp"

namespace plumb::parity::checks::relations {

/// Checks relations that hold of a case's results on the candidate whatever the right ones are (docs/metamorphic.md):
/// of the whole graph, which runs again, again with fewer values kept, and on buffers and contexts; then of each chosen
/// node, which runs alone on the values that the candidate computed, as they are and with operands changed. The
/// reference does not judge results; where the order of evaluation may change, its error models say how far two right
/// ones may be apart.
///
/// Nodes that the candidate has no kernel for, or runs on the host, are left out. `lambda`: standard
/// deviations that limits allow for, 0 for as many as a run of each node alone asks for. Throws as the executors do.
std::vector<cases::RelationResult> check(const cases::Case& subject, const cases::Executors& executors,
                                         const cases::NodeFilter& filter, double lambda = 0);

/// Checks the relations by the limits of the run and adds what was found to the result of the case, which fails where
/// something is broken.
void add(const cases::Case& subject, const cases::Executors& executors, const cases::NodeFilter& filter,
         cases::CaseResult& result);

}  // namespace plumb::parity::checks::relations
