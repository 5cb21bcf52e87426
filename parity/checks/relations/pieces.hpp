#pragma once

#include "parity/cases/executors.hpp"
#include "parity/cases/relation_result.hpp"
#include "parity/checks/relations/node_check.hpp"
#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

/// A node that takes steps one after the other, and who runs it.
struct SteppingNode {
  const cases::Executors& executors;
  const ir::Op& op;
  const Operands& operands;
  const ir::OpRun& whole;  ///< all of its steps in one run
  std::function<ir::OpRun(const ir::Op&, const Operands&)> run;
  double lambda = 0;  ///< standard deviations that limits allow for; 0: as many as each run alone asks for
};

/// Takes the steps in pieces, each on the state that the piece before it gave: the whole in two halves, and its last
/// steps one by one. Each has to be right by itself (held_run.hpp), and no further from the run of all steps than the
/// limits of both and the change of the truth with the states that were handed on. `blank` has the node's number and
/// label. Nothing for a node with fewer than two steps.
std::vector<cases::RelationResult> check_pieces(const SteppingNode& node, const Steps& steps,
                                                const cases::RelationResult& blank);

}  // namespace plumb::parity::checks::relations
