// Describes this machine, from its devices' own words.
#include "library/describe.hpp"

#include <fstream>
#include <thread>

#include "gpu_vulkan/device/devices.hpp"
#include "ref_cpu/kernel_table.hpp"
#include "ref_cpu/libraries.hpp"

namespace plumb::library {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

parity::profile::Device describe(const gpu_vulkan::device::DeviceFacts& facts) {
  parity::profile::Device device;
  device.uuid = gpu_vulkan::device::uuid_text(facts.uuid);
  device.name = facts.name;
  device.driver_name = facts.driver_name;
  device.driver_info = facts.driver_info;
  device.vendor_id = facts.vendor_id;
  device.device_id = facts.device_id;
  device.driver_version = facts.driver_version;
  device.api_version = facts.api_version;
  device.is_software = facts.kind == gpu_vulkan::device::DeviceKind::software;
  const auto said = [](bool yes) { return std::string(yes ? "yes" : "no"); };
  device.float_controls = {{"denormals_kept_f32", said(facts.denormals_kept_f32)},
                           {"denormals_kept_f16", said(facts.denormals_kept_f16)},
                           {"specials_kept_f32", said(facts.specials_kept_f32)},
                           {"rounds_to_even_f16", said(facts.rounds_to_even_f16)}};
  for (const auto& shape : facts.cooperative_shapes)
    device.cooperative_shapes.push_back({shape.m, shape.n, shape.k, shape.a, shape.b, shape.c, shape.r});
  return device;
}

parity::profile::Environment describe_host(int threads) {
  parity::profile::Environment environment;
  environment.cpu = cpu_name();
  environment.cpu_level = ref_cpu::chosen_level();
  environment.threads = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  environment.libraries = ref_cpu::library_versions();
  return environment;
}

}  // namespace plumb::library
