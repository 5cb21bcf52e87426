#pragma once

// Values of a graph by the reference, a node at a time, so that no more of them are in memory than a budget has room
// for.

#include <functional>
#include <set>

#include "ir/executor.hpp"
#include "parity/cases/case.hpp"
#include "parity/verify/memory_budget.hpp"

namespace plumb::parity::cli {

/// In which dtypes a graph is evaluated: its own, or those of reference precision.
enum class Evaluated { as_it_is, widened };

/// Evaluates the nodes that these values hang on, one by one, and hands each value over as it is known: in memory or,
/// where the budget has no room for it, in its scratch file. The bits are those of one run of the whole graph.
void evaluate_node_by_node(ir::Executor& executor, const cases::Case& subject, Evaluated how,
                           const std::set<ir::Value>& wanted, verify::MemoryBudget& budget,
                           const std::function<void(ir::Value, ir::Tensor)>& take);

}  // namespace plumb::parity::cli
