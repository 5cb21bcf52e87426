#pragma once

#include "gpu_vulkan/kernels/rows/rows.hpp"
#include "gpu_vulkan/kernels/sort/sorting.hpp"

namespace plumb::gpu_vulkan::kernels::sort {

/// How the first k of lines are found by sort_select.comp: lines are cut into runs of `span` elements, of which each
/// is held in registers. A refusal says why they cannot be.
struct SelectionChoice {
  rows::HeldRows held;
  std::int64_t span = 0, slots = 0;  ///< slots: entries of a run that are sorted, a power of two
  std::optional<std::string> refusal;
};

SelectionChoice choose_selection(const device::DeviceFacts& facts, const SortedLines& sorted);

}  // namespace plumb::gpu_vulkan::kernels::sort
