#pragma once

#include "gpu_vulkan/runtime/driver/functions.hpp"

// VK_NV_cooperative_matrix2, where the headers are older than it (they have it from 1.3.300 on): what devices can do
// does not depend on the headers of the build.
#ifndef VK_NV_cooperative_matrix2
#define VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME "VK_NV_cooperative_matrix2"

constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV =
    static_cast<VkStructureType>(1000593000);

struct VkPhysicalDeviceCooperativeMatrix2FeaturesNV {
  VkStructureType sType;
  void* pNext;
  VkBool32 cooperativeMatrixWorkgroupScope, cooperativeMatrixFlexibleDimensions, cooperativeMatrixReductions,
      cooperativeMatrixConversions, cooperativeMatrixPerElementOperations, cooperativeMatrixTensorAddressing,
      cooperativeMatrixBlockLoads;
};
#endif

namespace plumb::gpu_vulkan::runtime::driver {

/// Validation layers as old as this take the extension's structures and modules for errors.
inline constexpr std::uint32_t newest_without_cooperative_matrix2 = VK_MAKE_API_VERSION(0, 1, 3, 299);

}  // namespace plumb::gpu_vulkan::runtime::driver
