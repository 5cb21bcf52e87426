#pragma once

#include "gpu_vulkan/passes/pattern.hpp"

namespace plumb::gpu_vulkan::passes {

/// A value as elements of another that it is taken from, at equal distances along each of its axes.
struct View {
  ir::Value base = 0;
  std::int64_t offset = 0;                 ///< where the first element is, in elements of base
  std::vector<std::int64_t> strides = {};  ///< by axis of the value, in elements of base; 0 where there is one position
  Nodes nodes = {};                        ///< that make the value of base
};

/// The earliest value that v is a view of, by way of transpose, reshape, split, slice and gather of one position; v
/// itself where it is computed, or has no elements.
View view_of(const PatternGraph& graph, ir::Value v);

}  // namespace plumb::gpu_vulkan::passes
