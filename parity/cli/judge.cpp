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
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/policy/policy_ratchet.hpp"
#include "parity/report/github.hpp"
#include "parity/report/junit.hpp"
#include "parity/results/judged_lint.hpp"
#include "parity/terminal/table.hpp"

namespace plumb::parity::cli {
namespace {

struct JudgeFlags {
  std::vector<std::string> results;
  std::string policy, explain, junit, json;
  bool force = false, github = false;
  terminal::StyleFlags style;
  core::Demands demands;
};

std::vector<results::JudgedRun> judge_all(const std::vector<std::string>& files, const policy::Policy* policy,
                                          const std::string& explain) {
  std::vector<results::JudgedRun> runs;
  for (const std::string& file : files)
    for (results::JudgedRun& run : results::judge_results(file, policy, policy::today(), explain))
      runs.push_back(std::move(run));
  return runs;
}

/// Commands of GitHub's are obeyed again, and there are ours.
void tell_github(std::ostream& out, const std::vector<report::Suite>& suites, const report::RunFacts& facts) {
  report::resume_workflow_commands();
  const report::Workflow workflow = report::workflow_of_environment();
  out << report::to_annotations(suites, workflow.workspace) << std::flush;
  if (!workflow.summary.empty()) report::append_summary(workflow.summary, suites, facts);
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
  const auto runs = judge_all(flags.results, policy ? &*policy : nullptr, flags.explain);
  out << results::to_text(
      runs, terminal::style_of(flags.style, terminal::surroundings_of(is_on_stdout ? STDERR_FILENO : STDOUT_FILENO)));
  const auto is_explained = [](const results::JudgedRun& run) {
    return std::ranges::any_of(run.nodes, [](const results::JudgedNode& node) { return !node.explanation.empty(); });
  };
  if (!flags.explain.empty() && std::ranges::none_of(runs, is_explained))
    out << "--explain '" << flags.explain << "': no such node was compared\n";
  if (json) flags::write_whole(json, results::to_json(runs));
  if (junit) flags::write_whole(junit, report::to_junit(results::suites_of(runs, flags.demands.strict)));
  const auto idle = policy ? results::idle_budgets(*policy, runs) : std::vector<std::string>();
  for (const std::string& finding : idle) std::cerr << finding << '\n';
  if (flags.github) tell_github(out, results::suites_of(runs, flags.demands.strict), results::facts_of(runs));
  if (!idle.empty()) return static_cast<int>(core::ExitCode::tool_error);
  const auto ends = results::ends_of(runs);
  std::cerr << core::unmet(ends, flags.demands);
  return static_cast<int>(core::exit_code(ends, flags.demands));
}

int run_lint(const std::string& file, const std::vector<std::string>& results, const std::string& against) {
  const auto policy = policy::read(file);
  auto findings = results.empty() ? policy::lint(policy, policy::today())
                                  : results::lint(policy, policy::today(), judge_all(results, &policy, ""));
  if (!against.empty())
    for (auto& finding : policy::ratchet(policy, policy::read(against), policy::today()))
      findings.push_back(std::move(finding));
  for (const std::string& finding : findings) show::print("{}\n", finding);
  if (findings.empty())
    std::cout << file << ": " << terminal::counted(policy.rules.size(), "rule") << ", nothing to object to\n";
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
  app.add_flag("--strict", flags->demands.strict, "exit code 4 where anything was not verified, as in verify");
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
