// `plumb options`: every knob with its variable, default and choices.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/show/print.hpp"

namespace plumb::parity::cli {

Action options(CLI::App& app) {
  const auto flags = std::make_shared<flags::DeviceFlags>();
  flags::add_device_flags(app, *flags);
  return [flags] {
    flags::vulkan_options(*flags);            // refuses a knob that does not exist before the table is printed
    constexpr std::size_t least_width = 100;  // in less, the variables would leave no room for the rest
    const bool has_variables = show::stdout_width() >= least_width;
    const auto line = [&](std::string_view name, std::string_view variable, std::string_view preset,
                          std::string_view doc) {
      const std::string second = has_variables ? fmt::format("{:<23} ", variable) : "";
      const std::string head = fmt::format("{:<15} {}{:<10} ", name, second, preset);
      show::print_lines(fmt::format("{}{}\n", head, doc), head.size());
    };
    line("--set", "environment", "default", "what it does");
    for (const auto& option : gpu_vulkan::device::vulkan_option_infos()) {
      line(option.name, option.variable, option.preset.empty() ? "\"\"" : option.preset, option.doc);
      for (const auto choice : option.choices) line("", "", "", ir::cat("- ", choice));
    }
    if (!has_variables) show::print("The environment sets them, too: PLUMB_TILE for --set tile=..., and so on.\n");
    return 0;
  };
}

}  // namespace plumb::parity::cli
