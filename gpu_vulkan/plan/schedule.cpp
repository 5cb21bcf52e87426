#include "gpu_vulkan/plan/schedule.hpp"

#include <algorithm>

namespace plumb::gpu_vulkan::plan {

Slot Schedule::slot(std::size_t bytes, Residence residence) {
  slots.push_back({bytes, residence, {}});
  return slots.size() - 1;
}

std::size_t Schedule::bound_bytes(Slot slot) const {
  return std::max<std::size_t>((slots.at(slot).bytes + 3) / 4 * 4, 4);
}

}  // namespace plumb::gpu_vulkan::plan
