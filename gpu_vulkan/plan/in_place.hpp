#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu_vulkan/plan/schedule.hpp"
#include "ir/graph.hpp"

namespace plumb::gpu_vulkan::plan {

/// Which nodes may write their result over an operand: the slot is filled in every run, and nobody reads it behind the
/// node. Readers are the nodes of the planned graph that run, by what they have as operands, and not dispatches, by
/// what they say of themselves; and the host, which reads what is captured. An input's slot is filled in every run, so
/// that the device's copy of it may be written over; params, constants and tables are uploaded once, and may not.
class InPlace {
 public:
  /// `needed`: by node, whether it runs; `captured`: the values that a run hands back, ascending. The graph must
  /// outlive this.
  InPlace(const ir::Graph& graph, const std::vector<bool>& needed, const std::vector<ir::Value>& captured);

  /// A value lies in this slot: who reads the one reads the other. To be called for the sources, and for the results of
  /// each node once it is lowered, in the order of the graph.
  void lies_in(ir::Value value, Slot slot);

  /// Why a node may not write its first result over its operand `input`; "" where it may. `slots`: by value, of all
  /// values before those of the node.
  std::string refusal(const ir::Node& node, std::size_t input, const std::vector<Slot>& slots,
                      const Schedule& schedule) const;

 private:
  struct Reader {
    std::size_t node;  ///< the last one
    ir::Value value;   ///< as which it reads the slot
  };

  const ir::Graph& graph_;
  std::vector<std::optional<std::size_t>> last_reads_;  ///< by value: the last node that reads it
  std::vector<bool> captured_;                          ///< by value
  std::vector<std::optional<Reader>> readers_;          ///< by slot
  std::vector<std::optional<ir::Value>> results_;       ///< by slot: a captured value that lies there
};

}  // namespace plumb::gpu_vulkan::plan
