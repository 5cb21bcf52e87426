#include "gpu_vulkan/runtime/device.hpp"

#include "gpu_vulkan/runtime/structure.hpp"

namespace plumb::gpu_vulkan {

Device::Device(bool validation) {
  make_instance(validation);
  pick_physical();
  make_device();
}

void Device::make_instance(bool validation) {
  auto app = structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  app.pApplicationName = "plumbline";
  app.apiVersion = VK_API_VERSION_1_3;
  const char* layer = "VK_LAYER_KHRONOS_validation";
  auto info = structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &app;
  info.enabledLayerCount = validation ? 1 : 0;
  info.ppEnabledLayerNames = &layer;
  VkInstance raw = VK_NULL_HANDLE;
  const VkResult result = vkCreateInstance(&info, nullptr, &raw);
  if (result != VK_SUCCESS) throw ir::Unsupported(ir::cat("no Vulkan driver: vkCreateInstance returned ", result_name(result)));
  instance_.reset(raw);
}

void Device::pick_physical() {
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance_.get(), &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> all(count);
  check(vkEnumeratePhysicalDevices(instance_.get(), &count, all.data()), "vkEnumeratePhysicalDevices");
  if (all.empty()) throw ir::Unsupported("no Vulkan device");
  physical_ = all[0];
  facts_ = read_facts(instance_.get(), physical_);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  while (family_ < count && (families[family_].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) ++family_;
  if (family_ == count) throw ir::Unsupported(facts_.name + " has no compute queue");
}

void Device::make_device() {
  auto coop = structure<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR);
  coop.cooperativeMatrix = VK_TRUE;
  auto v13 = structure<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  v13.synchronization2 = v13.maintenance4 = VK_TRUE;
  v13.subgroupSizeControl = v13.computeFullSubgroups = facts_.subgroup_size_control;
  v13.shaderIntegerDotProduct = facts_.integer_dot_product;
  v13.pNext = facts_.cooperative_shapes.empty() ? nullptr : &coop;
  auto v12 = structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13);
  v12.timelineSemaphore = VK_TRUE;
  v12.storageBuffer8BitAccess = facts_.storage8;
  v12.shaderFloat16 = facts_.float16;
  v12.shaderInt8 = facts_.int8;
  v12.vulkanMemoryModel = v12.vulkanMemoryModelDeviceScope = facts_.vulkan_memory_model;
  auto v11 = structure<VkPhysicalDeviceVulkan11Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &v12);
  v11.storageBuffer16BitAccess = facts_.storage16;
  auto features = structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v11);
  features.features.shaderFloat64 = facts_.float64;
  features.features.shaderInt64 = facts_.int64;
  features.features.shaderInt16 = facts_.int16;

  std::vector<const char*> extensions = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME};
  if (!facts_.cooperative_shapes.empty()) extensions.push_back(VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
  const float priority = 1;
  auto queue = structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  VkDevice raw = VK_NULL_HANDLE;
  check(vkCreateDevice(physical_, &info, nullptr, &raw), "vkCreateDevice");
  device_.reset(raw);
  vkGetDeviceQueue(raw, family_, 0, &queue_);
  push_descriptors_ = reinterpret_cast<PFN_vkCmdPushDescriptorSetKHR>(vkGetDeviceProcAddr(raw, "vkCmdPushDescriptorSetKHR"));
}

std::uint32_t Device::memory_type(std::uint32_t allowed, VkMemoryPropertyFlags flags) const {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if ((allowed >> i & 1) != 0 && (memory.memoryTypes[i].propertyFlags & flags) == flags) return i;
  throw ir::DeviceError(ir::cat(facts_.name, " has no memory type with flags ", flags));
}

}  // namespace plumb::gpu_vulkan
