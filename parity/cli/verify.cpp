// `plumb verify`: flags, device, policy and profile; runs every graph and seed, and reports, records and judges.
#include "parity/verify/verify.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/files/read_file.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/graph_paths.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/verify_flags.hpp"
#include "parity/cli/other_kernels.hpp"
#include "parity/cli/reference.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/regular_expression.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/profile/emulated_node.hpp"
#include "parity/profile/profile_file.hpp"
#include "parity/report/counts.hpp"
#include "parity/report/github.hpp"
#include "parity/report/junit.hpp"
#include "parity/report/progress.hpp"
#include "parity/report/report.hpp"
#include "parity/report/seed_summary.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/terminal/text.hpp"
#include "parity/verify/compile_once.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::uint64_t most_profile_bytes = 1 << 20;

/// Runs the cases one after the other and says what came of each.
class VerifyRun {
 public:
  explicit VerifyRun(const flags::VerifyFlags& flags);
  int run();

 private:
  void open_device();
  void open_policy();
  void open_profile();
  bool flushes_subnormals() const;
  void print_plan(const ir::Graph& graph);
  report::Detail detail() const;
  void report(const cases::CaseResult& result, report::Times times);
  bool run_graph(const std::string& path, verify::FillOptions fill, const cases::Executors& executors,
                 const verify::VerifyOptions& options, results::Recorder* recorder);
  verify::FillOptions fill_options(const std::vector<std::string>& paths) const;
  bool run_by_each_kernel(const std::string& path, const verify::FillOptions& fill, const cases::Executors& executors,
                          const verify::VerifyOptions& options, results::Recorder* recorder);
  core::Coverage min_verified() const;
  report::RunFacts facts() const;
  void tell_github() const;
  bool says_idle_budgets() const;
  flags::Outputs outputs_beside(const std::vector<std::string>& paths) const;
  std::unique_ptr<results::Recorder> open_record(const flags::Outputs& outputs) const;

  const flags::VerifyFlags& flags_;
  std::ostream& out_;  ///< for people: stderr when stdout carries a report
  const terminal::Style style_;
  const core::ThreadLimit comparing_;
  ref_cpu::CpuExecutor reference_;
  gpu_vulkan::device::VulkanOptions options_;  ///< those that a repro line repeats
  cases::RunSettings settings_;
  std::unique_ptr<gpu_vulkan::VulkanExecutor> device_;
  std::string why_no_device_;
  std::optional<policy::Gate> gate_;
  profile::DeviceProfile profile_ = profile::safe_profile();
  std::vector<cases::CaseResult> results_;
  report::Counts counts_;
};

bool is_on_stdout(const flags::VerifyFlags& flags) {
  return flags.json == "-" || flags.junit == "-" || flags.counts == "-";
}

VerifyRun::VerifyRun(const flags::VerifyFlags& flags)
    : flags_(flags),
      out_(is_on_stdout(flags) ? std::cerr : std::cout),
      style_(terminal::style_of(flags.style,
                                terminal::surroundings_of(is_on_stdout(flags) ? STDERR_FILENO : STDOUT_FILENO))),
      comparing_(flags.device.threads),
      reference_(reference_executor(flags.device.threads)) {}

void VerifyRun::open_device() try {
  options_ = flags::vulkan_options(flags_.device);
  settings_ = flags::run_settings(options_);
  device_ = std::make_unique<gpu_vulkan::VulkanExecutor>(options_);
  options_ = flags::options_to_repeat(*device_);
  settings_.calibration = flags::calibration_of(*device_);
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
      out_ << terminal::folded(
          "no device profile: assuming the most pessimistic matrix-unit accumulation; run "
          "`plumb probe` to measure it\n",
          style_.width);
    return;
  }
  profile_ = profile::read_profile(path);
  settings_.profile = profile_.sha256();
  settings_.profile_text = std::make_shared<const std::string>(ir::files::read_text(path, most_profile_bytes));
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

report::Detail VerifyRun::detail() const {
  return flags_.quiet ? report::Detail::verdicts : flags_.verbose ? report::Detail::all : report::Detail::worst;
}

void VerifyRun::report(const cases::CaseResult& result, report::Times times) {
  for (const cases::NodeResult& node : result.nodes)
    out_ << terminal::fitted(terminal::printable(node.explanation), style_.width);
  const bool is_quiet = flags_.quiet || (flags_.seeds > 1 && !flags_.verbose);
  if (is_quiet && result.exit == core::ExitCode::passed) return;
  if (flags_.verbose && device_ && result.subject.file) print_plan(result.subject.file->graph);
  std::ostream& out = result.nodes.empty() && result.exit != core::ExitCode::passed ? std::cerr : out_;
  out << report::to_table(result, detail(), style_, times) << '\n' << std::flush;
}

/// What is written, and never over these graphs or what else is read.
flags::Outputs VerifyRun::outputs_beside(const std::vector<std::string>& paths) const {
  flags::Outputs outputs{.force = flags_.force, .inputs = flags::files_read(flags_.graph)};
  outputs.inputs.insert(outputs.inputs.end(), paths.begin(), paths.end());
  // Without --force no file of tensors is replaced by a record.
  if (flags_.force)
    for (const std::string& path : paths)
      for (auto& file : flags::tensors_read(path)) outputs.inputs.push_back(std::move(file));
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
  options.replace_any = outputs.force, options.keeps_inputs = !flags_.no_inputs;
  options.inputs = outputs.inputs;
  if (gate_) options.policy = gate_->policy.text;
  options.policy_file = flags_.policy, options.profile_file = flags_.profile;
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
  if (gate_) facts.rules_ending = policy::rules_ending(gate_->policy, gate_->today);
  return facts;
}

/// Commands of GitHub's are obeyed again, and there are ours.
void VerifyRun::tell_github() const {
  report::resume_workflow_commands();
  const report::Workflow workflow = report::workflow_of_environment();
  const auto suites = report::suites_of(results_, facts());
  out_ << report::to_annotations(suites, workflow.workspace) << std::flush;
  if (!workflow.summary.empty()) report::append_summary(workflow.summary, suites, facts());
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

/// Every seed of one graph; false when the run is to stop.
bool VerifyRun::run_graph(const std::string& path, verify::FillOptions fill, const cases::Executors& executors,
                          const verify::VerifyOptions& options, results::Recorder* recorder) {
  report::SeedSummary summary;
  if (flags_.seeds > 1) flags::read_once(fill);
  for (std::uint64_t s = 0; s < flags_.seeds; ++s, ++fill.seed) {
    report::Progress progress;
    cases::Observers observers({&progress});
    if (recorder != nullptr) observers = cases::Observers({&progress, recorder});
    results_.push_back(verify::verify_file(path, fill, executors, options, observers));
    progress.erase();
    cases::CaseResult& result = results_.back();
    if (recorder != nullptr) recorder->record(result);
    // With isolate every node is compiled again for each seed.
    const bool is_first = flags_.repeat == 1 && (s == 0 || flags_.mode == "isolate");
    report(result, is_first ? report::Times::of_first_run : report::Times::of_later_run);
    summary.add(result);
    if (!flags_.counts.empty() || flags_.each_kernel) counts_.add(result);
    if (flags_.fail_fast && result.exit != core::ExitCode::passed) return false;
    if (!result.subject.file) return true;  // what cannot be read is no other with another seed
    // After thousands of seeds the summary is enough.
    if (s > 0 && flags_.json.empty() && flags_.junit.empty() && !flags_.github) result.nodes = {}, result.identity = {};
  }
  if (flags_.seeds > 1) out_ << summary.text(detail(), style_) << '\n';
  return true;
}

/// What these graphs are made of and fed, where the flags go together.
verify::FillOptions VerifyRun::fill_options(const std::vector<std::string>& paths) const {
  flags::GraphFlags graph = flags_.graph;
  graph.model.are_for_several = paths.size() > 1;
  if (graph.model.are_for_several) flags::require_known_shapes(paths, graph.model);
  verify::FillOptions fill = flags::fill_options(graph);
  flags::read_fill(flags_.fill, fill);
  ir::require(fill.kind != core::FillKind::exact || flags_.seeds == 1,
              "--fill exact makes a graph of its own for each seed");
  ir::require(fill.kind != core::FillKind::exact || fill.precision.empty(),
              "--fill exact does not go with --precision");
  if (flags_.seeds > 1 && !fill.param_seed) fill.param_seed = fill.seed;
  return fill;
}

/// Every seed of one graph, by the best kernel and tile of every node, then by those that come after it.
bool VerifyRun::run_by_each_kernel(const std::string& path, const verify::FillOptions& fill,
                                   const cases::Executors& executors, const verify::VerifyOptions& options,
                                   results::Recorder* recorder) {
  const std::size_t first = results_.size();
  if (!run_graph(path, fill, executors, options, recorder)) return false;
  const auto file = results_.at(first).subject.file;
  if (!device_ || !file) return true;
  for (std::int64_t i = 1;; ++i) {
    OtherKernels device(*device_, i);
    if (!device.differ_in(file->graph)) return true;
    const std::string setting = fmt::format(" --set alternative={}", i);
    if (!flags_.quiet) out_ << fmt::format("{} by other kernels:{}\n", path, setting);
    cases::Executors by = executors;
    by.candidate = &device;
    verify::VerifyOptions of_these = options;
    of_these.flags += setting, of_these.settings.alternative = i;
    if (!run_graph(path, fill, by, of_these, recorder)) return false;
  }
}

int VerifyRun::run() {
  if (flags_.github) report::stop_workflow_commands(out_);
  const auto paths = flags::graph_paths(flags_.paths);
  const flags::Outputs outputs = outputs_beside(paths);
  const auto on_stdout = {flags_.json == "-", flags_.junit == "-", flags_.counts == "-"};
  ir::require(std::ranges::count(on_stdout, true) < 2,
              "only one of --json, --junit and --counts can be written to stdout");
  const auto json = outputs.open(flags_.json, ir::files::FileKind::json),
             counts = outputs.open(flags_.counts, ir::files::FileKind::json),
             junit = outputs.open(flags_.junit, ir::files::FileKind::xml);
  if (!flags_.filter.empty()) flags::require_some_match(paths, flags_.graph.model, flags_.filter);
  const verify::FillOptions fill = fill_options(paths);
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
                                      .settings = settings_,
                                      .flags = flags::repeated_flags(flags_, fill, options_),
                                      .gate = gate_ ? &*gate_ : nullptr,
                                      .emulated = flags_.emulate.empty() ? nullptr : &profile_,
                                      .mode = flags::mode_of(flags_.mode),
                                      .blame = flags_.blame,
                                      .min_verified = min_verified(),
                                      .plain = !flags_.no_plain,
                                      .expected = flags_.expected,
                                      .metamorphic = flags_.metamorphic};
  const auto recorder = open_record(outputs);
  for (const std::string& path : paths)
    if (!(flags_.each_kernel ? run_by_each_kernel(path, fill, executors, options, recorder.get())
                             : run_graph(path, fill, executors, options, recorder.get())))
      break;
  const auto has_text = [](const cases::NodeResult& node) { return !node.explanation.empty(); };
  const auto is_explained = [&](const cases::CaseResult& one) { return std::ranges::any_of(one.nodes, has_text); };
  if (!flags_.explain.empty() && std::ranges::none_of(results_, is_explained))
    out_ << "--explain '" << flags_.explain << "': no such node was compared\n";
  if (flags_.each_kernel) out_ << counts_.kernels() << '\n';
  out_ << report::summary_line(results_) << '\n';
  if (json) flags::write_whole(json, report::to_json(results_));
  if (counts) flags::write_whole(counts, counts_.to_json());
  if (junit) flags::write_whole(junit, report::to_junit(report::suites_of(results_, facts())));
  if (recorder) {
    recorder->finish();
    std::cerr << "results: " << flags_.results << '\n';
  }
  const bool is_misspelt = says_idle_budgets();
  if (flags_.github) tell_github();
  if (is_misspelt) return static_cast<int>(core::ExitCode::tool_error);
  const auto ends = verify::ends_of(results_);
  std::cerr << core::unmet(ends, flags_.demands);
  return static_cast<int>(core::exit_code(ends, flags_.demands));
}

}  // namespace

Action verify(CLI::App& app) {
  const auto flags = std::make_shared<flags::VerifyFlags>();
  flags::add_verify_flags(app, *flags);
  app.footer(
      "columns (docs/glossary.md): error: the largest absolute error, on the inputs that the node had on the device; "
      "ratio: the largest error over its limit, above 1 fails; ulp: the largest error in units of the last place; "
      "allowed: the limit of the element with that ratio, which need not be the one with the largest error; inherited: "
      "what its inputs had wrong; amp: by how much it enlarged that; place: where it ran; us: microseconds on the "
      "device, 1st us of a first run, in which a driver may still compile");
  return [flags] { return VerifyRun(*flags).run(); };
}

}  // namespace plumb::parity::cli
