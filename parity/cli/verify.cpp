// `plumb verify`: flags, device, policy and profile; runs every graph and seed, and reports, records and judges.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "ir/files/interruption.hpp"
#include "ir/files/read_file.hpp"
#include "library/describe.hpp"
#include "library/reference.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/probing/kept_profile.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/cli/verifying/case_tags.hpp"
#include "parity/cli/verifying/resumed_options.hpp"
#include "parity/cli/verifying/selection.hpp"
#include "parity/cli/verifying/verify_run.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/profile/emulated_node.hpp"
#include "parity/report/github.hpp"
#include "parity/results/history.hpp"
#include "parity/results/idle_quarantines.hpp"

namespace plumb::parity::cli {
namespace {

constexpr std::uint64_t most_profile_bytes = 1 << 20;

bool is_on_stdout(const flags::VerifyFlags& flags) {
  const auto names = {flags.json, flags.junit, flags.counts, flags.markdown, flags.html};
  return std::ranges::count(names, "-") > 0;
}

}  // namespace

VerifyRun::VerifyRun(const flags::VerifyFlags& flags, std::optional<ChildCase> child)
    : flags_(flags),
      out_(is_on_stdout(flags) ? std::cerr : std::cout),
      style_(core::terminal::style_of(
          flags.style, core::terminal::surroundings_of(is_on_stdout(flags) ? STDERR_FILENO : STDOUT_FILENO))),
      comparing_(flags.device.threads),
      reference_(library::reference_executor(flags.device.threads)),
      memory_(flags::open_budget(flags.memory)),
      child_(std::move(child)),
      passed_over_(child_ ? child_->passed_over : 0) {}

void VerifyRun::require_candidates() const {
  flags::require_candidates(flags_.candidates);
  const bool are_several = flags_.candidates.size() > 1;
  ir::require(!are_several || !flags_.each_kernel, "--each-kernel judges our device alone, and --candidate names ",
              flags_.candidates.size());
  ir::require(!are_several || flags_.emulate.empty(), "--emulate is about our device alone, and --candidate names ",
              flags_.candidates.size());
  ir::require(are_several || flags_.between == "report",
              "--between exact compares several candidates, and one is named");
}

void VerifyRun::open_candidates() {
  for (const std::string& spec : flags_.candidates)
    candidates_.push_back(std::make_unique<VerifyCandidate>(flags_, spec));
}

gpu_vulkan::VulkanExecutor* VerifyRun::first_device() const {
  for (const auto& one : candidates_)
    if (one->device() != nullptr) return one->device();
  return nullptr;
}

/// Feeds a batch what a dump was fed, where nothing else says what that is.
void VerifyRun::feed_as_candidate(Batch& batch) const {
  const auto found = std::ranges::find_if(candidates_, [](const auto& one) { return bool(one->inputs()); });
  if (found == candidates_.end()) return;
  const VerifyCandidate& dump = **found;
  flags::feed_by_dump(dump.inputs(), dump.settings().candidate, batch.flags.graph.has_seed, batch.fill);
}

/// The policy and, by the history, the quarantines of it that excuse nothing any more.
void VerifyRun::open_policy(Batch& batch) {
  const flags::VerifyFlags& flags = batch.flags;
  if (flags.policy.empty()) return;
  batch.gate =
      policy::Gate{.policy = policy::read(flags.policy), .today = flags::day_of(flags.today), .explain = flags.explain};
  if (flags.history.empty() || batch.gate->policy.quarantines.empty()) return;
  const auto runs = results::history_of(flags.history, batch.gate->policy, batch.gate->today);
  for (const std::string& text : results::wear_out(batch.gate->policy, runs))
    if (std::ranges::count(worn_out_, text) == 0) worn_out_.push_back(text);
}

/// The profile, and a line that says which.
void VerifyRun::open_profile() {
  std::string path = flags_.emulate.empty() ? flags_.profile : flags_.emulate;
  if (flags_.profile == "auto") {
    ir::require(candidates_.size() == 1, "--profile auto is the profile of one candidate, and ", candidates_.size(),
                " are judged");
    path = kept_profile(*candidates_.front(), flags_.candidates.front(), reference_).string();
  }
  if (path.empty()) {
    for (const auto& one : candidates_)
      if (const std::string line = one->assumptions(); says_once() && !line.empty())
        out_ << core::terminal::folded(line + '\n', style_.width);
    return;
  }
  profile_ = profile::read_profile(path);
  const auto text = std::make_shared<const std::string>(ir::files::read_text(path, most_profile_bytes));
  for (const auto& one : candidates_) one->set_profile(profile_.sha256(), text);
  const gpu_vulkan::VulkanExecutor* const device = first_device();
  const std::string name = device != nullptr ? device->facts().name : profile_.name;
  const std::string other = name == profile_.name ? "" : ", which is not this device, " + name;
  if (says_once())
    out_ << fmt::format("profile: {} of {} ({}){}\n", profile_.sha256().substr(0, 12), profile_.name, path, other);
}

/// The outputs of the run, which never replace a file that it reads.
flags::Outputs VerifyRun::outputs_beside() const {
  flags::Outputs outputs{.force = flags_.force};
  const auto add = [&](const auto& files) { outputs.inputs.insert(outputs.inputs.end(), files.begin(), files.end()); };
  std::ranges::copy_if(flags_.paths, std::back_inserter(outputs.inputs), is_list);
  for (const std::string* const file : {&flags_.profile, &flags_.emulate, &flags_.times})
    if (!file->empty()) outputs.inputs.emplace_back(*file);
  for (const Batch& batch : batches_) {
    add(flags::files_read(batch.flags.graph));
    for (const std::string& spec : flags_.candidates) add(library::files_read(spec, flags_.candidate.options));
    add(batch.paths);
    if (!batch.flags.policy.empty()) outputs.inputs.emplace_back(batch.flags.policy);
    // Without --force no file of tensors is replaced by a record.
    if (flags_.force)
      for (const std::string& path : batch.paths) add(flags::tensors_read(path));
  }
  return outputs;
}

std::unique_ptr<results::Recorder> VerifyRun::open_record(const flags::Outputs& outputs) const {
  if (flags_.results.empty()) return nullptr;
  results::RecordOptions options;
  options.tensors = ir::enum_value<results::KeepTensors>(flags_.tensors).value();
  options.rows = ir::enum_value<results::KeepRows>(flags_.rows).value();
  options.argv = show::command_line();
  options.resume = flags_.resume;
  options.may_resume = [this](results::Resumption& earlier) {
    require_equal_options(earlier, show::command_line());
    require_same_files(earlier, batches_);
  };
  options.knows_device = flags_.jobs.empty();
  if (child_ && std::filesystem::exists(earlier_of(flags_.child))) options.earlier = earlier_of(flags_.child);
  options.replace_any = outputs.force;
  options.keeps_inputs = !flags_.no_inputs;
  options.inputs = outputs.inputs;
  options.planned = planned_;
  options.shard = shard_;
  options.partition = partition_;
  options.profile_file = flags_.profile;
  if (const auto* const device = first_device()) options.device = library::describe(device->facts());
  options.device.profile = profile::profile_attributes(profile_);
  options.environment = library::describe_host(flags_.device.threads);
  return std::make_unique<results::Recorder>(flags_.results, std::move(options));
}

core::Coverage VerifyRun::min_verified() const {
  if (flags_.min_verified.empty()) return flags_.demands.strict ? core::strict_coverage : core::usual_coverage;
  return {flags_.min_verified[0], flags_.min_verified[1]};
}

report::RunFacts VerifyRun::facts(core::Outcome outcome) const {
  if (facts_of_jobs_) {
    report::RunFacts known = *facts_of_jobs_;
    known.outcome = std::move(outcome);
    return known;
  }
  report::RunFacts facts{.profile = flags_.profile, .outcome = std::move(outcome)};
  if (const auto* const device = first_device()) {
    facts.device = device->facts().name;
    facts.driver = device->facts().driver_info;
  }
  return facts;
}

/// The gates of these batches, each policy once.
std::map<std::string, const policy::Gate*> VerifyRun::gates() const {
  std::map<std::string, const policy::Gate*> gates;
  for (const Batch& batch : batches_)
    if (batch.gate) gates.try_emplace(batch.gate->policy.file, &*batch.gate);
  return gates;
}

std::vector<core::RunFinding> VerifyRun::expired_rules() const {
  std::vector<core::RunFinding> findings;
  for (const auto& [file, gate] : gates())
    for (core::RunFinding& one : policy::expired_rules(gate->policy, gate->today)) findings.push_back(std::move(one));
  return findings;
}

/// Results that --between exact does not allow to differ.
std::optional<core::RunFinding> VerifyRun::differing_pairs() const {
  if (flags_.between != "exact") return std::nullopt;
  const auto differs = [](const cases::PairResult& pair) { return pair.differing != 0; };
  const auto first = std::ranges::find_if(pairs_, differs);
  if (first == pairs_.end()) return std::nullopt;
  return core::RunFinding{
      .kind = "candidates_differ",
      .text = fmt::format("candidates differ in {} of {} results, under --between exact: {} and {} in {} of {} ({})",
                          std::ranges::count_if(pairs_, differs), pairs_.size(), first->first, first->second,
                          core::terminal::counted(first->differing, "element"), first->value, first->graph),
      .usual = core::ExitCode::failed,
      .strict = core::ExitCode::failed};
}

/// Parts of the policies that match nothing: rules that have expired, and output budgets that name nothing in any graph
/// that they judged, since they were misspelt.
std::vector<core::RunFinding> VerifyRun::findings() const {
  std::vector<core::RunFinding> findings = expired_rules();
  for (const std::string& text : worn_out_) findings.push_back({.kind = "worn_out_quarantine", .text = text});
  if (auto one = differing_pairs()) findings.push_back(std::move(*one));
  std::vector<std::string> retried;
  for (const cases::CaseResult& result : results_)
    if (!result.attempts.empty()) retried.push_back(cases::identity_of(result).id());
  if (!retried.empty()) findings.push_back(core::tried_again(retried));
  if (over_budget_ != 0)
    findings.push_back({.kind = "budget",
                        .text = fmt::format("skipped: --budget {} had no time for {}", flags_.budget,
                                            core::terminal::counted(over_budget_, "case"))});
  const bool stopped = flags_.fail_fast && !results_.empty() && core::is_failure(results_.back().exit);
  if (stopped) return findings;
  for (const auto& [file, gate] : gates()) {
    std::vector<std::string> names;
    for (const cases::CaseResult& result : results_)
      if (result.judged_by.file == file)
        for (const cases::NodeResult& node : result.nodes) names.push_back(node.name());
    if (names.empty()) continue;
    for (core::RunFinding& idle : policy::as_findings(policy::idle_budgets(gate->policy, names)))
      findings.push_back(std::move(idle));
  }
  return findings;
}

/// Writes the reports of what was done, which say that it is not all, and is what is to be said of it: on the thread
/// that waits for signals, nothing else being recorded, or after what is no error of a case.
std::string VerifyRun::cut_off(VerifyReports& reports, const std::string& problem) {
  std::vector<core::RunFinding> findings = {core::cut_off(results_.size(), planned_)};
  const std::string text = findings.front().text;
  for (core::RunFinding& one : expired_rules()) findings.push_back(std::move(one));
  if (!problem.empty())
    findings.push_back(
        {.kind = "error", .text = problem, .usual = core::ExitCode::tool_error, .strict = core::ExitCode::tool_error});
  reports.write_cut_off(results_, facts(core::outcome_of(ends_, flags_.demands, std::move(findings))));
  return text;
}

verify::VerifyOptions VerifyRun::options(const Batch& batch, const VerifyCandidate& candidate,
                                         const policy::Gate* gate) const {
  const flags::VerifyFlags& flags = batch.flags;
  return {.filter = flags::node_filter(flags),
          .repeat = flags.repeat,
          .settings = candidate.settings(),
          .flags = candidate.repeated_flags(flags, batch.fill),
          .gate = gate,
          .emulated = flags.emulate.empty() ? nullptr : &profile_,
          .mode = flags::mode_of(flags.mode),
          .blame = flags.blame,
          .min_verified = min_verified(),
          .maps = flags::kept_maps(flags_),
          .plain = !flags.no_plain,
          .expected = flags.expected,
          .metamorphic = flags.metamorphic,
          .memory = memory_};
}

/// Reports of what was done before an error that is no case's, a full disk, say, which may be in their way, too.
void VerifyRun::leave_reports(VerifyReports& reports, const std::string& problem) try {
  const ir::files::Uninterrupted whole;
  std::cerr << cut_off(reports, problem) << '\n';
} catch (const ir::Error& other) {
  std::cerr << other.what() << '\n';
}

/// Prints the lines on all cases together.
void VerifyRun::print_end() const {
  const auto has_text = [](const cases::NodeResult& node) { return !node.explanation.empty(); };
  const auto is_explained = [&](const cases::CaseResult& one) { return std::ranges::any_of(one.nodes, has_text); };
  if (!flags_.explain.empty() && std::ranges::none_of(results_, is_explained))
    out_ << "--explain '" << flags_.explain << "': no such node was compared\n";
  if (flags_.each_kernel) out_ << counts_.kernels() << '\n';
  if (memory_ && flags_.jobs.empty()) out_ << flags::said_of(*memory_) << '\n';
  out_ << report::summary_line(results_) << '\n';
}

/// Flags that do not go together, whatever the cases.
void VerifyRun::require_sense() const {
  flags::kept_maps(flags_);
  ir::require(!flags_.resume || !flags_.results.empty(),
              "--resume goes on with what -o was writing, and -o is not said");
  ir::require(!flags_.resume || flags_.candidates.size() == 1, "--resume goes on with runs of one candidate, and ",
              flags_.candidates.size(), " are judged");
  ir::require(flags_.jobs.empty() || flags_.explain.empty(),
              "--explain is answered by one process for all cases, and --jobs has one for each");
}

/// Whether this process says what is said once of all cases.
bool VerifyRun::says_once() const { return !flags_.quiet && (!child_ || child_->is_first); }

/// Finds the cases of the command line, or the one that this process is for.
void VerifyRun::choose() {
  batches_ = batches_of(flags_);
  if (child_) return keep_case_of_child();
  choose_cases(flags_, batches_);
  choose_tags(flags_, batches_);
  require_chosen_nodes(flags_, batches_);
}

int VerifyRun::run() {
  require_sense();
  if (flags_.github) report::stop_workflow_commands(out_);
  choose();
  if (flags_.list) return list();
  if (!child_) take_share();
  take_budget();
  if (!flags_.each_kernel) planned_ = 0;
  for (const Batch& batch : batches_)
    if (planned_) *planned_ += batch.paths.size() * batch.runs();
  const flags::Outputs outputs = outputs_beside();
  VerifyReports reports(flags_, outputs, out_);
  require_candidates();
  if (!batches_.empty() && flags_.jobs.empty()) {
    open_candidates();
    open_profile();
  }
  for (Batch& batch : batches_) {
    feed_as_candidate(batch);
    open_policy(batch);
  }
  // Interrupted, the record is closed first: words are asked for in the reverse order.
  std::optional<ir::files::LastWord> last_word(std::in_place, [&] { return cut_off(reports); });
  const auto recorder = open_record(outputs);
  say_resumed(recorder.get());
  try {
    if (flags_.jobs.empty())
      run_batches(recorder.get());
    else
      run_jobs(recorder.get());
  } catch (const std::exception& problem) {
    last_word.reset();
    leave_reports(reports, problem.what());
    throw;
  }
  if (child_) {
    recorder->finish();
    return 0;
  }
  print_end();
  const auto found = findings();
  core::Outcome outcome = core::outcome_of(ends_, flags_.demands, found);
  if (batches_.empty()) outcome.exit = core::ExitCode::passed;  // a share in which there is nothing to do
  const report::RunFacts facts = this->facts(std::move(outcome));
  {
    // Who interrupts waits for files, but not for a pipe, which may never be read.
    std::optional<ir::files::Uninterrupted> whole;
    if (!reports.has_stream()) whole.emplace();
    last_word.reset();
    reports.write(results_, facts, counts_, pairs_);
    if (recorder) recorder->finish();
  }
  if (recorder) std::cerr << "results: " << flags_.results << '\n';
  reports.tell_github(results_, facts);
  if (!batches_.empty()) std::cerr << core::unmet(ends_, flags_.demands, found);
  return static_cast<int>(facts.outcome.exit);
}

Action verify(CLI::App& app) {
  const auto flags = std::make_shared<flags::VerifyFlags>();
  flags::add_verify_flags(app, *flags);
  app.footer(
      "columns (docs/glossary.md): error: the largest absolute error, on the inputs that the node had on the device; "
      "ratio: the largest error over its limit, above 1 fails; ulp: the largest error in units of the last place; "
      "allowed: the limit of the element with that ratio, which need not be the one with the largest error; inherited: "
      "what its inputs had wrong; amp: the factor by which it amplified that; place: where it ran; us: microseconds on "
      "the "
      "device, 1st us of a first run, in which a driver may still compile; step: with --decode, the step behind the "
      "prompt in which the node came out so, its worst, 0 for the prompt");
  return [flags] {
    std::optional<ChildCase> child;
    if (flags->retries > 0 && flags->jobs.empty()) flags->jobs = "1";  // another process tries again
    if (!flags->child.empty()) child = become_child(*flags);
    try {
      return VerifyRun(*flags, child).run();
    } catch (const results::NotTheSame& refused) {
      if (child) ir::files::write_text(refusal_of(flags->child), refused.reason());
      throw;
    }
  };
}

}  // namespace plumb::parity::cli
