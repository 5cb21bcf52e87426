#pragma once

#include "parity/cases/executors.hpp"
#include "parity/cases/relation_result.hpp"

namespace plumb::parity::relations {

/// A node's operands, and which of them are params of its graph: kernels may prepare those.
struct Operands {
  std::vector<ir::Tensor> tensors;
  std::vector<bool> is_param;

  ir::TensorTypes types() const;
};

/// Asks everything that is declared of node `n` of `graph`, run by itself on these operands; nothing where the
/// candidate has no kernel for it.
std::vector<cases::RelationResult> check_node(const cases::Executors& executors, const ir::Graph& graph, std::size_t n,
                                              const Operands& operands);

}  // namespace plumb::parity::relations
