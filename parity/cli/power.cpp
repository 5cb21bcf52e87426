// `plumb power`: plants faults in every node and reports which of them the verdict catches.
#include "parity/power/power.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "ir/raw/glob.hpp"
#include "library/reference.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/node_choices.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/planting/plan_faults.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/terminal/style.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/power/faults/fault.hpp"
#include "parity/report/progress.hpp"

namespace plumb::parity::cli {
namespace {

struct PowerFlags {
  std::vector<std::string> paths;
  std::string on = "gpu", policy, json;
  power::Options power;
  std::optional<double> min_power, max_vacuity;  ///< else the policy's, else the usual
  bool list = false, plan = false, force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
  flags::CandidateFlags candidate;
};

void add_flags(CLI::App& app, PowerFlags& flags) {
  app.add_option("graphs", flags.paths, "graph files (plumb.graph/1, ONNX)");
  app.add_flag("--list", flags.list, "list every fault and what it does, then exit");
  app.add_option("--faults", flags.power.faults, "plant only these (a glob)")
      ->type_name("FAULTS")
      ->capture_default_str();
  app.add_option("--filter", flags.power.filter, "regular expression over labels of the nodes to plant faults in")
      ->type_name("LABELS");
  app.add_option("--policy", flags.policy, "judge by this policy (TOML, docs/policy.md)");
  app.add_option("--min-power", flags.min_power,
                 "share of the required faults that must be caught; else the policy's [budget] says it, else 0.90")
      ->check(flags::from_to(0, 1));
  app.add_option("--max-vacuity", flags.max_vacuity, "share of elements that may say nothing; likewise, else 0.30")
      ->check(flags::from_to(0, 1));
  app.add_flag("!--no-smallest", flags.power.smallest,
               "do not look for the smallest share of each fault that is caught, which takes most of the time");
  auto* const on = app.add_option("--on", flags.on, "which executor's results the faults are planted in")
                       ->check(flags::one_of({"cpu", "gpu"}))
                       ->capture_default_str();
  app.add_flag("--plan", flags.plan, "also break the GPU's plan of the whole graph: barriers, memory, uploads");
  flags::add_output(app, "--json", flags.json, "write the report as JSON to this file, or - for stdout");
  flags::add_force_flag(app, flags.force);
  flags::add_graph_flags(app, flags.graph);
  flags::add_device_flags(app, flags.device);
  flags::add_chosen_executor_flags(app, flags.candidate, on);
}

/// The executors, and what outlives them.
struct Bench {
  core::ThreadLimit comparing;
  ref_cpu::CpuExecutor reference;
  flags::ChosenExecutor on;
  std::optional<policy::Gate> gate;

  explicit Bench(const PowerFlags& flags)
      : comparing(flags.device.threads),
        reference(library::reference_executor(flags.device.threads)),
        on(flags::open_chosen(flags.on, flags.candidate, flags.device)) {
    if (flags.policy.empty()) return;
    gate = policy::Gate{.policy = policy::read(flags.policy), .today = policy::today()};
    if (on.device() == nullptr) return;
    const auto& facts = on.device()->facts();
    gate->device = policy::device_facts(facts.name, facts.driver_name, facts.driver_info);
  }

  policy::Budget budget() const { return gate ? gate->policy.budget : policy::Budget{}; }

  cases::Executors executors() {
    // The CPU executor is asked as the truth is, so that it runs every node by itself.
    if (on.spec == "cpu") return {.reference = reference, .candidate = &reference, .candidate_is_host = true};
    return on.beside(reference);
  }
};

/// A pattern that no fault's name matches was misspelt. Faults of the plan are planted with --plan alone.
void require_known_faults(const std::string& pattern, bool with_plan) {
  std::vector<std::string> names;
  for (const power::faults::Fault& fault : power::faults::all_faults()) names.emplace_back(fault.name);
  if (with_plan)
    for (std::string& name : plan_fault_names()) names.push_back(std::move(name));
  const bool is_known =
      std::ranges::any_of(names, [&](const std::string& name) { return ir::raw::glob_matches(pattern, name); });
  ir::require(is_known, "no fault matches --faults '", pattern, "'", core::did_you_mean(pattern, names),
              "; `plumb power --list` lists them");
}

void warn_of_expired_rules(const std::optional<policy::Gate>& gate) {
  if (!gate) return;
  for (const core::RunFinding& one : policy::expired_rules(gate->policy, gate->today)) std::cerr << one.text << '\n';
}

int run_power(const PowerFlags& flags) {
  if (flags.list) {
    constexpr std::size_t summaries_at = 27;
    show::print_lines(power::faults::fault_list() + plan_fault_list(), summaries_at);
    return 0;
  }
  ir::require(!flags.paths.empty(), "power needs a graph; `plumb power --list` lists the faults");
  ir::require(!flags.plan || (flags.on == "gpu" && flags.candidate.candidate.empty()),
              "--plan breaks the GPU's plan: it goes with --on gpu");
  flags::Outputs outputs{.force = flags.force, .inputs = flags::files_read(flags.graph)};
  outputs.inputs.insert(outputs.inputs.end(), flags.paths.begin(), flags.paths.end());
  const auto json = outputs.open(flags.json, ir::files::FileKind::json);
  require_known_faults(flags.power.faults, flags.plan);
  flags::NodeChoices choices;
  choices.add_labels(flags.power.filter, "--filter");
  choices.look_at(flags.paths, flags::node_reader(flags.graph.model));
  choices.require_met();
  Bench bench(flags);
  flags::require_computes(*bench.on.executor, bench.on.spec, "faults that keep a result ask for another");
  warn_of_expired_rules(bench.gate);
  power::Options options = flags.power;
  options.gate = bench.gate ? &*bench.gate : nullptr;
  options.max_vacuity = flags.max_vacuity.value_or(bench.budget().max_vacuity.value_or(options.max_vacuity));
  const double min_power = flags.min_power.value_or(bench.budget().min_power.value_or(0.90));
  const bool is_on_stdout = flags.json == "-";
  std::ostream& out = is_on_stdout ? std::cerr : std::cout;
  const auto style =
      core::terminal::style_of({}, core::terminal::surroundings_of(is_on_stdout ? STDERR_FILENO : STDOUT_FILENO));
  std::vector<power::Result> results;
  std::vector<core::ExitCode> ends;
  for (const std::string& path : flags.paths) {
    report::Progress progress;
    const cases::Case subject = verify::load_case(path, flags::fill_options(flags.graph, flags.candidate));
    results.push_back(power::measure(subject, bench.executors(), options, progress));
    if (flags.plan)
      results.back().nodes.push_back(
          break_plans(subject, bench.executors(), flags::vulkan_options(flags.device), options));
    const power::Result& result = results.back();
    progress.erase();
    const std::string text = power::fault_table(result) + '\n' + power::to_table(result);
    out << core::terminal::fitted(core::terminal::printable(text), style.width);
    const double score = result.score();
    const bool nothing = std::isnan(score);
    ends.push_back(nothing              ? core::ExitCode::nothing_ran
                   : score >= min_power ? core::ExitCode::passed
                                        : core::ExitCode::failed);
  }
  flags::write_whole(json, power::to_json(results, min_power));
  return static_cast<int>(core::overall(std::span<const core::ExitCode>(ends)));
}

}  // namespace

Action power(CLI::App& app) {
  const auto flags = std::make_shared<PowerFlags>();
  add_flags(app, *flags);
  return [flags] { return run_power(*flags); };
}

}  // namespace plumb::parity::cli
