// --jobs of `plumb verify`: each case in a process of its own, so that one which crashes or hangs costs itself alone.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <sstream>
#include <thread>

#include "ir/files/file_kind.hpp"
#include "ir/files/read_file.hpp"
#include "library/own_files.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/cli/verifying/child_runs.hpp"
#include "parity/cli/verifying/verify_run.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/foreign/scratch.hpp"
#include "parity/results/merge/run_content.hpp"
#include "parity/results/resumption.hpp"
#include "parity/results/stored_case.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;

/// The devices that --device names, one after the other; one of no name where it is not said.
std::vector<std::string> devices_of(const flags::VerifyFlags& flags) {
  std::vector<std::string> devices;
  std::istringstream words(flags.device.device);
  for (std::string word; std::getline(words, word, ',');) devices.push_back(word);
  if (devices.empty()) devices.emplace_back();
  return devices;
}

bool judges_our_device(const flags::VerifyFlags& flags) {
  return std::ranges::any_of(flags.candidates, [&](const std::string& spec) {
    flags::CandidateFlags one = flags.candidate;
    one.candidate = spec;
    flags::DeviceFlags named = flags.device;
    return flags::is_vulkan(one, named);
  });
}

/// How many processes run at a time. Throws Error where they would have less than a device each, and need not share.
std::size_t jobs_of(const flags::VerifyFlags& flags, std::size_t devices) {
  constexpr std::size_t most = 256;
  if (flags.jobs == "auto") return devices;
  std::size_t jobs = 0;
  const char* const end = flags.jobs.data() + flags.jobs.size();
  const auto [stopped, problem] = std::from_chars(flags.jobs.data(), end, jobs);
  ir::require(problem == std::errc() && stopped == end && jobs >= 1 && jobs <= most,
              "--jobs is a number from 1 to 256, or auto, got '", flags.jobs, "'");
  ir::require(jobs <= devices || flags.share_device || !judges_our_device(flags), "--jobs ", jobs, " wants ", jobs,
              " devices, and there ", devices == 1 ? "is " : "are ", devices, "; --share-device lets them share");
  return jobs;
}

/// The time of a case, or as good as none.
ir::files::ProcessLimits limits_of(const flags::VerifyFlags& flags) {
  constexpr std::chrono::hours endless{24 * 20};
  constexpr std::size_t most_output = std::size_t{64} << 20;
  ir::files::ProcessLimits limits{.time = endless, .output_bytes = most_output};
  if (!flags.case_timeout.empty()) limits.time = flags::duration_of("--case-timeout", flags.case_timeout);
  return limits;
}

/// This command line, with the case to run.
std::vector<std::string> words_of(const fs::path& child) {
  std::vector<std::string> words = show::command_line();
  words.at(0) = library::own_program("plumb");
  words.insert(words.begin() + 2, {"--child", child.string()});  // behind the name of the command
  return words;
}

}  // namespace

struct VerifyRun::Job {
  const Batch* batch = nullptr;
  std::string path = {};
  fs::path child = {};      ///< the file that says which case it is
  std::string output = {};  ///< for people
  std::vector<cases::CaseResult> results = {};
  bool is_begun = false;  ///< there was time for it
};

/// Leaves the case that this process is for.
void VerifyRun::keep_case_of_child() {
  std::erase_if(batches_, [&](const Batch& batch) { return batch.number != child_->batch; });
  ir::require(!batches_.empty(), flags_.child, ": there is no batch ", child_->batch);
  batches_.front().paths = {child_->path};
}

std::vector<VerifyRun::Job> VerifyRun::jobs_in(const fs::path& folder) const {
  std::vector<Job> jobs;
  for (const Batch& batch : batches_)
    for (const std::string& path : batch.paths)
      jobs.push_back({.batch = &batch, .path = path, .child = folder / fmt::format("{}.txt", jobs.size())});
  return jobs;
}

/// The result of a case whose process did not end by itself, at the run that it was at.
cases::CaseResult VerifyRun::lost_case(const Job& job, const ir::files::ProcessEnd& end) const {
  cases::CaseResult lost = unrun_case(*job.batch, job.path, job.results.size());
  const bool is_broken_off = end.is_late || !end.signal.empty();
  lost.exit = is_broken_off ? core::ExitCode::device_error : core::ExitCode::tool_error;
  const std::string how = end.is_late           ? "took longer than --case-timeout " + flags_.case_timeout
                          : !end.signal.empty() ? "crashed its process, " + end.signal
                                                : fmt::format("ended its process with exit code {}", end.status);
  lost.message = job.path + ": " + how;
  return lost;
}

/// Takes over the runs that a process recorded, all or, where they cannot be read, none; why they cannot.
std::string VerifyRun::take_runs(Job& job, const fs::path& file, results::Recorder* recorder) {
  std::optional<results::RunContent> content;
  std::vector<cases::CaseResult> runs;
  std::vector<cases::PairResult> pairs;
  std::optional<report::RunFacts> facts = facts_of_jobs_;
  // A record that is broken costs its case; an error in writing the record of all is one of the whole.
  try {
    content.emplace(file);
    for (const results::Run& run : content->file.runs()) {
      runs.push_back(results::stored_case(content->file, run));
      if (!facts) facts = results::facts_of_run(content->file, run);
    }
    pairs = content->file.pairs();
  } catch (const ir::Error& problem) {
    return problem.what();
  }
  facts_of_jobs_ = std::move(facts);
  job.results = std::move(runs);
  pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  if (recorder == nullptr) return "";
  const std::size_t added = recorder->adopt(*content);
  taken_ += job.results.size() - added;
  if (planned_) recorder->plan(*planned_ - taken_);
  return "";
}

void VerifyRun::take_job(Job& job, const ir::files::ProcessEnd& end, results::Recorder* recorder) {
  job.is_begun = true;
  job.output = end.output;
  if (const fs::path refusal = refusal_of(job.child); fs::exists(refusal))
    ir::fail(flags_.results, ": ", ir::files::read_text(refusal.string(), 1 << 16));
  const fs::path whole = results_of(job.child);
  fs::path part = whole;
  part += ".part";
  const bool is_whole = fs::exists(whole);
  std::string problem;
  if (is_whole)
    problem = take_runs(job, whole, recorder);
  else if (fs::exists(part) && ir::files::kind_of_file(part) == ir::files::FileKind::hdf5)
    problem = take_runs(job, part, recorder);
  const std::uint64_t planned = job.batch->flags.seeds * flags_.candidates.size();
  if (!is_whole || !problem.empty()) {
    cases::CaseResult lost = lost_case(job, end);
    if (!problem.empty()) lost.message += "; what it recorded cannot be read: " + problem;
    job.output += report::to_table(lost, detail(), style_, report::Times::of_first_run) + '\n';
    if (recorder != nullptr) recorder->record(lost);
    job.results.push_back(lost);
    // They are not recorded, so that --resume makes them.
    const std::string why = ": skipped: a run before it " + lost.message.substr(job.path.size() + 2);
    if (job.results.size() < planned)
      job.output += fmt::format("{}: skipped: {} after it\n", job.path,
                                core::terminal::counted(planned - job.results.size(), "run"));
    while (job.results.size() < planned) {
      cases::CaseResult skipped = unrun_case(*job.batch, job.path, job.results.size());
      skipped.verdict = core::Verdict::skipped;
      skipped.exit = core::ExitCode::nothing_ran;
      skipped.message = job.path + why;
      job.results.push_back(std::move(skipped));
    }
  }
  if (job.results.size() < planned) leave_out(planned - job.results.size(), recorder);
  std::error_code none;
  for (const fs::path& file : {whole, part}) fs::remove(file, none);
}

/// Says what came of a case, and adds it to reports.
void VerifyRun::show_job(Job& job, results::Recorder* recorder) {
  if (!job.is_begun) return skip(*job.batch, recorder);
  out_ << job.output << std::flush;
  for (cases::CaseResult& result : job.results) {
    if (!flags_.counts.empty() || flags_.each_kernel) counts_.add(result);
    record(std::move(result), nullptr);
  }
  job = {};
}

/// Every case, each by a process; what it recorded is taken over as soon as it has ended, and shown in order.
void VerifyRun::run_jobs(results::Recorder* recorder) {
  const std::vector<std::string> devices = devices_of(flags_);
  const std::size_t workers = jobs_of(flags_, devices.size());
  constexpr std::uint64_t likely_bytes = std::uint64_t{1} << 30;
  const foreign::Scratch scratch(likely_bytes, {});
  if (recorder != nullptr && recorder->resumption() != nullptr && recorder->resumption()->runs() != 0)
    recorder->resumption()->write_kept(earlier_of(scratch.path() / "child"), {});
  std::vector<Job> jobs = jobs_in(scratch.path());
  const int cores =
      flags_.device.threads > 0 ? flags_.device.threads : static_cast<int>(std::thread::hardware_concurrency());
  const auto command = [&](std::size_t index, std::size_t worker) -> std::vector<std::string> {
    if (!fits_budget(*jobs[index].batch)) return {};
    const int share = std::max(1, cores / static_cast<int>(std::min(workers, jobs.size())));
    write_child(jobs[index].child, {.batch = jobs[index].batch->number,
                                    .path = jobs[index].path,
                                    .device = devices[worker % devices.size()],
                                    .threads = share,
                                    .shares_device = workers > devices.size() && judges_our_device(flags_),
                                    .is_first = index == 0,
                                    .width = style_.width == core::terminal::unlimited ? 0 : style_.width,
                                    .is_coloured = style_.is_coloured});
    return words_of(jobs[index].child);
  };
  ChildRuns running(jobs.size(), workers, command, limits_of(flags_));
  std::map<std::size_t, Job*> ended;
  std::size_t shown = 0;
  while (const auto one = running.next()) {
    if (one->end) take_job(jobs[one->index], *one->end, recorder);
    ended.emplace(one->index, &jobs[one->index]);
    const auto failed = [](const cases::CaseResult& result) { return result.exit != core::ExitCode::passed; };
    if (flags_.fail_fast && std::ranges::any_of(jobs[one->index].results, failed)) running.stop();
    for (auto next = ended.find(shown); next != ended.end(); next = ended.find(++shown))
      show_job(*next->second, recorder);
  }
}

}  // namespace plumb::parity::cli
