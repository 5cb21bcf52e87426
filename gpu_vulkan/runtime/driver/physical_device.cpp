#include "gpu_vulkan/runtime/driver/physical_device.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "gpu_vulkan/runtime/driver/facts.hpp"
#include "gpu_vulkan/runtime/driver/result.hpp"
#include "gpu_vulkan/runtime/driver/structure.hpp"

namespace plumb::gpu_vulkan::runtime::driver {
namespace {

// Whether the headers know Vulkan 1.4, where push descriptors are no extension any more.
#ifdef VK_API_VERSION_1_4
constexpr bool core_push_descriptors = true;
#else
constexpr bool core_push_descriptors = false;
#endif

std::vector<std::string> offered_extensions(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties");
  std::vector<VkExtensionProperties> all(count);
  check(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, all.data()),
        "vkEnumerateDeviceExtensionProperties");
  std::vector<std::string> names;
  for (const auto& one : all) names.emplace_back(one.extensionName);
  return names;
}

/// The family that offers compute and the least else: on a device with several, the one
/// that does not wait for a display.
bool find_compute_family(VkPhysicalDevice handle, PhysicalDevice& device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(handle, &count, families.data());
  std::optional<std::uint32_t> best;
  const auto roles = [&](std::uint32_t f) { return std::popcount(families[f].queueFlags); };
  for (std::uint32_t f = 0; f < count; ++f)
    if ((families[f].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && (!best || roles(f) < roles(*best))) best = f;
  if (!best) return false;
  device.queue_family = *best;
  device.timestamp_bits = families[*best].timestampValidBits;
  device::DeviceFacts& facts = device.report.facts;
  facts.timestamps = device.timestamp_bits > 0 && facts.timestamp_period > 0;
  return true;
}

std::string version_text(std::uint32_t version) {
  return ir::cat(VK_API_VERSION_MAJOR(version), '.', VK_API_VERSION_MINOR(version), '.', VK_API_VERSION_PATCH(version));
}

/// The first requirement of plumbline that the device does not meet, in words; empty where it meets all.
std::string refusal(VkPhysicalDevice handle, PhysicalDevice& device) {
  device::DeviceFacts& facts = device.report.facts;
  if (facts.api_version < VK_API_VERSION_1_3)
    return ir::cat("offers Vulkan ", version_text(facts.api_version), ", wanted 1.3");
  const auto offered = offered_extensions(handle);
  const auto offers = [&](const char* name) { return std::ranges::find(offered, name) != offered.end(); };
  read_facts(handle, facts);

  auto v13 = structure<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  auto v12 = structure<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &v13);
  auto features = structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &v12);
  vkGetPhysicalDeviceFeatures2(handle, &features);
  if (v13.synchronization2 == VK_FALSE) return "has no synchronization2";
  if (v13.maintenance4 == VK_FALSE) return "has no maintenance4";
  if (v12.timelineSemaphore == VK_FALSE) return "has no timeline semaphores";

  if (offers(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME))
    device.extensions.emplace_back(VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
  else if (core_push_descriptors && facts.api_version >= VK_MAKE_API_VERSION(0, 1, 4, 0))
    device.push_descriptors_are_core = true;
  else
    return "has no push descriptors (VK_KHR_push_descriptor)";

  return find_compute_family(handle, device) ? "" : "has no compute queue";
}

PhysicalDevice examine(const Instance& instance, VkPhysicalDevice handle) {
  PhysicalDevice device;
  device.handle = handle;
  read_identity(handle, device.report.facts);
  device.report.refusal = refusal(handle, device);
  if (!device.report.refusal.empty()) return device;
  const auto offered = offered_extensions(handle);
  for (const std::string_view wanted : optional_extensions(instance.layer_version()))
    if (std::ranges::find(offered, wanted) != offered.end()) device.extensions.emplace_back(wanted);
  read_extension_facts(instance.get(), handle, device.extensions, device.report.facts);
  return device;
}

}  // namespace

bool PhysicalDevice::enables(std::string_view extension) const {
  return std::ranges::find(extensions, extension) != extensions.end();
}

std::vector<PhysicalDevice> physical_devices(const Instance& instance) {
  std::uint32_t count = 0;
  check(vkEnumeratePhysicalDevices(instance.get(), &count, nullptr), "vkEnumeratePhysicalDevices");
  std::vector<VkPhysicalDevice> handles(count);
  check(vkEnumeratePhysicalDevices(instance.get(), &count, handles.data()), "vkEnumeratePhysicalDevices");
  std::vector<PhysicalDevice> devices;
  for (const VkPhysicalDevice handle : handles) devices.push_back(examine(instance, handle));
  return devices;
}

}  // namespace plumb::gpu_vulkan::runtime::driver
