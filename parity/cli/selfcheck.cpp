// `plumb selfcheck`: whether this installation, this machine and the gate itself are sound, a line a check.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/selfchecking/selfcheck_run.hpp"
#include "parity/core/terminal/style.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {
namespace {

int run_selfcheck(const SelfcheckFlags& flags) {
  namespace terminal = core::terminal;
  flags::Outputs outputs{.force = flags.force};
  if (!flags.policy.empty()) outputs.inputs.emplace_back(flags.policy);
  const auto json = outputs.open(flags.json, ir::files::FileKind::json);
  const bool is_on_stdout = flags.json == "-";
  std::ostream& out = is_on_stdout ? std::cerr : std::cout;
  const std::size_t width =
      terminal::style_of({}, terminal::surroundings_of(is_on_stdout ? STDERR_FILENO : STDOUT_FILENO)).width;
  const auto tell = [&](const studies::selfcheck::Check& check) {
    constexpr std::size_t text_at = 23;
    out << terminal::fitted(terminal::printable(studies::selfcheck::to_text(check)), width, text_at) << std::flush;
  };
  SelfcheckRun selfcheck(flags, tell);
  selfcheck.run();
  const studies::selfcheck::Checklist& checklist = selfcheck.checklist();
  out << studies::selfcheck::summary(checklist.checks());
  flags::write_whole(json, studies::selfcheck::to_json(checklist));
  return static_cast<int>(checklist.exit_code());
}

}  // namespace

Action selfcheck(CLI::App& app) {
  const auto flags = std::make_shared<SelfcheckFlags>();
  app.add_flag("--quick", flags->quick, "some 5 seconds: few ops on the device");
  app.add_flag("--full", flags->full, "every op on the device, in f16 and bf16, too, however long it takes");
  app.add_option("--policy", flags->policy, "check this policy, too: its lint, and whether anything fails by it")
      ->type_name("FILE");
  flags::add_today_flag(app, flags->today);
  app.add_option("--plant", flags->plants, "plant a fault, as verify does, in the graph that has to pass")
      ->type_name("FAULT[=ARG]@GLOB")
      ->allow_extra_args(false);
  flags::add_output(app, "--json", flags->json, "write the checks as JSON to this file, or - for stdout");
  flags::add_force_flag(app, flags->force);
  flags::add_device_flags(app, flags->device);
  return [flags] { return run_selfcheck(*flags); };
}

}  // namespace plumb::parity::cli
