#pragma once

#include "gpu_vulkan/plan/plan.hpp"

namespace plumb::gpu_vulkan::plan {

/// The settings of a layout, beside the schedule.
struct LayoutOptions {
  bool redzone = false, no_reuse = false, full_barriers = false;  ///< as in PlanOptions
  std::vector<Slot> apart = {};  ///< each begins a buffer of its own, which others may put in that one's place
};

/// Places the slots of a plan, and its barriers. The order in which slots that are uploaded once lie depends on
/// `apart` for them alone.
void lay_out(Plan& plan, const device::DeviceFacts& facts, const LayoutOptions& options);

}  // namespace plumb::gpu_vulkan::plan
