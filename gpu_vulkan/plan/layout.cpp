// Lays out the memory of a plan by the lifetimes of its slots, and finds its barriers.
#include "gpu_vulkan/plan/layout.hpp"

#include <algorithm>

#include "gpu_vulkan/plan/barriers.hpp"

namespace plumb::gpu_vulkan::plan {

void lay_out(Plan& plan, const device::DeviceFacts& facts, const LayoutOptions& options) {
  auto alive = lifetimes(plan.schedule);
  for (const Segment& segment : plan.segments) {
    const std::size_t last = std::max(segment.begin + 1, segment.end) - 1;
    for (const ir::Value v : segment.uploads) alive[plan.slots[v]].use(segment.begin);
    for (const ir::Value v : segment.downloads) alive[plan.slots[v]].use(last);
  }
  if (alive[plan.faults].used) {  // cleared before a run and read after it
    alive[plan.faults].use(0);
    alive[plan.faults].use(plan.schedule.dispatches.size());
  }
  std::vector<bool> apart(plan.schedule.slots.size());
  for (const Slot slot : options.apart) apart[slot] = true;
  plan.arena = pack(plan.schedule, alive,
                    {.alignment = std::max<std::size_t>(facts.offset_alignment, 64),
                     .buffer_bytes = facts.max_allocation,
                     .zone = options.redzone ? zone_bytes : 0,
                     .reuse = !options.no_reuse && !options.redzone,
                     .apart = std::move(apart)});
  plan.barrier_before = barriers(plan.schedule, plan.arena);
  if (options.full_barriers) plan.barrier_before.assign(plan.barrier_before.size(), true);
}

}  // namespace plumb::gpu_vulkan::plan
