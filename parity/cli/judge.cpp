// `plumb judge` and `plumb policy lint`: results files judged again by a policy, and policies checked against them.
#include "parity/results/judge.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/style_flags.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/policy/policy_ratchet.hpp"
#include "parity/report/github.hpp"
#include "parity/report/junit.hpp"
#include "parity/results/judged_lint.hpp"

namespace plumb::parity::cli {
namespace {

struct JudgeFlags {
  std::vector<std::string> results;
  std::string policy, explain, junit, json;
  bool force = false, github = false;
  core::terminal::StyleFlags style;
  core::Demands demands;
};

/// The runs of several files and their findings: equal ones once, a file that was cut off by its name.
results::JudgedFile judge_all(const std::vector<std::string>& files, const policy::Policy* policy,
                              const std::string& explain) {
  results::JudgedFile all;
  for (const std::string& file : files) {
    results::JudgedFile one = results::judge_file(file, policy, policy::today(), explain);
    for (results::JudgedRun& run : one.runs) all.runs.push_back(std::move(run));
    std::ranges::move(one.pairs, std::back_inserter(all.pairs));
    for (core::RunFinding& finding : one.findings) {
      if (files.size() > 1 && finding.kind == "cut_off") finding.text = file + ": " + finding.text;
      if (std::ranges::find(all.findings, finding.text, &core::RunFinding::text) == all.findings.end())
        all.findings.push_back(std::move(finding));
    }
  }
  return all;
}

int run_judge(const JudgeFlags& flags) {
  flags::Outputs outputs{.force = flags.force, .inputs = {flags.results.begin(), flags.results.end()}};
  if (!flags.policy.empty()) outputs.inputs.emplace_back(flags.policy);
  ir::require(flags.json != "-" || flags.junit != "-", "only one of --json and --junit can be written to stdout");
  const auto json = outputs.open(flags.json, ir::files::FileKind::json),
             junit = outputs.open(flags.junit, ir::files::FileKind::xml);
  const bool is_on_stdout = flags.junit == "-" || flags.json == "-";
  std::ostream& out = is_on_stdout ? std::cerr : std::cout;
  if (flags.github) report::stop_workflow_commands(out);
  std::optional<policy::Policy> policy;
  if (!flags.policy.empty()) policy = policy::read(flags.policy);
  auto [runs, findings, pairs] = judge_all(flags.results, policy ? &*policy : nullptr, flags.explain);
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
  if (json) flags::write_whole(json, results::to_json(runs, outcome, pairs));
  const auto suites = junit || flags.github ? results::suites_of(runs, outcome) : std::vector<report::Suite>();
  if (junit) flags::write_whole(junit, report::to_junit(suites));
  report::RunFacts facts = results::facts_of(runs);
  facts.outcome = outcome;
  if (flags.github) report::tell_github(out, suites, facts);
  std::cerr << core::unmet(ends, flags.demands, findings);
  return static_cast<int>(outcome.exit);
}

int run_lint(const std::string& file, const std::vector<std::string>& results, const std::string& against) {
  const auto policy = policy::read(file);
  std::vector<std::string> findings;
  if (results.empty()) {
    findings = policy::lint(policy, policy::today());
  } else {
    const results::JudgedFile judged = judge_all(results, &policy, "");
    for (const core::RunFinding& one : judged.findings)
      if (one.kind == "cut_off") std::cerr << one.text << '\n';
    findings = results::lint(policy, policy::today(), judged.runs);
  }
  if (!against.empty())
    for (auto& finding : policy::ratchet(policy, policy::read(against), policy::today()))
      findings.push_back(std::move(finding));
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
  app.add_option("--explain", flags->explain,
                 "say for these nodes (a glob) which rule decides, and why no other rule does");
  app.add_flag("--strict", flags->demands.strict,
               "exit code 4 where anything was not verified, as in verify, and 2 where the runs were cut off");
  app.add_flag("--require-verified", flags->demands.verified,
               "exit code 4 unless every run was verified, as in verify");
  flags::add_output(app, "--json", flags->json, "write the report as JSON to this file, or - for stdout")
      ->group("output");
  flags::add_output(app, "--junit", flags->junit, "write the report as JUnit XML to this file, or - for stdout")
      ->group("output");
  flags::add_github_flag(app, flags->github);
  flags::add_force_flag(app, flags->force);
  flags::add_style_flags(app, flags->style);
  return [flags] { return run_judge(*flags); };
}

Action policy(CLI::App& app) {
  const auto file = std::make_shared<std::string>();
  const auto results = std::make_shared<std::vector<std::string>>();
  const auto against = std::make_shared<std::string>();
  CLI::App* const lint =
      app.add_subcommand("lint", "report rules that are expired, shadowed, unused or looser than the bound");
  app.require_subcommand(1);
  lint->add_option("policy", *file, "the policy (TOML, docs/policy.md)")->required();
  lint->add_option("results", *results, "results files, in which every rule should decide something");
  lint->add_option("--against", *against, "the policy that it replaces: nothing may be looser without a reason");
  return [file, results, against] { return run_lint(*file, *results, *against); };
}

}  // namespace plumb::parity::cli
