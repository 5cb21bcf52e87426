// `plumb options`: every knob with its variable, default and choices.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"

namespace plumb::parity::cli {

Action options(CLI::App& app) {
  const auto flags = std::make_shared<flags::DeviceFlags>();
  flags::add_device_flags(app, *flags);
  return [flags] {
    flags::vulkan_options(*flags);  // refuses a knob that does not exist before the table is printed
    fmt::print("{:<15} {:<23} {:<10} {}\n", "--set", "environment", "default", "what it does");
    for (const auto& option : gpu_vulkan::device::vulkan_option_infos()) {
      const std::string preset = option.preset.empty() ? "\"\"" : option.preset;
      fmt::print("{:<15} {:<23} {:<10} {}\n", option.name, option.variable, preset, option.doc);
      for (const auto choice : option.choices) fmt::print("{:<51}- {}\n", "", choice);
    }
    return 0;
  };
}

}  // namespace plumb::parity::cli
