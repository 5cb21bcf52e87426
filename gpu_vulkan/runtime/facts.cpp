#include <algorithm>
#include <cstring>

#include "gpu_vulkan/runtime/device.hpp"
#include "gpu_vulkan/runtime/structure.hpp"

namespace plumb::gpu_vulkan {
namespace {

bool has_extension(VkPhysicalDevice physical, const char* name) {
  std::uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> all(count);
  check(vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, all.data()), "vkEnumerateDeviceExtensionProperties");
  return std::any_of(all.begin(), all.end(), [&](const auto& e) { return std::strcmp(e.extensionName, name) == 0; });
}

void read_properties(VkPhysicalDevice physical, DeviceFacts& facts) {
  auto maintenance4 = structure<VkPhysicalDeviceMaintenance4Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
  auto v13 = structure<VkPhysicalDeviceVulkan13Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES, &maintenance4);
  auto v12 = structure<VkPhysicalDeviceVulkan12Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &v13);
  auto v11 = structure<VkPhysicalDeviceVulkan11Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &v12);
  auto push = structure<VkPhysicalDevicePushDescriptorPropertiesKHR>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR, &v11);
  auto p = structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &push);
  vkGetPhysicalDeviceProperties2(physical, &p);
  const auto& limits = p.properties.limits;
  facts.name = p.properties.deviceName;
  facts.driver_name = v12.driverName;
  facts.driver_info = v12.driverInfo;
  facts.vendor_id = p.properties.vendorID;
  facts.device_id = p.properties.deviceID;
  facts.api_version = p.properties.apiVersion;
  facts.driver_version = p.properties.driverVersion;
  std::copy_n(v11.deviceUUID, 16, facts.uuid.begin());
  std::copy_n(p.properties.pipelineCacheUUID, 16, facts.pipeline_cache_uuid.begin());
  facts.is_software = p.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
  facts.max_buffer_range = limits.maxStorageBufferRange;
  facts.max_allocation = v11.maxMemoryAllocationSize;
  facts.offset_alignment = limits.minStorageBufferOffsetAlignment;
  facts.shared_memory = limits.maxComputeSharedMemorySize;
  facts.max_invocations = limits.maxComputeWorkGroupInvocations;
  std::copy_n(limits.maxComputeWorkGroupCount, 3, facts.max_group_count.begin());
  std::copy_n(limits.maxComputeWorkGroupSize, 3, facts.max_group_size.begin());
  facts.max_push_bytes = limits.maxPushConstantsSize;
  facts.max_push_descriptors = push.maxPushDescriptors;
  facts.subgroup_size = v11.subgroupSize;
  facts.min_subgroup_size = v13.minSubgroupSize;
  facts.max_subgroup_size = v13.maxSubgroupSize;
  const bool in_compute = (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  const auto has = [&](VkSubgroupFeatureFlags bit) { return in_compute && (v11.subgroupSupportedOperations & bit) != 0; };
  facts.subgroup_arithmetic = has(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
  facts.subgroup_shuffle = has(VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
  facts.subgroup_ballot = has(VK_SUBGROUP_FEATURE_BALLOT_BIT);
  facts.denormals_kept_f32 = v12.shaderDenormPreserveFloat32 == VK_TRUE;
  facts.rounds_to_even_f16 = v12.shaderRoundingModeRTEFloat16 == VK_TRUE;
  facts.timestamps = limits.timestampComputeAndGraphics == VK_TRUE && limits.timestampPeriod > 0;
  facts.timestamp_period = limits.timestampPeriod;
}

void read_features(VkPhysicalDevice physical, DeviceFacts& facts) {
  auto v13 = structure<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  auto v12 = structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13);
  auto v11 = structure<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12);
  auto f = structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11);
  vkGetPhysicalDeviceFeatures2(physical, &f);
  facts.storage16 = v11.storageBuffer16BitAccess == VK_TRUE;
  facts.storage8 = v12.storageBuffer8BitAccess == VK_TRUE;
  facts.float16 = v12.shaderFloat16 == VK_TRUE;
  facts.int8 = v12.shaderInt8 == VK_TRUE;
  facts.float64 = f.features.shaderFloat64 == VK_TRUE;
  facts.int16 = f.features.shaderInt16 == VK_TRUE;
  facts.int64 = f.features.shaderInt64 == VK_TRUE;
  facts.integer_dot_product = v13.shaderIntegerDotProduct == VK_TRUE;
  facts.subgroup_size_control = v13.subgroupSizeControl == VK_TRUE && v13.computeFullSubgroups == VK_TRUE;
  facts.vulkan_memory_model = v12.vulkanMemoryModel == VK_TRUE && v12.vulkanMemoryModelDeviceScope == VK_TRUE;
}

void read_memory(VkPhysicalDevice physical, DeviceFacts& facts) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  std::uint32_t largest = 0;
  for (std::uint32_t h = 0; h < memory.memoryHeapCount; ++h)
    if ((memory.memoryHeaps[h].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 && memory.memoryHeaps[h].size > facts.device_heap) {
      facts.device_heap = memory.memoryHeaps[h].size;
      largest = h;
    }
  constexpr VkMemoryPropertyFlags both = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                         VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (std::uint32_t t = 0; t < memory.memoryTypeCount; ++t)
    if (memory.memoryTypes[t].heapIndex == largest && (memory.memoryTypes[t].propertyFlags & both) == both)
      facts.host_visible_device_local = true;
}

std::optional<ir::DType> component(VkComponentTypeKHR type) {
  switch (type) {
    case VK_COMPONENT_TYPE_FLOAT16_KHR: return ir::DType::f16;
    case VK_COMPONENT_TYPE_FLOAT32_KHR: return ir::DType::f32;
    case VK_COMPONENT_TYPE_FLOAT64_KHR: return ir::DType::f64;
    case VK_COMPONENT_TYPE_SINT8_KHR: return ir::DType::i8;
    case VK_COMPONENT_TYPE_SINT32_KHR: return ir::DType::i32;
    case VK_COMPONENT_TYPE_UINT8_KHR: return ir::DType::u8;
    case VK_COMPONENT_TYPE_UINT32_KHR: return ir::DType::u32;
    default: return std::nullopt;
  }
}

void read_cooperative_shapes(VkInstance instance, VkPhysicalDevice physical, DeviceFacts& facts) {
  if (!has_extension(physical, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) return;
  const auto list = reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
      vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  if (list == nullptr) return;
  std::uint32_t count = 0;
  check(list(physical, &count, nullptr), "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
  std::vector all(count, structure<VkCooperativeMatrixPropertiesKHR>(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR));
  check(list(physical, &count, all.data()), "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
  for (const auto& one : all) {
    const auto a = component(one.AType), b = component(one.BType), c = component(one.CType), r = component(one.ResultType);
    if (one.scope != VK_SCOPE_SUBGROUP_KHR || !a || !b || !c || !r) continue;
    facts.cooperative_shapes.push_back({one.MSize, one.NSize, one.KSize, *a, *b, *c, *r});
  }
}

}  // namespace

DeviceFacts read_facts(VkInstance instance, VkPhysicalDevice physical) {
  DeviceFacts facts;
  read_properties(physical, facts);
  read_features(physical, facts);
  read_memory(physical, facts);
  read_cooperative_shapes(instance, physical, facts);
  return facts;
}

}  // namespace plumb::gpu_vulkan
