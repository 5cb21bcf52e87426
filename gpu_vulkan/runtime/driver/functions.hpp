#pragma once

// Vulkan's types and, as pointers in a namespace of ours, those of its functions that functions.txt lists. Nothing
// links the loader: a program starts, and runs graphs on the CPU, where there is none, and one that links it itself has
// both.

#include "generated_vulkan_functions.hpp"

namespace plumb::gpu_vulkan::runtime::driver {

/// Opens libvulkan.so.1, once a process and for good, and sets those pointers. Throws Unsupported, with the reason,
/// where there is no loader or one that is older than Vulkan 1.3.
void open_loader();

}  // namespace plumb::gpu_vulkan::runtime::driver
