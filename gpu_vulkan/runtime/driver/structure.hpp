#pragma once

#include "gpu_vulkan/runtime/driver/functions.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

/// A Vulkan structure with its type set, the next of its chain, and everything else zero.
template <class T>
T structure(VkStructureType type, void* next = nullptr) {
  T made{};
  made.sType = type;
  made.pNext = next;
  return made;
}

}  // namespace plumb::gpu_vulkan::runtime::driver
