#pragma once

#include "gpu_vulkan/runtime/driver/functions.hpp"

// VK_KHR_shader_bfloat16, where the headers are older than it (they have it after 1.4.309): what devices can do does
// not depend on the headers of the build.
#ifndef VK_KHR_shader_bfloat16
#define VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME "VK_KHR_shader_bfloat16"

constexpr auto VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR =
    static_cast<VkStructureType>(1000141000);
constexpr auto VK_COMPONENT_TYPE_BFLOAT16_KHR = static_cast<VkComponentTypeKHR>(1000141000);

struct VkPhysicalDeviceShaderBfloat16FeaturesKHR {
  VkStructureType sType;
  void* pNext;
  VkBool32 shaderBFloat16Type, shaderBFloat16DotProduct, shaderBFloat16CooperativeMatrix;
};
#endif

namespace plumb::gpu_vulkan::runtime::driver {

/// Validation layers as old as this take the extension's structures and modules for errors.
inline constexpr std::uint32_t newest_without_bfloat16 = VK_MAKE_API_VERSION(0, 1, 4, 309);

}  // namespace plumb::gpu_vulkan::runtime::driver
