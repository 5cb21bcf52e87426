// Flags of devices and knobs, on top of the environment, turned into options of the Vulkan executor.
#include "parity/cli/flags/device_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "gpu_vulkan/cache/calibration_file.hpp"
#include "gpu_vulkan/plan/plan_options.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/sha256.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/report/progress.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli::flags {
namespace {

void require_knob(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& option : gpu_vulkan::device::vulkan_option_infos()) known.emplace_back(option.name);
  const std::string meant = core::did_you_mean(name, known);
  ir::require(std::ranges::find(known, name) != known.end(), "--set: there is no knob '", name, "'",
              meant.empty() ? "; `plumb options` lists them" : meant);
}

/// As options are without flags and environment.
gpu_vulkan::device::VulkanOptions usual_options() {
  gpu_vulkan::device::VulkanOptions options;
  options.fallback = gpu_vulkan::device::Fallback::allow;
  return options;
}

/// A setting as the flag that makes it: its own where it has one.
std::string flag_of(const gpu_vulkan::device::Setting& setting) {
  if (setting.name == "device") return " --device " + core::terminal::shell_word(setting.value);
  if (setting.name == "fuse") return " --no-fuse";
  for (const char* const name : {"poison", "lifetimes", "redzone"})
    if (setting.name == name) return " --" + setting.name;
  return " --set " + core::terminal::shell_word(setting.name + '=' + setting.value);
}

}  // namespace

void add_device_flags(CLI::App& app, DeviceFlags& flags) {
  app.add_option("--device", flags.device,
                 "the device: its index, UUID or name (* and ? match), or cpu for software Vulkan")
      ->type_name("DEVICE")
      ->group("device");
  app.add_option("--threads", flags.threads,
                 "threads of the CPU executor and of comparisons; 0 takes one for every core")
      ->check(whole_from_to(0, 4096))
      ->group("device");
  app.add_flag("--validation-layers", flags.validation, "treat every message of the validation layers as an error")
      ->group("debug");
  app.add_flag("--poison", flags.poison, "fill every device tensor with NaN before it is written")->group("debug");
  app.add_flag("--lifetimes", flags.lifetimes,
               "fill every device tensor with NaN after the last node that reads it, so that who reads it later shows")
      ->group("debug");
  app.add_flag("--redzone", flags.redzone, "put guard bytes around every device tensor and check them after the run")
      ->group("debug");
  app.add_flag("--no-fuse", flags.no_fuse, "run every node of the graph as it is, without fusing any")->group("device");
  app.add_option("--set", flags.settings, "set a knob, as name=value; `plumb options` lists them")
      ->type_name("KNOB=VALUE")
      ->group("debug");
}

gpu_vulkan::device::VulkanOptions vulkan_options(const DeviceFlags& flags) {
  auto options = gpu_vulkan::device::options_from_environment();
  if (std::getenv("PLUMB_FALLBACK") == nullptr) options.fallback = usual_options().fallback;
  if (!flags.device.empty()) options.device = flags.device;
  options.validation |= flags.validation;
  options.poison |= flags.poison;
  options.lifetimes |= flags.lifetimes;
  options.redzone |= flags.redzone;
  options.fuse &= !flags.no_fuse;
  for (const std::string& setting : flags.settings) {
    const auto equals = setting.find('=');
    ir::require(equals != std::string::npos, "--set wants name=value, got '", setting, "'");
    const std::string name = setting.substr(0, equals);
    require_knob(name);
    gpu_vulkan::device::set_option(options, name, setting.substr(equals + 1));
  }
  options.on_doubt = [](const std::string& what) {
    report::Progress::erase_any();
    std::cerr << "warning: " << what << '\n';
  };
  options.host = std::make_shared<ref_cpu::CpuExecutor>(ref_cpu::CpuOptions{.threads = flags.threads});
  return options;
}

cases::RunSettings run_settings(const gpu_vulkan::device::VulkanOptions& options) {
  cases::RunSettings settings{.alternative = options.alternative, .fuse = options.fuse};
  for (auto& one : gpu_vulkan::device::settings_of(options, usual_options())) {
    const bool has_its_own_place = one.name == "alternative" || one.name == "fuse";
    if (one.said_in == gpu_vulkan::device::SaidIn::options && !has_its_own_place)
      settings.knobs.emplace_back(std::move(one.name), std::move(one.value));
  }
  return settings;
}

std::string calibration_of(const gpu_vulkan::VulkanExecutor& device) {
  const gpu_vulkan::device::Calibration calibration = device.plan_options().calibration;
  if (calibration == gpu_vulkan::device::Calibration{}) return "";
  return core::sha256(gpu_vulkan::cache::to_text(calibration, device.facts()));
}

gpu_vulkan::device::VulkanOptions options_to_repeat(const gpu_vulkan::VulkanExecutor& device) {
  gpu_vulkan::device::VulkanOptions options = device.options();
  if (!calibration_of(device).empty())
    options.calibration = gpu_vulkan::cache::calibration_path(options.calibration, device.facts()).string();
  return options;
}

std::string repeated(const gpu_vulkan::device::VulkanOptions& options) {
  std::string text;
  for (const auto& one : gpu_vulkan::device::settings_of(options, usual_options()))
    if (one.said_in != gpu_vulkan::device::SaidIn::nothing) text += flag_of(one);
  return text;
}

}  // namespace plumb::parity::cli::flags
