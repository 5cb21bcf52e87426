#pragma once

#include "parity/cases/node_result.hpp"

namespace plumb::parity::report {

/// Whether two graphs are the same in all that is said of them: names, types, ops, edges and results.
bool is_same(const ir::Graph& a, const ir::Graph& b);

/// Lets a result go of the numbers of its file, which no report reads: tensors that were read, and what was expected;
/// and of the text of its policy, which is the same in all.
/// The graph stays, with its constants, and so do the results of its nodes. Where the graph is that of `before`, the
/// result of the case before, both share one file, so that thousands of seeds hold one graph.
void let_go_of_numbers(cases::CaseResult& result, const cases::CaseResult* before);

}  // namespace plumb::parity::report
