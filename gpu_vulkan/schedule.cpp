#include "gpu_vulkan/schedule.hpp"

namespace plumb::gpu_vulkan {

Slot Schedule::slot(std::size_t bytes, Residence residence) {
  slots.push_back({bytes, residence, dispatches.size(), dispatches.size(), {}});
  return slots.size() - 1;
}

void Schedule::add(Dispatch dispatch) {
  for (const auto* list : {&dispatch.reads, &dispatch.writes})
    for (const Slot s : *list) slots.at(s).last = dispatches.size();
  dispatches.push_back(std::move(dispatch));
}

}  // namespace plumb::gpu_vulkan
