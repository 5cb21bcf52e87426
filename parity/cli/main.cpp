// The program plumb: subcommands, and exceptions as exit codes.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <system_error>

#include "ir/error.hpp"
#include "ir/formats/dumps/dumped_runs.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/as_meant.hpp"
#include "parity/cli/flags/environment.hpp"
#include "parity/cli/flags/ops_flag.hpp"
#include "parity/cli/helping/complete.hpp"
#include "parity/cli/process.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/cli/show/help_formatter.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/github.hpp"

namespace plumb::parity::cli {
namespace {

constexpr int usage_error = 2, device_error = 3, nothing_ran = 77;

int say(const char* what, int exit_code) {
  std::cerr << "plumb: " << core::terminal::printable(what) << '\n';
  report::annotate_problem(what);
  return exit_code;
}

/// CLI11 would say that a command is missing, of one that is misspelt.
void require_command(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "-";
  std::vector<std::string> names = {"--help", "--version"};
  for (const Command& command : commands) {
    if (first == command.name) return;
    names.emplace_back(command.name);
  }
  ir::require(first.starts_with('-'), "there is no command '", first, "'", core::did_you_mean(first, names));
}

/// Does as CLI11's require_command, for the commands that a command has.
void require_inner_command(const CLI::App& app) {
  for (const CLI::App* const command : app.get_subcommands()) {
    std::vector<std::string> names;
    for (const CLI::App* const inner : command->get_subcommands(nullptr)) names.push_back(inner->get_name());
    if (names.empty() || !command->get_subcommands().empty()) continue;
    const std::vector<std::string> rest = command->remaining();
    ir::require(!rest.empty(), "plumb ", command->get_name(), " wants a command of its own, such as '", names[0], "'");
    ir::fail("plumb ", command->get_name(), " has no command '", rest[0], "'", core::did_you_mean(rest[0], names));
  }
}

/// CLI11 would say of a misspelt option before any command that a command is missing, or that it was not expected.
void require_known_first(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& rest : app.remaining())
    ir::require(!rest.starts_with('-'), "plumb has no option '", rest, "' before a command",
                core::did_you_mean(rest, names));
}

/// CLI11 would say of a misspelt option that it was not expected.
void require_known_options(const CLI::App& app) {
  for (const CLI::App* const command : app.get_subcommands()) {
    std::vector<std::string> names;
    for (const CLI::Option* const option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& rest : command->remaining(true))
      ir::require(!rest.starts_with("--"), "plumb ", command->get_name(), " has no option '", rest, "'",
                  core::did_you_mean(rest, names));
  }
}

int run(int argc, char** argv) {
  CLI::App app("plumb: run every graph on the CPU reference and on the GPU, and judge the error of every node",
               "plumb");
  app.require_subcommand(1);
  app.formatter(std::make_shared<show::HelpFormatter>(show::help_width(STDOUT_FILENO)));
  app.set_version_flag("--version", [argc, argv] {
    return show::version_text(std::any_of(
        argv, argv + argc, [](std::string_view argument) { return argument == "-v" || argument == "--verbose"; }));
  });
  app.footer(
      "exit codes: 0 all that was judged passed; 1 something failed; 2 usage, file or tool error; 3 device error; "
      "4 not all verified, under --strict or --require-verified; 77 nothing ran");
  Action chosen;
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.help));
    Action action = command.declare(*sub);
    flags::add_ops_flag(*sub);
    flags::take_as_meant(*sub);
    const std::string own = sub->get_footer() == app.get_footer() ? "" : sub->get_footer() + '\n';
    sub->footer(own + app.get_footer() + "\nexample:\n  " + std::string(command.example));
    sub->callback([&chosen, action] { chosen = action; });
  }
  if (argc > 1 && argv[1] == complete_command) complete(app, {argv + 2, argv + argc});
  require_command(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    require_known_options(app);
    require_known_first(app);
    return app.exit(error) == 0 ? 0 : usage_error;
  } catch (const CLI::RequiredError& error) {
    require_known_first(app);
    require_inner_command(app);
    return app.exit(error) == 0 ? 0 : usage_error;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_error;
  }
  flags::require_known_environment();
  flags::register_given_ops();
  return chosen();
}

/// The exit code of whatever happens: nothing leaves a command but by one of these.
int outcome(int argc, char** argv) try { return run(argc, argv); } catch (const ir::Unsupported& error) {
  return say(error.what(), nothing_ran);
} catch (const ir::DeviceError& error) {
  return say(error.what(), device_error);
} catch (const ir::Error& error) {
  return say(error.what(), usage_error);
} catch (const std::bad_alloc&) {
  return say("the host is out of memory", usage_error);
} catch (const std::system_error& error) {
  // A failure to print is reported when stdout is flushed.
  return std::ferror(stdout) != 0 ? usage_error : say(error.what(), usage_error);
} catch (const std::exception& error) {
  return say(error.what(), usage_error);
}

int main(int argc, char** argv) {
  prepare_process(usage_error);
  ir::formats::dump_runs();
  const int code = outcome(argc, argv);
  report::resume_workflow_commands();  // an error ends a command before it does that
  return flush_stdout() || code == device_error ? code : usage_error;
}

}  // namespace
}  // namespace plumb::parity::cli

int main(int argc, char** argv) { return plumb::parity::cli::main(argc, argv); }
