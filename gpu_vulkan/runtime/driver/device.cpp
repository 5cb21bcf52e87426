#include "gpu_vulkan/runtime/driver/device.hpp"

#include <algorithm>

#include "gpu_vulkan/runtime/driver/bfloat16.hpp"
#include "gpu_vulkan/runtime/driver/cooperative_matrix2.hpp"
#include "gpu_vulkan/runtime/driver/structure.hpp"

namespace plumb::gpu_vulkan::runtime::driver {
namespace {

/// The features to enable, as one chain that points into itself.
struct Features {
  explicit Features(const PhysicalDevice& physical);
  Features(const Features&) = delete;

  template <class T>
  void add(T& feature, VkStructureType type) {
    feature.sType = type;
    feature.pNext = all.pNext;
    all.pNext = &feature;
  }

  VkPhysicalDeviceFeatures2 all{};
  VkPhysicalDeviceVulkan11Features v11{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceVulkan13Features v13{};
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR cooperative{};
  VkPhysicalDeviceCooperativeMatrix2FeaturesNV cooperative2{};
#ifdef VK_API_VERSION_1_4
  VkPhysicalDeviceVulkan14Features v14{};
#endif
  VkPhysicalDeviceShaderBfloat16FeaturesKHR bfloat16{};
};

Features::Features(const PhysicalDevice& physical) {
  const device::DeviceFacts& facts = physical.report.facts;
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  all.features.shaderFloat64 = facts.float64;
  all.features.shaderInt64 = facts.int64;
  all.features.shaderInt16 = facts.int16;
  add(v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
  v11.storageBuffer16BitAccess = facts.storage16;
  add(v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  v12.timelineSemaphore = v12.hostQueryReset = VK_TRUE;
  v12.storageBuffer8BitAccess = facts.storage8;
  v12.shaderFloat16 = facts.float16;
  v12.shaderInt8 = facts.int8;
  v12.vulkanMemoryModel = v12.vulkanMemoryModelDeviceScope = facts.vulkan_memory_model;
  add(v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  v13.synchronization2 = v13.maintenance4 = VK_TRUE;
  v13.subgroupSizeControl = v13.computeFullSubgroups = facts.subgroup_size_control;
  v13.shaderIntegerDotProduct = facts.integer_dot_product;
  if (physical.enables(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME)) {
    add(cooperative, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
    cooperative.cooperativeMatrix = !facts.cooperative_shapes.empty();
  }
  if (physical.enables(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME)) {
    add(cooperative2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV);
    cooperative2.cooperativeMatrixConversions = cooperative2.cooperativeMatrixReductions =
        cooperative2.cooperativeMatrixPerElementOperations = facts.cooperative_conversions;
  }
#ifdef VK_API_VERSION_1_4
  if (physical.push_descriptors_are_core) {
    add(v14, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES);
    v14.pushDescriptor = VK_TRUE;
  }
#endif
  if (physical.enables(VK_KHR_SHADER_BFLOAT16_EXTENSION_NAME)) {
    add(bfloat16, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR);
    bfloat16.shaderBFloat16Type = facts.bfloat16;
    bfloat16.shaderBFloat16CooperativeMatrix = std::ranges::any_of(
        facts.cooperative_shapes, [](const device::CooperativeShape& s) { return s.a == ir::DType::bf16; });
  }
}

}  // namespace

Device::Device(const PhysicalDevice& physical)
    : facts_(physical.report.facts),
      queue_family_(physical.queue_family),
      timestamp_mask_(~std::uint64_t{0} >> (64 - std::max(physical.timestamp_bits, 1u))) {
  vkGetPhysicalDeviceMemoryProperties(physical.handle, &memory_);
  const Features features(physical);
  std::vector<const char*> extensions;
  for (const auto& name : physical.extensions) extensions.push_back(name.c_str());
  const float priority = 1;
  auto queue = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features.all;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkDevice raw = VK_NULL_HANDLE;
  check(vkCreateDevice(physical.handle, &info, nullptr, &raw), "vkCreateDevice", " on ", facts_.name);
  device_.reset(raw);
  vkGetDeviceQueue(raw, queue_family_, 0, &queue_);
  const char* const push = physical.push_descriptors_are_core ? "vkCmdPushDescriptorSet" : "vkCmdPushDescriptorSetKHR";
  push_descriptors_ = reinterpret_cast<PFN_vkCmdPushDescriptorSetKHR>(vkGetDeviceProcAddr(raw, push));
  ir::require(push_descriptors_ != nullptr, facts_.name, " has no ", push);
  if (facts_.host_pointer_alignment == 0) return;
  constexpr auto properties = "vkGetMemoryHostPointerPropertiesEXT";
  host_pointer_properties_ =
      reinterpret_cast<PFN_vkGetMemoryHostPointerPropertiesEXT>(vkGetDeviceProcAddr(raw, properties));
  ir::require(host_pointer_properties_ != nullptr, facts_.name, " has no ", properties);
}

std::uint32_t Device::memory_type(std::uint32_t allowed, VkMemoryPropertyFlags wanted,
                                  VkMemoryPropertyFlags avoided) const {
  for (const VkMemoryPropertyFlags without : {avoided, VkMemoryPropertyFlags{0}})
    for (std::uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
      const auto flags = memory_.memoryTypes[i].propertyFlags;
      if ((allowed >> i & 1) != 0 && (flags & wanted) == wanted && (flags & without) == 0) return i;
    }
  throw ir::DeviceError(ir::cat(facts_.name, " has no memory type with flags ", wanted, " among ", allowed));
}

}  // namespace plumb::gpu_vulkan::runtime::driver
