#pragma once

#include <algorithm>
#include <bit>

#include "gpu_vulkan/device/device_facts.hpp"

namespace plumb::gpu_vulkan::kernels::common {

/// The most invocations of a workgroup that asks for the size of its subgroups, a power of two.
inline std::uint32_t most_invocations(const device::DeviceFacts& facts) {
  return std::bit_floor(std::min({1024u, facts.max_invocations, facts.max_group_subgroups * facts.subgroup_size}));
}

}  // namespace plumb::gpu_vulkan::kernels::common
