#include "parity/profile/probe/probe.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/formats/files.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/describe.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {
namespace {

struct ProbeFlags {
  std::string on = "gpu", output;
  flags::DeviceFlags device;
};

profile::DeviceProfile profile_of(const ProbeFlags& flags, const profile::probe::ProbeOptions& options) {
  ref_cpu::CpuExecutor cpu({.threads = flags.device.threads});
  if (flags.on == "cpu") {
    const profile::Device host{
        .uuid = "cpu", .name = describe_host(flags.device.threads).cpu, .driver_name = "ref_cpu"};
    return profile::probe::probe(cpu, cpu, host, options);
  }
  gpu_vulkan::VulkanExecutor device(flags::vulkan_options(flags.device));
  return profile::probe::probe(device, cpu, describe(device.facts()), options);
}

int run_probe(const ProbeFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  profile::probe::ProbeOptions options{.is_host = flags.on == "cpu"};
  const profile::DeviceProfile profile = profile_of(flags, options);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (flags.output.empty()) {
    std::cout << profile::to_toml(profile);
  } else {
    ir::formats::write_text(flags.output, profile::to_toml(profile));
    fmt::print(stderr, "wrote {}: profile {} of {}, {} units that multiply, {} functions, in {:.1f} s\n", flags.output,
               profile.sha256().substr(0, 12), profile.name, profile.products.size(), profile.functions.size(),
               spent.count());
  }
  return 0;
}

}  // namespace

Action probe(CLI::App& app) {
  const auto flags = std::make_shared<ProbeFlags>();
  app.add_option("--on", flags->on, "the executor to probe")
      ->check(CLI::IsMember({"cpu", "gpu"}))
      ->capture_default_str();
  app.add_option("-o,--output", flags->output, "write the profile (TOML, docs/probe.md) here instead of stdout");
  flags::add_device_flags(app, flags->device);
  return [flags] { return run_probe(*flags); };
}

}  // namespace plumb::parity::cli
