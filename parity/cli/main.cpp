#include <CLI/CLI.hpp>
#include <iostream>

#include "ir/error.hpp"
#include "ir/formats/file_in_use.hpp"
#include "ir/raw/keep_memory.hpp"
#include "parity/cli/command.hpp"
#include "parity/core/build_info.hpp"

namespace plumb::parity::cli {
namespace {

constexpr int usage_error = 2, device_error = 3, nothing_ran = 77;

int main(int argc, char** argv) try {
  ir::raw::keep_freed_memory();
  ir::formats::name_files_of_crashes(usage_error);
  CLI::App app("plumb: run every graph on the CPU reference and on the GPU, and judge the error of every node",
               "plumb");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(core::build_info().version));
  app.footer(
      "exit codes: 0 all gated nodes pass; 1 at least one failed; 2 usage, file or tool error; 3 device error; "
      "4 not all verified, under --strict; 77 nothing ran");
  Action chosen;
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.help));
    Action action = command.declare(*sub);
    sub->callback([&chosen, action] { chosen = action; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_error;
  }
  return chosen();
} catch (const ir::Unsupported& error) {
  std::cerr << "plumb: " << error.what() << '\n';
  return nothing_ran;
} catch (const ir::DeviceError& error) {
  std::cerr << "plumb: " << error.what() << '\n';
  return device_error;
} catch (const ir::Error& error) {
  std::cerr << "plumb: " << error.what() << '\n';
  return usage_error;
} catch (const std::bad_alloc&) {
  std::cerr << "plumb: the host is out of memory\n";
  return usage_error;
}

}  // namespace
}  // namespace plumb::parity::cli

int main(int argc, char** argv) { return plumb::parity::cli::main(argc, argv); }
