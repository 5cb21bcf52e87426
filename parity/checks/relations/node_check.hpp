#pragma once

#include "parity/cases/executors.hpp"
#include "parity/cases/relation_result.hpp"

namespace plumb::parity::checks::relations {

/// A node's operands, and which of them are params of its graph: kernels may prepare those.
struct Operands {
  std::vector<ir::Tensor> tensors;
  std::vector<bool> is_param;

  ir::TensorTypes types() const;
};

/// Asks everything that is declared of node `n` of `graph`, run by itself on these operands; nothing where the
/// candidate has no kernel for it. `lambda`: standard deviations that limits allow for; 0: as many as a run of the node
/// alone asks for.
std::vector<cases::RelationResult> check_node(const cases::Executors& executors, const ir::Graph& graph, std::size_t n,
                                              const Operands& operands, double lambda);

}  // namespace plumb::parity::checks::relations
