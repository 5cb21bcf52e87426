// `plumb probe`: finds by experiment how an executor rounds, and writes that as a profile.
#include "parity/profile/probe/probe.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/report/progress.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {
namespace {

struct ProbeFlags {
  std::string on = "gpu", output;
  bool force = false;
  flags::DeviceFlags device;
};

profile::DeviceProfile profile_of(const ProbeFlags& flags, const profile::probe::ProbeOptions& options) {
  ref_cpu::CpuExecutor cpu({.threads = flags.device.threads});
  if (flags.on == "cpu") {
    const profile::Device host{
        .uuid = "cpu", .name = show::describe_host(flags.device.threads).cpu, .driver_name = "ref_cpu"};
    return profile::probe::probe(cpu, cpu, host, options);
  }
  gpu_vulkan::VulkanExecutor device(flags::vulkan_options(flags.device));
  return profile::probe::probe(device, cpu, show::describe(device.facts()), options);
}

int run_probe(const ProbeFlags& flags) {
  const auto output = flags::Outputs{.force = flags.force}.open_text(flags.output, "plumb-profile/");
  const auto start = std::chrono::steady_clock::now();
  profile::probe::ProbeOptions options{.is_host = flags.on == "cpu"};
  report::Progress progress;
  options.step = [&](std::string_view what, std::size_t done, std::size_t steps) { progress.step(what, done, steps); };
  const profile::DeviceProfile profile = profile_of(flags, options);
  progress.erase();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (!output) {
    std::cout << profile::to_toml(profile);
  } else {
    flags::write_whole(output, profile::to_toml(profile));
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
      ->check(flags::one_of({"cpu", "gpu"}))
      ->capture_default_str();
  flags::add_output(app, "-o,--output", flags->output,
                    "write the profile (TOML, docs/probe.md) here instead of stdout");
  flags::add_force_flag(app, flags->force);
  flags::add_device_flags(app, flags->device);
  return [flags] { return run_probe(*flags); };
}

}  // namespace plumb::parity::cli
