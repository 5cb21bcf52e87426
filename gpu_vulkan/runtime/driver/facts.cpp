// Reads a device's limits, features, memory types and cooperative-matrix shapes from the driver into plain data.
#include "gpu_vulkan/runtime/driver/facts.hpp"

#include <algorithm>
#include <optional>

#include "gpu_vulkan/runtime/driver/bfloat16.hpp"
#include "gpu_vulkan/runtime/driver/cooperative_matrix2.hpp"
#include "gpu_vulkan/runtime/driver/result.hpp"
#include "gpu_vulkan/runtime/driver/structure.hpp"

namespace plumb::gpu_vulkan::runtime::driver {
namespace {

device::DeviceKind kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return device::DeviceKind::discrete;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return device::DeviceKind::integrated;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return device::DeviceKind::virtualised;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return device::DeviceKind::software;
    default:
      return device::DeviceKind::other;
  }
}

std::optional<ir::DType> component(VkComponentTypeKHR type) {
  switch (type) {
    case VK_COMPONENT_TYPE_FLOAT16_KHR:
      return ir::DType::f16;
    case VK_COMPONENT_TYPE_FLOAT32_KHR:
      return ir::DType::f32;
    case VK_COMPONENT_TYPE_FLOAT64_KHR:
      return ir::DType::f64;
    case VK_COMPONENT_TYPE_SINT8_KHR:
      return ir::DType::i8;
    case VK_COMPONENT_TYPE_SINT16_KHR:
      return ir::DType::i16;
    case VK_COMPONENT_TYPE_SINT32_KHR:
      return ir::DType::i32;
    case VK_COMPONENT_TYPE_SINT64_KHR:
      return ir::DType::i64;
    case VK_COMPONENT_TYPE_UINT8_KHR:
      return ir::DType::u8;
    case VK_COMPONENT_TYPE_UINT16_KHR:
      return ir::DType::u16;
    case VK_COMPONENT_TYPE_UINT32_KHR:
      return ir::DType::u32;
    default:
      return type == VK_COMPONENT_TYPE_BFLOAT16_KHR ? std::optional(ir::DType::bf16) : std::nullopt;
  }
}

void read_limits(const VkPhysicalDeviceLimits& limits, device::DeviceFacts& facts) {
  facts.max_buffer_range = limits.maxStorageBufferRange;
  facts.offset_alignment = limits.minStorageBufferOffsetAlignment;
  facts.shared_memory = limits.maxComputeSharedMemorySize;
  facts.max_invocations = limits.maxComputeWorkGroupInvocations;
  std::copy_n(limits.maxComputeWorkGroupCount, 3, facts.max_group_count.begin());
  std::copy_n(limits.maxComputeWorkGroupSize, 3, facts.max_group_size.begin());
  facts.max_push_bytes = limits.maxPushConstantsSize;
  facts.max_storage_buffers = limits.maxPerStageDescriptorStorageBuffers;
  facts.timestamp_period = limits.timestampPeriod;
}

void read_properties(VkPhysicalDevice device, device::DeviceFacts& facts) {
  auto maintenance4 =
      structure<VkPhysicalDeviceMaintenance4Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
  auto v13 = structure<VkPhysicalDeviceVulkan13Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
                                                           &maintenance4);
  auto v12 =
      structure<VkPhysicalDeviceVulkan12Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &v13);
  auto v11 =
      structure<VkPhysicalDeviceVulkan11Properties>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES, &v12);
  auto push = structure<VkPhysicalDevicePushDescriptorPropertiesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR, &v11);
  auto p = structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &push);
  vkGetPhysicalDeviceProperties2(device, &p);
  facts.driver_name = v12.driverName;
  facts.driver_info = v12.driverInfo;
  std::copy_n(v11.deviceUUID, 16, facts.uuid.begin());
  read_limits(p.properties.limits, facts);
  facts.max_allocation = std::min(v11.maxMemoryAllocationSize, maintenance4.maxBufferSize);
  facts.max_push_descriptors = push.maxPushDescriptors;
  facts.subgroup_size = v11.subgroupSize;
  facts.min_subgroup_size = v13.minSubgroupSize;
  facts.max_subgroup_size = v13.maxSubgroupSize;
  facts.max_group_subgroups = v13.maxComputeWorkgroupSubgroups;
  const bool in_compute = (v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  const auto has = [&](VkSubgroupFeatureFlags bit) {
    return in_compute && (v11.subgroupSupportedOperations & bit) != 0;
  };
  facts.subgroup_arithmetic = has(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
  facts.subgroup_shuffle = has(VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
  facts.subgroup_ballot = has(VK_SUBGROUP_FEATURE_BALLOT_BIT);
  const bool sized_in_compute = (v13.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  facts.subgroup_size_control = sized_in_compute;  // and the features, below
  facts.denormals_kept_f32 = v12.shaderDenormPreserveFloat32 == VK_TRUE;
  facts.denormals_kept_f16 = v12.shaderDenormPreserveFloat16 == VK_TRUE;
  facts.specials_kept_f32 = v12.shaderSignedZeroInfNanPreserveFloat32 == VK_TRUE;
  facts.rounds_to_even_f16 = v12.shaderRoundingModeRTEFloat16 == VK_TRUE;
}

void read_features(VkPhysicalDevice device, device::DeviceFacts& facts) {
  auto v13 = structure<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  auto v12 = structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13);
  auto v11 = structure<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12);
  auto f = structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11);
  vkGetPhysicalDeviceFeatures2(device, &f);
  facts.storage16 = v11.storageBuffer16BitAccess == VK_TRUE;
  facts.storage8 = v12.storageBuffer8BitAccess == VK_TRUE;
  facts.float16 = v12.shaderFloat16 == VK_TRUE;
  facts.int8 = v12.shaderInt8 == VK_TRUE;
  facts.float64 = f.features.shaderFloat64 == VK_TRUE;
  facts.int16 = f.features.shaderInt16 == VK_TRUE;
  facts.int64 = f.features.shaderInt64 == VK_TRUE;
  facts.integer_dot_product = v13.shaderIntegerDotProduct == VK_TRUE;
  facts.subgroup_size_control =
      facts.subgroup_size_control && v13.subgroupSizeControl == VK_TRUE && v13.computeFullSubgroups == VK_TRUE;
  facts.vulkan_memory_model = v12.vulkanMemoryModel == VK_TRUE && v12.vulkanMemoryModelDeviceScope == VK_TRUE;
}

void read_memory(VkPhysicalDevice device, device::DeviceFacts& facts) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  std::uint32_t largest = 0;
  for (std::uint32_t h = 0; h < memory.memoryHeapCount; ++h)
    if ((memory.memoryHeaps[h].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 &&
        memory.memoryHeaps[h].size > facts.device_heap) {
      facts.device_heap = memory.memoryHeaps[h].size;
      largest = h;
    }
  for (std::uint32_t t = 0; t < memory.memoryTypeCount; ++t) {
    const auto& type = memory.memoryTypes[t];
    const auto has = [&](VkMemoryPropertyFlags flags) { return (type.propertyFlags & flags) == flags; };
    constexpr VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    if (type.heapIndex != largest || !has(mapped)) continue;
    facts.host_visible_device_local = true;
    if (has(VK_MEMORY_PROPERTY_HOST_CACHED_BIT)) facts.host_cached_device_local = true;
  }
}

void read_cooperative_shapes(VkInstance instance, VkPhysicalDevice device, device::DeviceFacts& facts) {
  const auto list = reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
      vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  if (list == nullptr) return;
  constexpr auto call = "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR";
  std::uint32_t count = 0;
  check(list(device, &count, nullptr), call);
  std::vector all(count,
                  structure<VkCooperativeMatrixPropertiesKHR>(VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR));
  check(list(device, &count, all.data()), call);
  for (const auto& one : all) {
    const auto a = component(one.AType), b = component(one.BType), c = component(one.CType),
               r = component(one.ResultType);
    if (one.scope != VK_SCOPE_SUBGROUP_KHR || one.saturatingAccumulation == VK_TRUE || !a || !b || !c || !r) continue;
    facts.cooperative_shapes.push_back({one.MSize, one.NSize, one.KSize, *a, *b, *c, *r});
  }
}

void read_host_pointers(VkPhysicalDevice device, device::DeviceFacts& facts) {
  auto wanted = structure<VkPhysicalDeviceExternalBufferInfo>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO);
  wanted.usage = buffer_usage;
  wanted.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  auto buffers = structure<VkExternalBufferProperties>(VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES);
  vkGetPhysicalDeviceExternalBufferProperties(device, &wanted, &buffers);
  const VkExternalMemoryFeatureFlags features = buffers.externalMemoryProperties.externalMemoryFeatures;
  if ((features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) == 0) return;
  auto pointers = structure<VkPhysicalDeviceExternalMemoryHostPropertiesEXT>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT);
  auto p = structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &pointers);
  vkGetPhysicalDeviceProperties2(device, &p);
  // Kernels read and write whole words.
  facts.host_pointer_alignment = std::max<std::uint64_t>(4, pointers.minImportedHostPointerAlignment);
}

}  // namespace

std::vector<std::string_view> optional_extensions(std::uint32_t layer_version) {
  std::vector<std::string_view> names = {VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME,
                                         VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
  if (layer_version == 0 || layer_version > newest_without_cooperative_matrix2)
    names.emplace_back(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
  if (layer_version == 0 || layer_version > newest_without_bfloat16)
    names.emplace_back(VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME);
  return names;
}

void read_identity(VkPhysicalDevice device, device::DeviceFacts& facts) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device, &properties);
  facts.name = properties.deviceName;
  facts.vendor_id = properties.vendorID;
  facts.device_id = properties.deviceID;
  facts.api_version = properties.apiVersion;
  facts.driver_version = properties.driverVersion;
  std::copy_n(properties.pipelineCacheUUID, 16, facts.pipeline_cache_uuid.begin());
  facts.kind = kind_of(properties.deviceType);
}

void read_facts(VkPhysicalDevice device, device::DeviceFacts& facts) {
  read_properties(device, facts);
  read_features(device, facts);
  read_memory(device, facts);
}

void read_extension_facts(VkInstance instance, VkPhysicalDevice device, const std::vector<std::string>& extensions,
                          device::DeviceFacts& facts) {
  const auto has = [&](std::string_view name) { return std::ranges::find(extensions, name) != extensions.end(); };
  if (has(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME) && facts.vulkan_memory_model)
    read_cooperative_shapes(instance, device, facts);
  if (has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) read_host_pointers(device, facts);
  if (has(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME) && !facts.cooperative_shapes.empty()) {
    auto more = structure<VkPhysicalDeviceCooperativeMatrix2FeaturesNV>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV);
    auto f = structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &more);
    vkGetPhysicalDeviceFeatures2(device, &f);
    facts.cooperative_conversions = more.cooperativeMatrixConversions == VK_TRUE &&
                                    more.cooperativeMatrixReductions == VK_TRUE &&
                                    more.cooperativeMatrixPerElementOperations == VK_TRUE;
  }
  auto bfloat16 = structure<VkPhysicalDeviceShaderBfloat16FeaturesKHR>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR);
  if (has(VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME)) {
    auto f = structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &bfloat16);
    vkGetPhysicalDeviceFeatures2(device, &f);
    facts.bfloat16 = bfloat16.shaderBFloat16Type == VK_TRUE;
  }
  const auto of_bf16 = [](const device::CooperativeShape& s) {
    return s.a == ir::DType::bf16 || s.c == ir::DType::bf16;
  };
  if (bfloat16.shaderBFloat16CooperativeMatrix == VK_FALSE) std::erase_if(facts.cooperative_shapes, of_bf16);
}

}  // namespace plumb::gpu_vulkan::runtime::driver
