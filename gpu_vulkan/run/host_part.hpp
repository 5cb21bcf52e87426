#pragma once

#include "ir/executor.hpp"

namespace plumb::gpu_vulkan::run {

/// The values that the host has during a run, in memory that later runs find again.
class OnHost {
 public:
  /// For one run; `wanted` are in order.
  OnHost(std::span<const ir::Value> wanted, ir::Tensors& results, ir::Tensors& others)
      : wanted_(wanted), results_(results), others_(others) {}

  /// Null where nothing was put there.
  const ir::Tensor* find(ir::Value value) const;
  void put(ir::Value value, const ir::TensorType& type, std::span<const std::byte> bytes);

 private:
  ir::Tensors& of(ir::Value value) const;

  std::span<const ir::Value> wanted_;
  ir::Tensors &results_, &others_;
};

/// Consecutive nodes that the host runs between two submits, as a graph of their own.
class HostPart {
 public:
  /// `visible` says of every value of the graph whether somebody outside wants it.
  HostPart(const ir::Graph& graph, std::vector<std::size_t> nodes, const std::vector<bool>& visible,
           const ir::Feeds& params, ir::Executor& host);

  /// Takes its inputs from `values`, puts what it computed there. Inputs that are not
  /// there have no elements.
  void run(OnHost& values);

  /// The host's reports of the nodes, in their order.
  std::vector<ir::NodeReport> reports() const;
  const std::vector<std::size_t>& nodes() const { return nodes_; }
  /// Bytes of tensors that it keeps.
  std::uint64_t bytes() const;

 private:
  struct Operand {
    ir::Value value;     ///< numbered as in the whole graph
    ir::Tensor* tensor;  ///< in feeds_
  };

  std::vector<std::size_t> nodes_;  ///< numbered as in the whole graph
  std::size_t constants_ = 0;       ///< nodes of the part that come before them
  std::vector<Operand> inputs_;
  std::map<ir::Value, ir::Value> results_;  ///< value of the part to value of the whole graph
  ir::Feeds feeds_;                         ///< for the next run
  ir::Tensors made_;                        ///< by the last run, by value of the part
  std::unique_ptr<ir::Executable> executable_;
};

}  // namespace plumb::gpu_vulkan::run
