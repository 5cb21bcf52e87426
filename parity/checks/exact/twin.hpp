#pragma once

#include "parity/cases/node_result.hpp"

namespace plumb::parity::checks::exact {

/// The exact twin of a case (docs/exact_twin.md): the same nodes, fed with small whole numbers, so few and so small
/// that whatever order a device adds them in, every node that is proved gives the same bits.
///
/// Where a node is impossible, or its operands have grown too large, its readers get operands of their own, which
/// are inputs of the twin: there the graph is cut, and a new exact region begins. Every value that lost a reader, or
/// is read by a node that is impossible, is a result of the twin, so that it can be judged.
///
/// Integers, bools and what constants hold stay as they are. The proofs stand in `Case::proofs`, one a node.
/// Throws as the executor does.
cases::Case make_twin(const cases::Case& original, ir::Executor& reference);

}  // namespace plumb::parity::checks::exact
