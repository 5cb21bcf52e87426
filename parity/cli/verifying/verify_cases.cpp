// The cases of `plumb verify`: every graph by every seed and, where asked for, every kernel; recorded and shown.
#include <fmt/format.h>

#include <iostream>

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "ir/files/interruption.hpp"
#include "parity/cli/other_kernels.hpp"
#include "parity/cli/verifying/verify_run.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/kept_result.hpp"
#include "parity/report/progress.hpp"
#include "parity/report/seed_summary.hpp"
#include "parity/verify/compile_once.hpp"

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

}  // namespace

void VerifyRun::print_plan(const ir::Graph& graph) {
  const auto fused = device_->fused(graph, {graph.results(), true}, {});
  out_ << gpu_vulkan::plan::to_text(device_->plan(fused.graph, fused.capture), fused.graph) << '\n';
}

report::Detail VerifyRun::detail() const {
  return flags_.quiet ? report::Detail::verdicts : flags_.verbose ? report::Detail::all : report::Detail::worst;
}

void VerifyRun::report(const cases::CaseResult& result, bool is_one_of_many, report::Times times) {
  for (const cases::NodeResult& node : result.nodes)
    out_ << core::terminal::fitted(core::terminal::printable(node.explanation), style_.width);
  const bool is_quiet = flags_.quiet || (is_one_of_many && !flags_.verbose);
  if (is_quiet && result.exit == core::ExitCode::passed) return;
  if (flags_.verbose && device_ && result.subject.file) print_plan(result.subject.file->graph);
  std::ostream& out = result.nodes.empty() && result.exit != core::ExitCode::passed ? std::cerr : out_;
  out << report::to_table(result, detail(), style_, times) << '\n' << std::flush;
}

/// Every seed of one graph; false when the run is to stop.
bool VerifyRun::run_graph(const Batch& batch, const std::string& path, const cases::Executors& executors,
                          const verify::VerifyOptions& options, results::Recorder* recorder) {
  report::SeedSummary summary;
  const std::uint64_t seeds = batch.flags.seeds;
  verify::FillOptions fill = batch.fill;
  if (seeds > 1) flags::read_once(fill);
  for (std::uint64_t s = 0; s < seeds; ++s, ++fill.seed) {
    report::Progress progress;
    cases::Observers observers({&progress});
    if (recorder != nullptr) observers = cases::Observers({&progress, recorder});
    cases::CaseResult made = verify::verify_file(path, fill, executors, options, observers);
    progress.erase();
    if (device_ && s == 0 && made.subject.file) note_idle_alternative(*device_, path, made.subject.file->graph);
    if (seeds > 1) say_equal_seeds(made, seeds, s == 0, style_.width);
    record(std::move(made), recorder);
    cases::CaseResult& result = results_.back();
    // With isolate every node is compiled again for each seed.
    const bool is_first = flags_.repeat == 1 && (s == 0 || flags_.mode == "isolate");
    report(result, seeds > 1, is_first ? report::Times::of_first_run : report::Times::of_later_run);
    summary.add(result);
    if (!flags_.counts.empty() || flags_.each_kernel) counts_.add(result);
    if (flags_.fail_fast && result.exit != core::ExitCode::passed) return false;
    if (!result.subject.file) {  // a graph that cannot be read is no other with another seed
      leave_out(seeds - 1 - s, recorder);
      return true;
    }
    const ir::files::Uninterrupted whole;
    // After thousands of seeds the summary is enough.
    if (s > 0 && flags_.json.empty() && flags_.junit.empty() && !flags_.github) {
      result.nodes = {};
      result.identity = {};
    }
  }
  if (seeds > 1) out_ << summary.text(detail(), style_) << '\n';
  return true;
}

/// Adds a case to what reports are made of and to the record, as a whole: who interrupts finds it in both or in none.
void VerifyRun::record(cases::CaseResult result, results::Recorder* recorder) {
  const ir::files::Uninterrupted whole;
  results_.push_back(std::move(result));
  for (core::CaseEnd& end : verify::ends_of(std::span(&results_.back(), 1))) ends_.push_back(core::doubts_in(end));
  if (recorder != nullptr) recorder->record(results_.back());
  report::let_go_of_numbers(results_.back(), results_.size() > 1 ? &results_.end()[-2] : nullptr);
}

/// So many cases were planned, and will not be run.
void VerifyRun::leave_out(std::uint64_t cases, results::Recorder* recorder) {
  const ir::files::Uninterrupted whole;
  if (!planned_ || cases == 0) return;
  *planned_ -= cases;
  if (recorder != nullptr) recorder->plan(*planned_);
}

/// Every seed of one graph, by the best kernel and tile of every node, then by those that come after it.
bool VerifyRun::run_by_each_kernel(const Batch& batch, const std::string& path, const cases::Executors& executors,
                                   const verify::VerifyOptions& options, results::Recorder* recorder) {
  const std::size_t first = results_.size();
  if (!run_graph(batch, path, executors, options, recorder)) return false;
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
    of_these.flags += setting;
    of_these.settings.alternative = i;
    if (!run_graph(batch, path, by, of_these, recorder)) return false;
  }
}

/// Every graph of a batch; false when the run is to stop.
bool VerifyRun::run_batch(const Batch& batch, cases::Executors executors, results::Recorder* recorder) {
  std::optional<verify::CompileOnce> once;
  if (executors.candidate != nullptr && batch.flags.seeds > 1)
    executors.candidate = &once.emplace(*executors.candidate);
  const verify::VerifyOptions options = this->options(batch);
  return std::ranges::all_of(batch.paths, [&](const std::string& path) {
    return flags_.each_kernel ? run_by_each_kernel(batch, path, executors, options, recorder)
                              : run_graph(batch, path, executors, options, recorder);
  });
}

}  // namespace plumb::parity::cli
