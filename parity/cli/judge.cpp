// `plumb judge` and `plumb policy lint`: results files judged again by a policy, and policies checked against them.
#include "parity/results/judge.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/policy/policy_ratchet.hpp"
#include "parity/report/junit.hpp"
#include "parity/results/judged_lint.hpp"

namespace plumb::parity::cli {
namespace {

struct JudgeFlags {
  std::vector<std::string> results;
  std::string policy, explain, junit;
  bool force = false;
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

int run_judge(const JudgeFlags& flags) {
  flags::Outputs outputs{.force = flags.force, .inputs = {flags.results.begin(), flags.results.end()}};
  if (!flags.policy.empty()) outputs.inputs.emplace_back(flags.policy);
  const auto junit = outputs.open(flags.junit, ir::files::FileKind::xml);
  std::ostream& out = flags.junit == "-" ? std::cerr : std::cout;
  std::optional<policy::Policy> policy;
  if (!flags.policy.empty()) policy = policy::read(flags.policy);
  const auto runs = judge_all(flags.results, policy ? &*policy : nullptr, flags.explain);
  out << results::to_text(runs);
  const auto is_explained = [](const results::JudgedRun& run) {
    return std::ranges::any_of(run.nodes, [](const results::JudgedNode& node) { return !node.explanation.empty(); });
  };
  if (!flags.explain.empty() && std::ranges::none_of(runs, is_explained))
    out << "--explain '" << flags.explain << "': no such node was compared\n";
  if (junit) flags::write_whole(junit, report::to_junit(results::suites_of(runs, flags.demands.strict)));
  const auto idle = policy ? results::idle_budgets(*policy, runs) : std::vector<std::string>();
  for (const std::string& finding : idle) std::cerr << finding << '\n';
  return static_cast<int>(idle.empty() ? results::exit_code(runs, flags.demands) : core::ExitCode::tool_error);
}

int run_lint(const std::string& file, const std::vector<std::string>& results, const std::string& against) {
  const auto policy = policy::read(file);
  auto findings = results.empty() ? policy::lint(policy, policy::today())
                                  : results::lint(policy, policy::today(), judge_all(results, &policy, ""));
  if (!against.empty())
    for (auto& finding : policy::ratchet(policy, policy::read(against), policy::today()))
      findings.push_back(std::move(finding));
  for (const std::string& finding : findings) std::cout << finding << '\n';
  if (findings.empty()) std::cout << file << ": " << policy.rules.size() << " rules, nothing to object to\n";
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
  flags::add_output(app, "--junit", flags->junit, "write the report as JUnit XML to this file, or - for stdout")
      ->group("output");
  flags::add_force_flag(app, flags->force);
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
