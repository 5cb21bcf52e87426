#pragma once

#include "gpu_vulkan/plan/lower.hpp"
#include "gpu_vulkan/plan/pack.hpp"
#include "ir/executor.hpp"

namespace plumb::gpu_vulkan::plan {

/// Bytes of a red zone, before and after each slot.
inline constexpr std::size_t zone_bytes = 256;
inline constexpr std::uint32_t zone_word = 0x5AFEC0DE;  ///< fills them: an unlikely thing to write

/// A part of a run: values go up, dispatches run in one submit, values come back, then
/// the host runs nodes. Without fallback a plan has one.
struct Segment {
  std::vector<ir::Value> uploads;       ///< inputs, and values that the host computed, when first needed
  std::size_t begin = 0, end = 0;       ///< the segment's dispatches
  std::vector<ir::Value> downloads;     ///< values that are captured or that the host needs
  std::vector<std::size_t> host_nodes;  ///< in order
};

/// Everything decided before a device is touched: plain data that can be printed,
/// compared and tested on a machine without a GPU.
struct Plan {
  static constexpr Slot no_slot = ~Slot{0};

  Schedule schedule;
  std::vector<Slot> slots;  ///< by value; an alias shares its source's
  Slot faults = 0;          ///< where shaders write a Fault
  std::vector<Segment> segments;
  std::vector<ir::Value> captured;    ///< values that a run hands back, ascending
  std::vector<ir::NodeReport> nodes;  ///< by node; times are left out
  ArenaLayout arena;
  std::vector<bool> barrier_before;  ///< by dispatch

  Slot slot(ir::Value value) const { return slots.at(value); }
  /// Whether the slot lies in memory.
  bool placed(Slot slot) const { return slot != no_slot && arena.places.at(slot).exists(); }
};

/// Plans a run. Throws Unsupported, naming every node that nobody can run and why.
Plan make_plan(const ir::Graph& graph, const ir::Capture& capture, const device::DeviceFacts& facts,
               const PlanOptions& options);

/// "dispatch 3 (matmul_wide.f16) of node 'y' (matmul)".
std::string name_of(const Plan& plan, const ir::Graph& graph, std::size_t dispatch);

/// The plan for people: nodes with their placement and dispatches, memory, segments.
std::string to_text(const Plan& plan, const ir::Graph& graph);

}  // namespace plumb::gpu_vulkan::plan
