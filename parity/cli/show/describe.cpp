#include "parity/cli/show/describe.hpp"

#include <fstream>
#include <iterator>
#include <thread>

#include "gpu_vulkan/device/devices.hpp"
#include "parity/core/build_info.hpp"
#include "ref_cpu/kernel_table.hpp"
#include "ref_cpu/libraries.hpp"

namespace plumb::parity::cli::show {
namespace {

/// The name of the processor by /proc/cpuinfo; empty where that has none.
std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

}  // namespace

profile::Device describe(const gpu_vulkan::device::DeviceFacts& facts) {
  profile::Device device;
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

profile::Environment describe_host(int threads) {
  profile::Environment environment;
  environment.cpu = cpu_name();
  environment.cpu_level = ref_cpu::chosen_level();
  environment.threads = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
  environment.libraries = ref_cpu::library_versions();
  return environment;
}

std::string version_text(bool verbose) {
  const core::BuildInfo& build = core::build_info();
  std::string text(build.version);
  if (!verbose) return text;
  text += ir::cat("\ncommit: ", build.git_commit, build.git_dirty ? ", changed" : "", "\ncompiler: ", build.compiler,
                  "\nglslang: ", build.glslang);
  for (const auto& [name, version] : ref_cpu::library_versions()) text += ir::cat("\n", name, ": ", version);
  return text;
}

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> arguments;
  for (std::size_t begin = 0; begin < all.size();) {
    const auto end = all.find('\0', begin);
    arguments.push_back(all.substr(begin, end - begin));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  return arguments;
}

}  // namespace plumb::parity::cli::show
