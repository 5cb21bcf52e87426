#pragma once

#include <optional>

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan::kernels::sort {

/// The lines of a tensor, of which the first k elements in the total order (ops.md
/// 1.5) are wanted; equal elements come by their place in the line.
struct SortedLines {
  plan::Slot x;
  std::size_t width;       ///< bytes of an element
  std::uint32_t encoding;  ///< by their dtype (ordered.hpp)
  ir::Lines lines;
  std::int64_t k;
  bool descending = false;
};

/// Where elements and their places in the line go, as indices of `words` 32-bit words.
struct SortResults {
  plan::Slot values, indices;
  std::uint32_t words;
};

/// Dispatches that sort, in order of values or, of the first k, of places in the line.
void sort_lines(const SortedLines& sorted, const SortResults& results, bool by_index, plan::Lowering& node);

/// Dispatches that find the first k without sorting the others, where few are wanted; in the same orders.
plan::Attempt attempt_selection(const SortedLines& sorted, const SortResults& results, bool by_index,
                                plan::Lowering& node);

/// Dispatches that sort for shaders: entries (rank, place) as glsl/sorted.glsl declares them, k for
/// every line.
plan::Slot sorted_entries(const SortedLines& sorted, plan::Lowering& node);

}  // namespace plumb::gpu_vulkan::kernels::sort
