#pragma once

#include <gtest/gtest.h>

#include "gpu_vulkan/lower.hpp"

// What one node becomes on a device that is made up: no GPU is needed.
namespace plumb::gpu_vulkan {

/// A device that has whatever the kernels of products can use.
inline DeviceFacts modern() {
  DeviceFacts facts;
  using ir::DType;
  facts.name = "Modern";
  facts.shared_memory = 48 << 10;
  facts.max_invocations = 1024;
  facts.subgroup_size = facts.min_subgroup_size = facts.max_subgroup_size = 32;
  facts.storage16 = facts.float16 = facts.float64 = facts.int64 = facts.vulkan_memory_model = true;
  facts.subgroup_size_control = true;
  for (const std::uint32_t n : {8u, 16u}) {
    facts.cooperative_shapes.push_back({16, n, 16, DType::f16, DType::f16, DType::f16, DType::f16});
    facts.cooperative_shapes.push_back({16, n, 16, DType::f16, DType::f16, DType::f32, DType::f32});
  }
  facts.cooperative_shapes.push_back({16, 16, 32, DType::i8, DType::i8, DType::i32, DType::i32});
  return facts;
}

/// The kernel of a node that is one dispatch.
struct Lowered {
  KernelChoice choice;
  Dispatch dispatch;
};

inline Lowered lowered(const ir::Op& op, const std::vector<ir::TensorType>& operands, const DeviceFacts& facts) {
  ir::Graph graph;
  std::vector<ir::Value> values;
  for (const auto& type : operands) values.push_back(graph.input(ir::cat("x", values.size()), type));
  graph.add("y", op, values);
  Schedule schedule;
  std::vector<Slot> slots;
  for (ir::Value v = 0; v < graph.value_count(); ++v) slots.push_back(schedule.slot(graph.type(v).bytes()));
  Lowering lowering(graph, graph.nodes()[0], facts, slots, schedule.slot(16), schedule);
  lower_op(op, lowering);
  EXPECT_EQ(schedule.dispatches.size(), 1u);
  return {lowering.choice(), schedule.dispatches.at(0)};
}

}  // namespace plumb::gpu_vulkan
