#pragma once

#include "ir/executor.hpp"

namespace plumb::gpu_vulkan::run {

/// Consecutive nodes that the host runs between two submits, as a graph of their own.
class HostPart {
 public:
  /// `visible` says of every value of the graph whether somebody outside wants it.
  HostPart(const ir::Graph& graph, std::vector<std::size_t> nodes, const std::vector<bool>& visible,
           const ir::Feeds& params, ir::Executor& host);

  /// Takes its inputs from `values`, puts what it computed there. Inputs that are not
  /// there have no elements.
  void run(ir::Tensors& values);

  /// The host's reports of the nodes, in their order.
  std::vector<ir::NodeReport> reports() const;
  const std::vector<std::size_t>& nodes() const { return nodes_; }
  /// Bytes of tensors that it keeps.
  std::uint64_t bytes() const { return executable_->bytes(); }

 private:
  struct Operand {
    ir::Value value;  ///< numbered as in the whole graph
    ir::TensorType type;
  };

  std::vector<std::size_t> nodes_;          ///< numbered as in the whole graph
  std::size_t constants_ = 0;               ///< nodes of the part that come before them
  std::map<std::string, Operand> inputs_;   ///< by name
  std::map<ir::Value, ir::Value> results_;  ///< value of the part to value of the whole graph
  std::unique_ptr<ir::Executable> executable_;
};

}  // namespace plumb::gpu_vulkan::run
