// `plumb judge` and `plumb policy lint`: results files judged again by a policy, and policies checked against them.
#include "parity/results/judge.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/flags/style_flags.hpp"
#include "parity/cli/reporting/record_reports.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/policy/policy_ratchet.hpp"
#include "parity/report/github.hpp"
#include "parity/results/history.hpp"
#include "parity/results/idle_quarantines.hpp"
#include "parity/results/judged_lint.hpp"

namespace plumb::parity::cli {
namespace {

struct JudgeFlags {
  std::vector<std::string> results;
  std::string policy, explain, today;
  RecordReportFlags reports;
  core::terminal::StyleFlags style;
  core::Demands demands;
};

int run_judge(const JudgeFlags& flags) {
  flags::Outputs outputs{.force = flags.reports.force, .inputs = {flags.results.begin(), flags.results.end()}};
  if (!flags.policy.empty()) outputs.inputs.emplace_back(flags.policy);
  RecordReports reports(flags.reports, outputs);
  const bool is_on_stdout = reports.is_on_stdout();
  std::ostream& out = is_on_stdout ? std::cerr : std::cout;
  if (flags.reports.github) report::stop_workflow_commands(out);
  std::optional<policy::Policy> policy;
  if (!flags.policy.empty()) policy = policy::read(flags.policy);
  results::JudgedFile judged =
      judge_all(flags.results, policy ? &*policy : nullptr, flags.explain, flags::day_of(flags.today));
  const auto& runs = judged.runs;
  auto& findings = judged.findings;
  out << results::to_text(
      runs, core::terminal::style_of(flags.style,
                                     core::terminal::surroundings_of(is_on_stdout ? STDERR_FILENO : STDOUT_FILENO)));
  const auto is_explained = [](const results::JudgedRun& run) {
    return std::ranges::any_of(run.nodes, [](const results::JudgedNode& node) { return !node.explanation.empty(); });
  };
  if (!flags.explain.empty() && std::ranges::none_of(runs, is_explained))
    out << "--explain '" << flags.explain << "': no such node was compared\n";
  // The outputs of cases that were not reached are unknown, so that a budget may be theirs.
  const bool is_cut_off = std::ranges::count(findings, "cut_off", &core::RunFinding::kind) > 0;
  if (policy && !is_cut_off)
    for (core::RunFinding& idle : policy::as_findings(results::idle_budgets(*policy, runs)))
      findings.push_back(std::move(idle));
  const auto ends = results::ends_of(runs);
  const core::Outcome outcome = core::outcome_of(ends, flags.demands, findings);
  reports.write(judged, outcome, out);
  std::cerr << core::unmet(ends, flags.demands, findings);
  return static_cast<int>(outcome.exit);
}

struct LintFlags {
  std::string file, history, against, today;
  std::vector<std::string> results;
};

int run_lint(const LintFlags& flags) {
  const auto& [file, history, against, on, results] = flags;
  const std::chrono::sys_days today = flags::day_of(on);
  const auto policy = policy::read(file);
  std::vector<std::string> findings;
  if (results.empty()) {
    findings = policy::lint(policy, today);
  } else {
    const results::JudgedFile judged = judge_all(results, &policy, "", today);
    for (const core::RunFinding& one : judged.findings)
      if (one.kind == "cut_off") std::cerr << one.text << '\n';
    findings = results::lint(policy, today, judged.runs);
  }
  if (!history.empty()) {
    const auto runs = results::history_of(history, policy, today);
    for (auto& finding : results::idle_quarantines(policy, today, runs)) findings.push_back(std::move(finding));
  }
  if (!against.empty())
    for (auto& finding : policy::ratchet(policy, policy::read(against), today)) findings.push_back(std::move(finding));
  for (const std::string& finding : findings) show::print("{}\n", finding);
  if (findings.empty())
    std::cout << file << ": " << core::terminal::counted(policy.rules.size(), "rule") << ", nothing to object to\n";
  return findings.empty() ? 0 : 1;
}

}  // namespace

Action judge(CLI::App& app) {
  const auto flags = std::make_shared<JudgeFlags>();
  app.add_option("results", flags->results, "results files (HDF5) of plumb verify")->required();
  app.add_option("--policy", flags->policy,
                 "the policy (TOML, docs/policy.md); without it, the policy that the file holds for each run");
  flags::add_today_flag(app, flags->today);
  app.add_option("--explain", flags->explain,
                 "say for these nodes (a glob) which rule decides, and why no other rule does");
  app.add_flag("--strict", flags->demands.strict,
               "exit code 4 where anything was not verified, as in verify, and 2 where the runs were cut off");
  app.add_flag("--require-verified", flags->demands.verified,
               "exit code 4 unless every run was verified, as in verify");
  add_record_report_flags(app, flags->reports);
  flags::add_style_flags(app, flags->style);
  return [flags] { return run_judge(*flags); };
}

Action policy(CLI::App& app) {
  const auto flags = std::make_shared<LintFlags>();
  CLI::App* const lint =
      app.add_subcommand("lint", "report rules that are expired, shadowed, unused or looser than the bound");
  app.require_subcommand(1);
  lint->add_option("policy", flags->file, "the policy (TOML, docs/policy.md)")->required();
  lint->add_option("results", flags->results, "results files, in which every rule should decide something");
  lint->add_option("--history", flags->history,
                   "results files of earlier runs: a quarantine that it says is needed should have had an incident")
      ->type_name("DIR");
  lint->add_option("--against", flags->against, "the policy that it replaces: nothing may be looser without a reason");
  flags::add_today_flag(*lint, flags->today);
  return [flags] { return run_lint(*flags); };
}

}  // namespace plumb::parity::cli
