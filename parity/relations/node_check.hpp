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

/// What a node alone gave.
struct Alone {
  std::vector<ir::Tensor> outputs;
  std::string kernel;
  ir::Placement placement = ir::Placement::gpu;
  std::vector<ir::Sum> sums = {};  ///< how the kernel adds
};

/// Runs an op by itself. Throws as executors do.
Alone run_alone(ir::Executor& executor, const std::string& label, const ir::Op& op, const Operands& operands);

/// Asks everything that is declared of node `n` of `graph`, run by itself on these operands; nothing where the
/// candidate has no kernel for it.
std::vector<cases::RelationResult> check_node(const cases::Executors& executors, const ir::Graph& graph, std::size_t n,
                                              const Operands& operands);

}  // namespace plumb::parity::relations
