// `plumb drift`: what changed between two sets of recorded runs, and whether it is worse than chance explains.
#include "parity/studies/drift/drift.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "ir/files/process.hpp"
#include "ir/raw/glob.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/style_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/bisect.hpp"
#include "parity/report/github.hpp"
#include "parity/report/junit.hpp"
#include "parity/studies/drift/drift_report.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using ir::files::FileKind;

struct DriftFlags {
  std::string base, now, policy, device;
  std::vector<std::string> accept, command;
  std::optional<double> false_alarm;
  bool git_bisect = false, force = false, github = false;
  std::string json, junit, markdown;
  core::terminal::StyleFlags style;
};

policy::DriftRules rules_of(const DriftFlags& flags) {
  policy::DriftRules rules;
  if (!flags.policy.empty()) rules = policy::read_drift_rules(flags.policy);
  if (flags.false_alarm) rules.false_alarm = *flags.false_alarm;
  for (const std::string& name : flags.accept) rules.accept.insert(policy::drift_cause(name));
  return rules;
}

std::vector<studies::drift::Record> records_on(const std::string& file, const std::string& device) {
  std::vector<studies::drift::Record> records = studies::drift::read_records(file);
  if (device.empty()) return records;
  std::erase_if(records, [&](const auto& one) { return !ir::raw::glob_matches(device, one.device); });
  ir::require(!records.empty(), file, ": has no run on a device called '", device, "'");
  return records;
}

/// Runs the command that is to write the file; what it ends with is not asked, since a run that failed is one, too.
void make_now(const DriftFlags& flags) {
  std::error_code none;
  const auto before = fs::last_write_time(flags.now, none);
  const bool was_there = !none;
  const ir::files::ProcessEnd end = ir::files::run_process(flags.command, {.time = std::chrono::hours(24)});
  if (const std::string last = ir::files::last_lines(end.output); !last.empty())
    std::cerr << last << (last.back() == '\n' ? "" : "\n");
  const auto after = fs::last_write_time(flags.now, none);
  const bool is_written = !none && (!was_there || after != before);
  ir::require(is_written, flags.now, ": was not written by '", flags.command.front(), "', which ended with ",
              end.signal.empty() ? std::to_string(end.status) : end.signal);
}

int run_drift(const DriftFlags& flags) {
  flags::require_one_on_stdout({{"--json", flags.json}, {"--junit", flags.junit}, {"--markdown", flags.markdown}});
  flags::Outputs outputs{.force = flags.force, .inputs = {flags.base, flags.now}};
  if (!flags.policy.empty()) outputs.inputs.emplace_back(flags.policy);
  const policy::DriftRules rules = rules_of(flags);
  const auto json = outputs.open(flags.json, FileKind::json), junit = outputs.open(flags.junit, FileKind::xml),
             markdown = outputs.open_text(flags.markdown, "");
  const bool is_on_stdout = flags.json == "-" || flags.junit == "-" || flags.markdown == "-";
  std::ostream& out = is_on_stdout ? std::cerr : std::cout;
  if (flags.github) report::stop_workflow_commands(out);
  if (!flags.command.empty()) make_now(flags);
  const studies::drift::Drift found =
      studies::drift::compare(records_on(flags.base, flags.device), records_on(flags.now, flags.device), rules);
  out << studies::drift::to_text(
      found, core::terminal::style_of(flags.style,
                                      core::terminal::surroundings_of(is_on_stdout ? STDERR_FILENO : STDOUT_FILENO)));
  const auto suites = studies::drift::to_suites(found);
  const report::RunFacts facts = studies::drift::run_facts(found);
  if (json) flags::write_whole(json, studies::drift::to_json(found));
  if (junit) flags::write_whole(junit, report::to_junit(suites));
  if (markdown) flags::write_whole(markdown, report::to_markdown(suites, facts, report::most_comment_bytes));
  if (flags.github) report::tell_github(out, suites, facts);
  return static_cast<int>(studies::drift::exit_code(found));
}

void add_report_flags(CLI::App& app, DriftFlags& flags) {
  flags::add_output(app, "--json", flags.json, "write what was found as JSON to this file, or - for stdout")
      ->group("output");
  flags::add_output(app, "--junit", flags.junit, "write it as JUnit XML to this file, or - for stdout")
      ->group("output");
  flags::add_output(app, "--markdown", flags.markdown,
                    "write a summary as Markdown of at most 60 KiB to this file, or - for stdout")
      ->group("output");
  flags::add_github_flag(app, flags.github);
  flags::add_force_flag(app, flags.force);
  flags::add_style_flags(app, flags.style);
}

}  // namespace

Action drift(CLI::App& app) {
  const auto flags = std::make_shared<DriftFlags>();
  app.add_option("base", flags->base, "what was: a results file (HDF5) of plumb verify, or a baseline")->required();
  app.add_option("now", flags->now, "what is: a results file")->required();
  app.add_option("--accept", flags->accept, "causes that excuse what is worse: kernel,tile,sums,... (docs/drift.md)")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--false-alarm", flags->false_alarm,
                 "probability that anything is found though nothing changed; 0.01 where the policy says nothing")
      ->check(flags::from_to(1e-6, 0.5));
  app.add_option("--policy", flags->policy, "the policy (TOML) whose [drift] says what matters");
  app.add_option("--device", flags->device, "compare runs on devices called so (a glob) alone");
  auto* const bisect = show::add_bisect_flag(app, flags->git_bisect);
  app.add_option("command", flags->command, "after --: a command that writes now first; with --git-bisect")
      ->needs(bisect);
  add_report_flags(app, *flags);
  return [flags] { return show::exit_for_bisect(flags->git_bisect, [&] { return run_drift(*flags); }); };
}

}  // namespace plumb::parity::cli
