#pragma once

#include "gpu_vulkan/rows.hpp"
#include "gpu_vulkan/sorting.hpp"

namespace plumb::gpu_vulkan {

/// How the first k of lines are found by sort_select.comp: lines are cut into runs of `span` elements, of which each
/// is held in registers. A refusal says why they cannot be.
struct SelectionChoice {
  HeldRows held;
  std::int64_t span = 0, slots = 0;  ///< slots: entries of a run that are sorted, a power of two
  std::optional<std::string> refusal;
};

SelectionChoice choose_selection(const DeviceFacts& facts, const SortedLines& sorted);

}  // namespace plumb::gpu_vulkan
