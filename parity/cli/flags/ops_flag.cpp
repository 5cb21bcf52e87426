// Ops from outside, which a command line names: registered before the command runs.
#include "parity/cli/flags/ops_flag.hpp"

#include <CLI/CLI.hpp>

#include "library/load_ops.hpp"
#include "parity/core/terminal/shell_word.hpp"

namespace plumb::parity::cli::flags {
namespace {

/// A process registers ops once, so that there is one list of them.
std::vector<std::string>& files() {
  static std::vector<std::string> all;
  return all;
}

}  // namespace

void add_ops_flag(CLI::App& app) {
  app.add_option("--ops", files(), "ops of your own, FILE.json or LIB.so, once for each (docs/library.md)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void register_given_ops() {
  for (const std::string& file : files()) library::load_ops(file);
}

std::string repeated_ops() {
  std::string text;
  for (const std::string& file : files()) text += " --ops " + core::terminal::shell_word(file);
  return text;
}

}  // namespace plumb::parity::cli::flags
