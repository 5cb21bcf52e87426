// The Vulkan devices of the machine, as the ABI lists them.
#include "gpu_vulkan/device/devices.hpp"

#include "gpu_vulkan/vulkan_executor.hpp"
#include "library/abi/errors.hpp"
#include "library/abi/handles.hpp"
#include "library/abi/structs.hpp"

using namespace plumb;

using library::abi::guarded;

plumb_error* plumb_devices_list(plumb_devices** devices) {
  return guarded([&] {
    library::abi::require_place(devices, "devices");
    auto made = std::make_unique<plumb_devices>();
    std::vector<gpu_vulkan::device::DeviceReport> found;
    try {
      found = gpu_vulkan::list_devices();
    } catch (const ir::Unsupported&) {  // there is no driver
    }
    for (const auto& [facts, refusal] : found)
      made->devices.push_back({.name = facts.name,
                               .driver = ir::cat(facts.driver_name, ' ', facts.driver_info),
                               .uuid = gpu_vulkan::device::uuid_text(facts.uuid),
                               .refusal = refusal,
                               .memory = facts.device_heap,
                               .is_software = facts.kind == gpu_vulkan::device::DeviceKind::software});
    *devices = made.release();
  });
}

size_t plumb_devices_count(const plumb_devices* devices) { return devices != nullptr ? devices->devices.size() : 0; }

plumb_error* plumb_devices_device(const plumb_devices* devices, size_t k, plumb_device* device) {
  return guarded([&] {
    const plumb_devices& of = library::abi::require_handle(devices, "devices");
    ir::require(k < of.devices.size(), "k: is ", k, ", and there are ", of.devices.size());
    const plumb_devices::Device& one = of.devices[k];
    plumb_device made{};
    made.is_software = one.is_software ? 1 : 0;
    made.name = one.name.c_str();
    made.driver = one.driver.c_str();
    made.uuid = one.uuid.c_str();
    made.refusal = one.refusal.c_str();
    made.memory = one.memory;
    library::abi::write(made, device, "device");
  });
}

void plumb_devices_free(plumb_devices* devices) { delete devices; }
