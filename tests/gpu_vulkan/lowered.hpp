#pragma once

#include <gtest/gtest.h>

#include "gpu_vulkan/plan/lower.hpp"

// One node, lowered for a device that is made up: no GPU is needed.
namespace plumb::gpu_vulkan {

/// A device that has whatever the kernels of products can use.
inline device::DeviceFacts modern() {
  device::DeviceFacts facts;
  using ir::DType;
  facts.name = "Modern";
  facts.shared_memory = 48 << 10;
  facts.max_invocations = 1024;
  facts.max_group_subgroups = 1024;
  facts.subgroup_size = facts.min_subgroup_size = facts.max_subgroup_size = 32;
  facts.storage16 = facts.float16 = facts.float64 = facts.int64 = facts.vulkan_memory_model = true;
  facts.subgroup_size_control = facts.subgroup_shuffle = true;
  for (const std::uint32_t n : {8u, 16u}) {
    facts.cooperative_shapes.push_back({16, n, 16, DType::f16, DType::f16, DType::f16, DType::f16});
    facts.cooperative_shapes.push_back({16, n, 16, DType::f16, DType::f16, DType::f32, DType::f32});
  }
  facts.cooperative_shapes.push_back({16, 16, 32, DType::i8, DType::i8, DType::i32, DType::i32});
  return facts;
}

/// The kernel of a node that is one dispatch.
struct Lowered {
  plan::KernelChoice choice;
  plan::Dispatch dispatch;
};

/// All that a node becomes.
struct LoweredNode {
  plan::KernelChoice choice;
  plan::Schedule schedule;
  std::vector<plan::Slot> slots;  ///< its operands' slots, then its results'
};

inline LoweredNode lowered_node(const ir::Op& op, const std::vector<ir::TensorType>& operands,
                                const device::DeviceFacts& facts, const plan::PlanOptions& options = {}) {
  ir::Graph graph;
  std::vector<ir::Value> values;
  for (const auto& type : operands) values.push_back(graph.input(ir::cat("x", values.size()), type));
  graph.add_all("y", op, values);
  LoweredNode node;
  for (ir::Value v = 0; v < graph.value_count(); ++v) node.slots.push_back(node.schedule.slot(graph.type(v).bytes()));
  const plan::Slot faults = node.schedule.slot(sizeof(plan::Fault));
  plan::Lowering lowering(graph, graph.nodes()[0], facts, options, node.slots, faults, node.schedule);
  plan::lower_op(op, lowering);
  node.choice = lowering.choice();
  return node;
}

inline Lowered lowered(const ir::Op& op, const std::vector<ir::TensorType>& operands, const device::DeviceFacts& facts,
                       const plan::PlanOptions& options = {}) {
  const LoweredNode node = lowered_node(op, operands, facts, options);
  EXPECT_EQ(node.schedule.dispatches.size(), 1u);
  return {node.choice, node.schedule.dispatches.at(0)};
}

}  // namespace plumb::gpu_vulkan
