// The cases of `plumb verify`: every graph by every seed and, where asked for, every kernel; recorded and shown.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iostream>

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "ir/files/interruption.hpp"
#include "parity/cli/other_kernels.hpp"
#include "parity/cli/verifying/verify_run.hpp"
#include "parity/core/sha256.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/candidates.hpp"
#include "parity/report/kept_result.hpp"
#include "parity/report/progress.hpp"
#include "parity/results/resumption.hpp"
#include "parity/verify/compile_once.hpp"
#include "parity/verify/shared_case.hpp"

namespace plumb::parity::cli {
namespace {

/// Whether any number that the graph is fed is made anew for each seed; params are not, which have a seed of their own.
bool depends_on_seed(const ir::formats::GraphFile& file) {
  for (ir::Value v = 0; file.graph.is_source(v); ++v) {
    const auto source = file.sources.find(file.graph.name(v));
    if (source == file.sources.end()) return true;
    const auto* const made = std::get_if<ir::formats::Generated>(&source->second);
    if (made != nullptr && !made->seed) return true;
  }
  return false;
}

/// Notes, and says once, that runs which differ in their seed alone are all the same.
void say_equal_seeds(cases::CaseResult& result, std::uint64_t seeds, bool is_first, std::size_t width) {
  if (!result.subject.file || depends_on_seed(*result.subject.file)) return;
  result.notes.push_back(fmt::format("every input is given, so that the runs of all {} seeds are equal", seeds));
  const std::string said = result.subject.name + ": " + result.notes.back() + '\n';
  if (is_first) std::cerr << core::terminal::folded(core::terminal::printable(said), width, "  ");
}

/// The numbers of its inputs: params are those of the next seed, too. Null where it could not be read.
std::shared_ptr<const ir::Feeds> inputs_of(const verify::LoadedCase& loaded) {
  if (!loaded.shared || !loaded.shared->subject) return nullptr;
  const cases::Case& subject = *loaded.shared->subject;
  ir::Feeds inputs;
  for (const std::string& name : subject.file->graph.inputs())
    if (const auto found = subject.feeds.find(name); found != subject.feeds.end()) inputs.insert(*found);
  return std::make_shared<const ir::Feeds>(std::move(inputs));
}

}  // namespace

void VerifyRun::print_plan(gpu_vulkan::VulkanExecutor& device, const ir::Graph& graph) {
  const auto fused = device.fused(graph, {graph.results(), true}, {});
  out_ << gpu_vulkan::plan::to_text(device.plan(fused.graph, fused.capture), fused.graph) << '\n';
}

report::Detail VerifyRun::detail() const {
  return flags_.quiet ? report::Detail::verdicts : flags_.verbose ? report::Detail::all : report::Detail::worst;
}

/// `is_one_of_many`: of many seeds or of several candidates, of which only those are told that did not pass.
void VerifyRun::report(VerifyCandidate& candidate, const cases::CaseResult& result, bool is_one_of_many,
                       report::Times times) {
  for (const cases::NodeResult& node : result.nodes)
    out_ << core::terminal::fitted(core::terminal::printable(node.explanation), style_.width);
  const bool is_quiet = flags_.quiet || (is_one_of_many && !flags_.verbose);
  if (is_quiet && result.exit == core::ExitCode::passed) return;
  if (candidates_.size() > 1) out_ << core::terminal::printable(candidate.name()) << ":\n";
  if (flags_.verbose && candidate.device() != nullptr && result.subject.file)
    print_plan(*candidate.device(), result.subject.file->graph);
  std::ostream& out = result.nodes.empty() && result.exit != core::ExitCode::passed ? std::cerr : out_;
  const auto headroom = flags_.headroom ? report::Headroom::shown : report::Headroom::hidden;
  out << report::to_table(result, detail(), style_, times, headroom) << '\n' << std::flush;
}

/// Says and keeps how several candidates compare on one case.
void VerifyRun::report_side_by_side(std::span<const cases::CaseResult> results,
                                    std::span<const verify::NamedResults> kept, bool is_one_of_many,
                                    results::Recorder* recorder) {
  const std::vector<cases::PairResult> pairs = verify::pairs_of(results.front(), kept);
  if (recorder != nullptr) recorder->record_pairs(pairs, kept.size());
  pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  const auto passed = [](const cases::CaseResult& one) { return one.exit == core::ExitCode::passed; };
  if ((flags_.quiet || (is_one_of_many && !flags_.verbose)) && std::ranges::all_of(results, passed)) return;
  std::vector<report::NamedCase> named;
  for (std::size_t c = 0; c < results.size(); ++c) named.push_back({kept[c].name, &results[c]});
  out_ << report::side_by_side(named, pairs, detail(), style_) << '\n' << std::flush;
}

/// The run that an earlier start recorded of a case, which has its name and its policy; nothing where it is to be made.
std::optional<cases::CaseResult> VerifyRun::earlier_of_case(cases::CaseResult& named, results::Recorder* recorder) {
  std::optional<cases::CaseResult> earlier;
  if (recorder != nullptr) earlier = recorder->recorded(named.identity);
  is_taken_ = earlier.has_value();
  if (!is_taken_) {
    const results::Resumption* const cut_off = recorder == nullptr ? nullptr : recorder->resumption();
    if (cut_off != nullptr && flags_.resume) cut_off->require_same_run(named.identity, named.judged_by.text);
    return std::nullopt;
  }
  const auto name = [](const std::string& policy) {
    return policy.empty() ? std::string("none") : core::text_id(policy);
  };
  const std::string was = name(earlier->judged_by.text), is = name(named.judged_by.text);
  if (was != is)
    throw results::NotTheSame(flags_.results, earlier->identity.id() + " was judged by another policy, " + was +
                                                  "; it is " + is + " now, and --resume goes on with the same one");
  earlier->judged_by = std::move(named.judged_by);
  return earlier;
}

/// Runs a case, or takes the run that an earlier start recorded of it.
cases::CaseResult VerifyRun::result_of(Judging& one, const std::string& path, const verify::FillOptions& fill,
                                       verify::LoadedCase loaded, cases::Observer& observer,
                                       results::Recorder* recorder) {
  if (std::optional<cases::CaseResult> earlier = earlier_of_case(loaded.result, recorder)) return std::move(*earlier);
  const auto inputs = one.has_seeds ? inputs_of(loaded) : nullptr;
  cases::CaseResult made = verify::verify_loaded(std::move(loaded), path, fill, one.executors, one.options, observer);
  one.options.before = inputs;
  return made;
}

/// The next thing to do after a seed of a graph.
enum class VerifyRun::Next { seed, graph, nothing };

/// One seed of a graph, by every candidate.
VerifyRun::Next VerifyRun::run_seed(const Batch& batch, const std::string& path, const verify::FillOptions& fill,
                                    std::uint64_t s, std::vector<Judging>& judging, results::Recorder* recorder) {
  const std::uint64_t seeds = batch.flags.seeds;
  const bool are_several = judging.size() > 1;
  const std::size_t first = results_.size();
  std::vector<verify::KeptResults> results(judging.size());
  std::vector<verify::NamedResults> kept;
  const auto shared = are_several ? std::make_shared<verify::SharedCase>() : nullptr;
  for (std::size_t c = 0; c < judging.size(); ++c) {
    Judging& one = judging[c];
    if (passed_over_ > 0) {
      --passed_over_;
      kept.push_back({one.candidate->name(), &results[c]});
      continue;
    }
    kept.push_back({one.candidate->name(), &results[c]});
    report::Progress progress;
    std::vector<cases::Observer*> observers = {&progress};
    if (recorder != nullptr) observers.push_back(recorder);
    if (are_several) observers.push_back(&results[c]);
    cases::Observers all(std::move(observers));
    const unsigned attempt = child_ && results_.empty() ? child_->attempt : 1;
    one.candidate->set_attempt(attempt);
    cases::CaseResult made = result_of(
        one, path, fill, verify::load_file(path, fill, one.executors, one.options, all, shared), all, recorder);
    if (!is_taken_) note_attempt(made, attempt);
    // A lost device stays lost, and another process opens it again.
    const bool is_over = child_ && made.exit == core::ExitCode::device_error;
    if (!made.is_retried) policy::excuse_device_fault(one.options.gate, made);
    progress.erase();
    if (auto* const device = one.candidate->device(); device != nullptr && s == 0 && made.subject.file)
      note_idle_alternative(*device, path, made.subject.file->graph);
    if (child_ && child_->shares_device && !is_taken_)
      made.notes.emplace_back("times are those of a device that several processes shared");
    if (seeds > 1 && !is_taken_) say_equal_seeds(made, seeds, s == 0 && c == 0, style_.width);
    record(std::move(made), recorder);
    const cases::CaseResult& result = results_.back();
    // With isolate every node is compiled again for each seed.
    const bool is_first = flags_.repeat == 1 && (one.runs++ == 0 || flags_.mode == "isolate");
    report(*one.candidate, result, seeds > 1 || are_several,
           is_first ? report::Times::of_first_run : report::Times::of_later_run);
    one.summary.add(result);
    if (!flags_.counts.empty() || flags_.each_kernel) counts_.add(result);
    if (!result.subject.file) {  // a graph that cannot be read is no other with another seed, or for somebody else
      leave_out((seeds - s) * judging.size() - c - 1, recorder);
      return flags_.fail_fast ? Next::nothing : Next::graph;
    }
    if (is_over) return Next::nothing;
  }
  const std::span<cases::CaseResult> done = std::span(results_).subspan(first);
  if (are_several && done.size() == judging.size()) report_side_by_side(done, kept, seeds > 1, recorder);
  const auto failed = [](const cases::CaseResult& one) { return core::is_failure(one.exit); };
  if (flags_.fail_fast && std::ranges::any_of(done, failed)) return Next::nothing;
  if (s > 0)
    for (cases::CaseResult& result : done) forget_numbers(result);
  return Next::seed;
}

/// Says which attempt at a run a result is of.
void VerifyRun::note_attempt(cases::CaseResult& result, unsigned attempt) const {
  result.attempt = attempt;
  if (attempt > 1) result.attempts = child_->attempts;
  result.is_retried = child_ && result.exit == core::ExitCode::device_error && attempt <= flags_.retries;
}

/// After thousands of seeds the summary is enough, unless a report wants all.
void VerifyRun::forget_numbers(cases::CaseResult& result) const {
  const ir::files::Uninterrupted whole;
  const bool is_reported =
      !flags_.json.empty() || !flags_.junit.empty() || !flags_.markdown.empty() || !flags_.html.empty();
  if (is_reported || flags_.github) return;
  result.nodes = {};
  result.identity = {};
}

/// Every seed of one graph; false when the run is to stop.
bool VerifyRun::run_graph(const Batch& batch, const std::string& path, std::vector<Judging>& judging,
                          results::Recorder* recorder) {
  for (Judging& one : judging) {
    one.summary = {};
    one.runs = 0;
    one.has_seeds = batch.flags.seeds > 1;
    one.options.before = nullptr;
  }
  if (batch.flags.graph.model.gguf.decode > 0) return run_decoded(batch, path, judging.front(), recorder);
  const bool goes_on = passed_over_ > 0;
  const std::uint64_t seeds = batch.flags.seeds;
  verify::FillOptions fill = batch.fill;
  if (seeds > 1 || judging.size() > 1) flags::read_once(fill);
  for (std::uint64_t s = 0; s < seeds; ++s, ++fill.seed) {
    const Next next = run_seed(batch, path, fill, s, judging, recorder);
    if (next != Next::seed) return next == Next::graph;
  }
  if (seeds == 1 || goes_on) return true;  // the first process's parent says it of all seeds
  for (const Judging& one : judging) {
    if (judging.size() > 1) out_ << core::terminal::printable(one.candidate->name()) << ":\n";
    out_ << one.summary.text(detail(), style_) << '\n';
  }
  return true;
}

/// Adds a case to what reports are made of and to the record, as a whole: who interrupts finds it in both or in none.
void VerifyRun::record(cases::CaseResult result, results::Recorder* recorder) {
  const ir::files::Uninterrupted whole;
  results_.push_back(std::move(result));
  if (is_taken_ && planned_) recorder->plan(*planned_ - ++taken_);
  for (core::CaseEnd& end : verify::ends_of(std::span(&results_.back(), 1))) ends_.push_back(core::doubts_in(end));
  if (recorder != nullptr && !is_taken_) recorder->record(results_.back());
  report::let_go_of_numbers(results_.back(), results_.size() > 1 ? &results_.end()[-2] : nullptr);
}

void VerifyRun::say_resumed(const results::Recorder* recorder) const {
  const results::Resumption* const earlier = recorder == nullptr ? nullptr : recorder->resumption();
  if (earlier == nullptr || earlier->path().empty() || flags_.quiet) return;
  const std::string file = core::terminal::printable(earlier->path().string());
  out_ << fmt::format("going on with {}: {} recorded\n", file, core::terminal::counted(earlier->runs(), "run"));
  for (const results::UnfinishedRun& run : earlier->unfinished())
    out_ << fmt::format("going on inside {}: {} judged\n", core::terminal::printable(run.identity.id()),
                        core::terminal::counted(run.nodes.size(), "node"));
}

/// So many cases were planned, and will not be run.
void VerifyRun::leave_out(std::uint64_t cases, results::Recorder* recorder) {
  const ir::files::Uninterrupted whole;
  if (!planned_ || cases == 0) return;
  *planned_ -= cases;
  if (recorder != nullptr) recorder->plan(*planned_ - taken_);
}

/// Every seed of one graph, by the best kernel and tile of every node, then by those that come after it.
bool VerifyRun::run_by_each_kernel(const Batch& batch, const std::string& path, Judging judging,
                                   results::Recorder* recorder) {
  const std::size_t first = results_.size();
  gpu_vulkan::VulkanExecutor* const own = judging.candidate->device();
  const std::string flags = judging.options.flags;
  std::vector<Judging> only = {std::move(judging)};
  if (!run_graph(batch, path, only, recorder)) return false;
  const auto file = first < results_.size() ? results_[first].subject.file : verify::load_case(path, batch.fill).file;
  if (own == nullptr || !file) return true;
  for (std::int64_t i = 1;; ++i) {
    OtherKernels device(*own, i);
    if (!device.differ_in(file->graph)) return true;
    const std::string setting = fmt::format(" --set alternative={}", i);
    if (!flags_.quiet) out_ << fmt::format("{} by other kernels:{}\n", path, setting);
    only.front().executors.candidate = &device;
    only.front().options.flags = flags + setting;
    only.front().options.settings.alternative = i;
    if (!run_graph(batch, path, only, recorder)) return false;
  }
}

/// Every graph of a batch; false when the run is to stop.
bool VerifyRun::run_batch(const Batch& batch, results::Recorder* recorder) {
  std::deque<verify::CompileOnce> once;
  std::deque<policy::Gate> gates;
  std::vector<Judging> judging;
  for (const auto& one : candidates_) {
    cases::Executors executors = one->executors(reference_, profile_);
    if (executors.candidate != nullptr && batch.flags.seeds > 1)
      executors.candidate = &once.emplace_back(*executors.candidate);
    const policy::Gate* gate = nullptr;
    if (batch.gate) gate = &gates.emplace_back(one->gate_for(*batch.gate, batch.flags.fill));
    judging.push_back({.candidate = one.get(), .executors = executors, .options = options(batch, *one, gate)});
    if (recorder != nullptr && !child_ && candidates_.size() == 1) judging.back().options.kept = recorder->kept_nodes();
  }
  return std::ranges::all_of(batch.paths, [&](const std::string& path) {
    return flags_.each_kernel ? run_by_each_kernel(batch, path, judging.front(), recorder)
                              : run_graph(batch, path, judging, recorder);
  });
}

/// Every graph of all batches, or as many as are to be run.
void VerifyRun::run_batches(results::Recorder* recorder) {
  for (const Batch& batch : batches_) {
    if (!fits_budget(batch))
      skip(batch, recorder);
    else if (!run_batch(batch, recorder))
      return;
  }
}

}  // namespace plumb::parity::cli
