// `plumb fit`: limits fitted to results files, written as a policy or merged into one.
#include "parity/studies/fit/fit.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "ir/attribute.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/studies/fit/fit_policy.hpp"

namespace plumb::parity::cli {
namespace {

struct FitFlags {
  std::vector<std::string> results;
  std::string policy, allow_loosen;
  studies::fit::Options options;
  bool update = false, allow_planted = false;
};

void say(const studies::fit::Fit& fit) {
  for (const std::string& note : fit.notes) std::cerr << note << '\n';
  for (const studies::fit::FittedRule& rule : fit.rules)
    std::cout << rule.id() << ": " << ir::enum_name(rule.measure) << ' ' << rule.limit << ", "
              << core::terminal::counted(rule.n_seeds, "seed") << ", " << core::terminal::counted(rule.n_nodes, "node")
              << '\n';
  for (const studies::fit::FittedOutput& output : fit.outputs) {
    std::string limits;
    for (const policy::Requirement& one : output.limits)
      limits += fmt::format("{} {:.4g}, ", ir::enum_name(one.measure), one.limit.number);
    show::print("total of {}: {}{}\n", output.output, limits, core::terminal::counted(output.n_seeds, "seed"));
  }
  for (const std::string& finding : fit.findings) show::print("finding: {}\n", finding);
}

int run_fit(const FitFlags& flags) {
  const bool exists = std::filesystem::exists(flags.policy);
  const bool is_file = exists && std::filesystem::is_regular_file(flags.policy);
  ir::require(flags.update || !is_file, flags.policy, ": the file exists and is not replaced; --update tightens it");
  const flags::Outputs outputs{.inputs = {flags.results.begin(), flags.results.end()}};
  const auto output = outputs.open(flags.policy, ir::files::FileKind::text);
  studies::fit::Provenance from{.options = flags.options, .at = policy::to_text(policy::today()), .commit = ""};
  std::vector<studies::fit::Sample> samples;
  std::uint64_t runs = 0;
  bool is_cut_off = false;
  for (const std::string& file : flags.results) {
    studies::fit::Samples read = studies::fit::read_samples(file, runs, flags.allow_planted);
    runs += read.runs;
    if (read.cut_off) {
      std::cerr << file << ": " << read.cut_off->text << '\n';
      is_cut_off = true;
    }
    if (from.commit.empty()) from.commit = read.commit;
    samples.insert(samples.end(), read.samples.begin(), read.samples.end());
  }
  const studies::fit::Fit fitted = studies::fit::fit(samples, flags.options);
  runs -= fitted.repeats;
  say(fitted);
  const bool has_limits = !fitted.rules.empty() || !fitted.outputs.empty();
  const bool is_tight = fitted.at_bound > 0 && fitted.findings.empty();  // then the bound is the policy
  if (has_limits && is_file) {
    const auto made = studies::fit::updated_policy(policy::read(flags.policy), fitted, from, flags.allow_loosen);
    for (const std::string& note : made.notes) std::cerr << note << '\n';
    flags::write_whole(output, made.text);
  } else if (has_limits || (is_tight && !is_file)) {
    flags::write_whole(output, studies::fit::policy_text(fitted, from));
  }
  if (!has_limits && !is_tight && fitted.findings.empty())
    ir::fail("nothing to fit in ", core::terminal::counted(runs, "run"));
  std::cout << core::terminal::counted(runs, "run") << ", " << core::terminal::counted(fitted.rules.size(), "rule")
            << ", " << core::terminal::counted(fitted.outputs.size(), "total") << ", "
            << core::terminal::counted(fitted.findings.size(), "finding") << '\n';
  if (!fitted.findings.empty()) return static_cast<int>(core::ExitCode::failed);
  if (!is_cut_off) return static_cast<int>(core::ExitCode::passed);
  std::cerr << "fitted to fewer runs than there were to be; exit code 4\n";
  return static_cast<int>(core::ExitCode::mistrusted);
}

}  // namespace

Action fit(CLI::App& app) {
  const auto flags = std::make_shared<FitFlags>();
  app.add_option("results", flags->results, "results files (HDF5) of plumb verify --seeds")->required();
  flags::add_output(app, "-o,--output", flags->policy, "the policy (TOML, docs/fit.md) to write")->required();
  app.add_option("--false-alarm", flags->options.false_alarm_per_run,
                 "probability that a clean run fails by any of the fitted limits")
      ->check(flags::from_to(1e-12, 0.5))
      ->capture_default_str();
  app.add_option("--confidence", flags->options.confidence, "confidence that the limits are high enough for that")
      ->check(flags::from_to(0.5, 0.999))
      ->capture_default_str();
  app.add_flag("--allow-planted", flags->allow_planted, "take runs with faults that verify --plant planted, too");
  auto* const update = app.add_flag("--update", flags->update, "tighten a policy that exists, leaving its other rules");
  app.add_option("--allow-loosen", flags->allow_loosen, "let limits become looser, for this reason")->needs(update);
  return [flags] { return run_fit(*flags); };
}

}  // namespace plumb::parity::cli
