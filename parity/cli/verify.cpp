// `plumb verify`: flags, device, policy and profile; runs every graph and seed, and reports, records and judges.
#include "parity/verify/verify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <regex>

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/demand_flags.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/graph_paths.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/whole_number.hpp"
#include "parity/cli/reference.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/core/parallel.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/profile/emulated_node.hpp"
#include "parity/profile/profile_file.hpp"
#include "parity/report/junit.hpp"
#include "parity/report/report.hpp"
#include "parity/report/seed_summary.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/verify/compile_once.hpp"

namespace plumb::parity::cli {
namespace {

struct VerifyFlags {
  std::vector<std::string> paths;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
  std::string filter, json, junit, results, tensors = "never", policy, explain, profile, emulate, fill = "graph";
  std::string mode = "attribute";
  unsigned repeat = 1;
  std::optional<std::size_t> blame;
  std::uint64_t seeds = 1;
  std::vector<double> min_verified;
  expected::Options expected;
  core::Demands demands;
  bool metamorphic = false, no_plain = false, fail_fast = false, verbose = false, quiet = false, force = false;
};

void add_profile_flags(CLI::App& app, VerifyFlags& flags) {
  auto* const profile =
      app.add_option("--profile", flags.profile, "device profile that `plumb probe` wrote: how the device rounds");
  app.add_option("--emulate", flags.emulate,
                 "replay matrix products as this profile says, and report how far the device is from them")
      ->excludes(profile)
      ->type_name("PROFILE");
}

void add_output_flags(CLI::App& app, VerifyFlags& flags) {
  flags::add_output(app, "-o,--output", flags.results, "write all cases to this results file (HDF5)")->group("output");
  app.add_option("--tensors", flags.tensors,
                 "for which nodes the results file keeps tensors: none, those that failed, ...")
      ->check(CLI::IsMember({"never", "fail", "worst", "all"}))
      ->capture_default_str()
      ->group("output");
  flags::add_output(app, "--json", flags.json, "write the report as JSON to this file, or - for stdout")
      ->group("output");
  flags::add_output(app, "--junit", flags.junit, "write the report as JUnit XML to this file, or - for stdout")
      ->group("output");
  flags::add_force_flag(app, flags.force);
  app.add_flag("-v,--verbose", flags.verbose, "print every node, and the plan of each graph")->group("output");
  app.add_flag("-q,--quiet", flags.quiet, "print only what did not pass, and the last line")->group("output");
}

void add_flags(CLI::App& app, VerifyFlags& flags) {
  app.add_option("graphs", flags.paths, "graph files (plumb.graph/1, ONNX), or folders of them")->required();
  app.add_option("--filter", flags.filter, "regular expression over labels of the nodes to judge")->group("select");
  app.add_option(
         "--mode", flags.mode,
         "judge each node's own error (attribute), its error in total (propagate), or that of a run of the node "
         "alone on the truth (isolate)")
      ->check(CLI::IsMember({"propagate", "isolate", "attribute"}))
      ->capture_default_str();
  app.add_option(
         "--blame", flags.blame,
         "measure which share of the results' errors the N most suspected nodes have (default: 4 of a case that fails)")
      ->check(flags::whole_number());
  app.add_option("--repeat", flags.repeat, "run the device this many times; all runs must agree in every bit")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app.add_option("--seeds", flags.seeds,
                 "run each graph on the inputs of this many seeds, from --seed on; params stay those of the first")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->capture_default_str()
      ->group("input");
  flags::add_demand_flags(app, flags.demands, flags.min_verified);
  app.add_flag("--no-plain-run", flags.no_plain,
               "do not also run the graph as it is compiled for its results alone, and compare bit by bit");
  auto* const policy = app.add_option("--policy", flags.policy, "judge by this policy (TOML, docs/policy.md)");
  app.add_option("--explain", flags.explain,
                 "say for these nodes (a glob) which rule decides, and why no other rule does")
      ->needs(policy);
  add_profile_flags(app, flags);
  app.add_option("--fill", flags.fill,
                 "exact: fill with whole numbers on which every order of evaluation gives the same bits; "
                 "adversarial[:NAME]: with numbers that are hard on sums and scores, of the kind NAME or of one kind "
                 "a seed (docs/fills.md)")
      ->capture_default_str()
      ->group("input");
  app.add_flag(
      "--metamorphic", flags.metamorphic,
      "also check relations that hold for any correct result: permuted rows, half the batch, operands times 4, ...");
  app.add_flag("--fail-fast", flags.fail_fast, "stop after the first case that does not pass");
  add_output_flags(app, flags);
  flags::add_graph_flags(app, flags.graph);
  flags::add_precision_flag(app, flags.graph);
  flags::add_expected_flags(app, flags.graph, flags.expected);
  flags::add_device_flags(app, flags.device);
}

core::Mode mode_of(const std::string& name) {
  for (const core::Mode mode : {core::Mode::propagate, core::Mode::isolate})
    if (ir::enum_name(mode) == name) return mode;
  return core::Mode::attribute;
}

/// What a repro line repeats of the flags.
std::string repeated_flags(const VerifyFlags& all, const verify::FillOptions& fill) {
  const flags::DeviceFlags& flags = all.device;
  const std::string& policy = all.policy;
  std::string text;
  if (fill.kind != core::FillKind::graph) text += " --fill " + all.fill;
  if (all.metamorphic) text += " --metamorphic";
  if (fill.param_seed) text += " --param-seed " + std::to_string(*fill.param_seed);
  if (!all.profile.empty()) text += " --profile '" + all.profile + "'";
  if (!all.emulate.empty()) text += " --emulate '" + all.emulate + "'";
  if (!policy.empty()) text += " --policy '" + policy + "'";
  if (!flags.device.empty()) text += " --device '" + flags.device + "'";
  if (flags.poison) text += " --poison";
  if (flags.redzone) text += " --redzone";
  if (flags.no_fuse) text += " --no-fuse";
  for (const std::string& setting : flags.settings) text += " --set '" + setting + "'";
  return text;
}

/// Runs the cases one after the other and says what came of each.
class VerifyRun {
 public:
  explicit VerifyRun(const VerifyFlags& flags);
  int run();

 private:
  void open_device();
  void open_policy();
  void open_profile();
  bool flushes_subnormals() const;
  void print_plan(const ir::Graph& graph);
  void report(const cases::CaseResult& result);
  bool run_graph(const std::string& path, verify::FillOptions fill, const cases::Executors& executors,
                 const verify::VerifyOptions& options, results::Recorder* recorder);
  core::Coverage min_verified() const;
  report::RunFacts facts() const;
  bool says_idle_budgets() const;
  bool says_idle_filter() const;
  flags::Outputs outputs_beside(const std::vector<std::string>& paths) const;
  std::unique_ptr<results::Recorder> open_record(const flags::Outputs& outputs) const;

  const VerifyFlags& flags_;
  std::ostream& out_;  ///< for people: stderr when stdout carries a report
  const core::ThreadLimit comparing_;
  ref_cpu::CpuExecutor reference_;
  std::unique_ptr<gpu_vulkan::VulkanExecutor> device_;
  std::string why_no_device_;
  std::optional<policy::Gate> gate_;
  profile::DeviceProfile profile_ = profile::safe_profile();
  std::vector<cases::CaseResult> results_;
};

VerifyRun::VerifyRun(const VerifyFlags& flags)
    : flags_(flags),
      out_(flags.json == "-" || flags.junit == "-" ? std::cerr : std::cout),
      comparing_(flags.device.threads),
      reference_(reference_executor(flags.device.threads)) {}

void VerifyRun::open_device() try {
  device_ = std::make_unique<gpu_vulkan::VulkanExecutor>(flags::vulkan_options(flags_.device));
} catch (const ir::Unsupported& reason) {
  why_no_device_ = reason.what();
}

void VerifyRun::open_policy() {
  if (flags_.policy.empty()) return;
  gate_ = policy::Gate{.policy = policy::read(flags_.policy), .today = policy::today(), .explain = flags_.explain};
  if (!device_) return;
  const auto& facts = device_->facts();
  gate_->device = policy::device_facts(facts.name, facts.driver_name, facts.driver_info);
  gate_->device.fill = flags_.fill.substr(0, flags_.fill.find(':'));
}

/// The profile, and a line that says which.
void VerifyRun::open_profile() {
  const std::string& path = flags_.emulate.empty() ? flags_.profile : flags_.emulate;
  if (path.empty()) {
    if (!flags_.quiet)
      out_ << "no device profile: assuming the most pessimistic matrix-unit accumulation; run `plumb probe` to measure "
              "it\n";
    return;
  }
  profile_ = profile::read_profile(path);
  if (gate_) gate_->device.device_profile = profile_.sha256();
  const std::string name = device_ ? device_->facts().name : profile_.name;
  const std::string other = name == profile_.name ? "" : ", which is not this device, " + name;
  if (!flags_.quiet)
    out_ << fmt::format("profile: {} of {} ({}){}\n", profile_.sha256().substr(0, 12), profile_.name, path, other);
}

/// Vulkan lets a device flush subnormals unless it promises to keep them, or the profile knows.
bool VerifyRun::flushes_subnormals() const {
  const profile::SubnormalHandling f32 = profile_.subnormals_of(ir::DType::f32);
  if (f32.in != profile::Subnormals::unknown && f32.out != profile::Subnormals::unknown)
    return f32.in == profile::Subnormals::flushed || f32.out == profile::Subnormals::flushed;
  return device_ && !device_->facts().denormals_kept_f32;
}

void VerifyRun::print_plan(const ir::Graph& graph) {
  const auto fused = device_->fused(graph, {graph.results(), true}, {});
  out_ << gpu_vulkan::plan::to_text(device_->plan(fused.graph, fused.capture), fused.graph) << '\n';
}

void VerifyRun::report(const cases::CaseResult& result) {
  const report::Detail detail = flags_.quiet     ? report::Detail::verdicts
                                : flags_.verbose ? report::Detail::all
                                                 : report::Detail::worst;
  for (const cases::NodeResult& node : result.nodes) out_ << node.explanation;
  const bool is_quiet = flags_.quiet || (flags_.seeds > 1 && !flags_.verbose);
  if (is_quiet && result.exit == core::ExitCode::passed) return;
  if (flags_.verbose && device_ && result.subject.file) print_plan(result.subject.file->graph);
  std::ostream& out = result.nodes.empty() && result.exit != core::ExitCode::passed ? std::cerr : out_;
  out << report::to_table(result, detail) << '\n' << std::flush;
}

/// What is written, and never over these graphs or what else is read.
flags::Outputs VerifyRun::outputs_beside(const std::vector<std::string>& paths) const {
  flags::Outputs outputs{.force = flags_.force, .inputs = flags::files_read(flags_.graph)};
  outputs.inputs.insert(outputs.inputs.end(), paths.begin(), paths.end());
  for (const std::string* const file : {&flags_.policy, &flags_.profile, &flags_.emulate})
    if (!file->empty()) outputs.inputs.emplace_back(*file);
  return outputs;
}

std::unique_ptr<results::Recorder> VerifyRun::open_record(const flags::Outputs& outputs) const {
  if (flags_.results.empty()) return nullptr;
  results::RecordOptions options;
  for (const results::KeepTensors keep : {results::KeepTensors::never, results::KeepTensors::fail,
                                          results::KeepTensors::worst, results::KeepTensors::all})
    if (ir::enum_name(keep) == flags_.tensors) options.tensors = keep;
  options.argv = show::command_line();
  options.replace_any = outputs.force;
  options.inputs = outputs.inputs;
  if (gate_) options.policy = gate_->policy.text;
  if (device_) options.device = show::describe(device_->facts());
  options.device.profile = profile::profile_attributes(profile_);
  options.environment = show::describe_host(flags_.device.threads);
  return std::make_unique<results::Recorder>(flags_.results, std::move(options));
}

core::Coverage VerifyRun::min_verified() const {
  if (flags_.min_verified.empty()) return flags_.demands.strict ? core::strict_coverage : core::usual_coverage;
  return {flags_.min_verified[0], flags_.min_verified[1]};
}

report::RunFacts VerifyRun::facts() const {
  report::RunFacts facts{.policy = flags_.policy, .profile = flags_.profile, .strict = flags_.demands.strict};
  if (device_) facts.device = device_->facts().name, facts.driver = device_->facts().driver_info;
  return facts;
}

/// Output budgets that name nothing in any graph: what they hold to a limit was misspelt.
bool VerifyRun::says_idle_budgets() const {
  std::vector<std::string> names;
  for (const cases::CaseResult& result : results_)
    for (const cases::NodeResult& node : result.nodes) names.push_back(node.name());
  const bool stopped = flags_.fail_fast && !results_.empty() && results_.back().exit != core::ExitCode::passed;
  if (!gate_ || names.empty() || stopped) return false;
  const auto findings = policy::idle_budgets(gate_->policy, names);
  for (const std::string& finding : findings) std::cerr << finding << '\n';
  return !findings.empty();
}

/// A filter that no node of any graph matches was misspelt.
bool VerifyRun::says_idle_filter() const {
  if (flags_.filter.empty()) return false;
  const std::regex filter(flags_.filter);
  bool has_nodes = false;
  for (const cases::CaseResult& result : results_) {
    if (!result.subject.file) continue;
    for (const ir::Node& node : result.subject.file->graph.nodes()) {
      has_nodes = true;
      if (std::regex_search(node.label, filter)) return false;
    }
  }
  if (has_nodes) std::cerr << "plumb: no node matches --filter '" << flags_.filter << "'\n";
  return has_nodes;
}

/// Every seed of one graph; false when the run is to stop.
bool VerifyRun::run_graph(const std::string& path, verify::FillOptions fill, const cases::Executors& executors,
                          const verify::VerifyOptions& options, results::Recorder* recorder) {
  report::SeedSummary summary;
  if (flags_.seeds > 1)  // seeds of one file are one line
    fill.read = [read = fill.read, kept = std::make_shared<std::optional<ir::formats::GraphFile>>()](const auto& file) {
      if (!*kept) *kept = read(file);
      return **kept;
    };
  for (std::uint64_t s = 0; s < flags_.seeds; ++s, ++fill.seed) {
    report::Progress progress;
    cases::Observers observers({&progress});
    if (recorder != nullptr) observers = cases::Observers({&progress, recorder});
    results_.push_back(verify::verify_file(path, fill, executors, options, observers));
    cases::CaseResult& result = results_.back();
    if (recorder != nullptr) recorder->record(result);
    report(result);
    summary.add(result);
    if (flags_.fail_fast && result.exit != core::ExitCode::passed) return false;
    // After thousands of seeds the summary is enough.
    if (s > 0 && flags_.json.empty() && flags_.junit.empty()) result.nodes = {};
  }
  if (flags_.seeds > 1) out_ << summary.text() << '\n';
  return true;
}

int VerifyRun::run() {
  const auto paths = flags::graph_paths(flags_.paths);
  const flags::Outputs outputs = outputs_beside(paths);
  ir::require(flags_.json != "-" || flags_.junit != "-", "--json and --junit cannot both be written to stdout");
  const auto json = outputs.open(flags_.json, ir::files::FileKind::json),
             junit = outputs.open(flags_.junit, ir::files::FileKind::xml);
  verify::FillOptions fill = flags::fill_options(flags_.graph);
  flags::read_fill(flags_.fill, fill);
  ir::require(fill.kind != core::FillKind::exact || flags_.seeds == 1,
              "--fill exact makes a graph of its own for each seed");
  ir::require(fill.kind != core::FillKind::exact || fill.precision.empty(),
              "--fill exact does not go with --precision");
  if (flags_.seeds > 1 && !fill.param_seed) fill.param_seed = fill.seed;
  open_device();
  open_policy();
  open_profile();
  std::optional<verify::CompileOnce> once;
  if (device_ && flags_.seeds > 1) once.emplace(*device_);
  ir::Executor* const candidate = once ? static_cast<ir::Executor*>(&*once) : device_.get();
  const cases::Executors executors{.reference = reference_,
                                   .candidate = candidate,
                                   .why_not = why_no_device_,
                                   .flushes_subnormals = flushes_subnormals(),
                                   .profile = &profile_};
  const verify::VerifyOptions options{.filter = flags_.filter,
                                      .repeat = flags_.repeat,
                                      .flags = repeated_flags(flags_, fill),
                                      .gate = gate_ ? &*gate_ : nullptr,
                                      .emulated = flags_.emulate.empty() ? nullptr : &profile_,
                                      .mode = mode_of(flags_.mode),
                                      .blame = flags_.blame,
                                      .min_verified = min_verified(),
                                      .plain = !flags_.no_plain,
                                      .expected = flags_.expected,
                                      .metamorphic = flags_.metamorphic};
  const auto recorder = open_record(outputs);
  for (const std::string& path : paths)
    if (!run_graph(path, fill, executors, options, recorder.get())) break;
  const auto is_explained = [](const cases::CaseResult& result) {
    return std::ranges::any_of(result.nodes, [](const cases::NodeResult& node) { return !node.explanation.empty(); });
  };
  if (!flags_.explain.empty() && std::ranges::none_of(results_, is_explained))
    out_ << "--explain '" << flags_.explain << "': no such node was compared\n";
  out_ << report::summary_line(results_) << '\n';
  if (json) flags::write_whole(json, report::to_json(results_));
  if (junit) flags::write_whole(junit, report::to_junit(report::suites_of(results_, facts())));
  if (recorder) {
    recorder->finish();
    std::cerr << "results: " << flags_.results << '\n';
  }
  const bool is_misspelt = says_idle_budgets() || says_idle_filter();
  return static_cast<int>(is_misspelt ? core::ExitCode::tool_error : verify::exit_code(results_, flags_.demands));
}

}  // namespace

Action verify(CLI::App& app) {
  const auto flags = std::make_shared<VerifyFlags>();
  add_flags(app, *flags);
  return [flags] { return VerifyRun(*flags).run(); };
}

}  // namespace plumb::parity::cli
