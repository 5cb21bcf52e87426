// --jobs of `plumb verify`: each case in a process of its own, so that one which crashes or hangs costs itself alone.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "ir/files/file_kind.hpp"
#include "ir/files/read_file.hpp"
#include "library/own_files.hpp"
#include "parity/cli/flags/duration.hpp"
#include "parity/cli/show/describe.hpp"
#include "parity/cli/verifying/verify_run.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/foreign/scratch.hpp"
#include "parity/foreign/spec.hpp"
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

/// How many errors of a case, one after the other, are enough to begin no process for the rest of it.
constexpr std::ptrdiff_t most_errors_in_a_row = 3;

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
  std::set<std::size_t> broken = {};                               ///< rounds of all seeds that took several processes
  std::optional<std::chrono::steady_clock::time_point> ends = {};  ///< when its time is over
  unsigned attempt = 1;                                            ///< at the first run that its next process makes
  std::vector<std::string> attempts = {};                          ///< how those before it ended
  std::chrono::milliseconds delay = {};                            ///< until that process may begin
  std::string lost_how = {};  ///< how its last process was lost; "" where that ended by itself
  bool is_begun = false;      ///< there was time for it

  std::size_t runs_of_seed() const { return batch->flags.candidates.size(); }
  std::size_t planned() const { return batch->flags.seeds * runs_of_seed(); }
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

/// The result of a run whose process did not end by itself.
cases::CaseResult VerifyRun::lost_case(const Job& job, const ir::files::ProcessEnd& end) const {
  cases::CaseResult lost = unrun_case(*job.batch, job.path, job.results.size());
  const bool is_broken_off = end.is_late || !end.signal.empty();
  lost.exit = is_broken_off ? core::ExitCode::device_error : core::ExitCode::tool_error;
  lost.message = job.path + ": " + job.lost_how;
  lost.attempt = job.attempt;
  if (job.attempt > 1) lost.attempts = job.attempts;
  lost.is_retried = lost.exit == core::ExitCode::device_error && job.attempt <= flags_.retries;
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
      device_of_jobs_ = content->file.device(run).facts;
    }
    pairs = content->file.pairs();
  } catch (const ir::Error& problem) {
    return problem.what();
  }
  facts_of_jobs_ = std::move(facts);
  const std::size_t count = runs.size();
  std::ranges::move(runs, std::back_inserter(job.results));
  pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  if (recorder == nullptr) return "";
  const std::size_t added = recorder->adopt(*content);
  taken_ += count - added;
  if (planned_) recorder->plan(*planned_ - taken_);
  return "";
}

/// Adds the run at which a process was lost.
void VerifyRun::add_lost(Job& job, const ir::files::ProcessEnd& end, const std::string& problem,
                         results::Recorder* recorder) {
  job.lost_how = end.is_late           ? "took longer than --case-timeout " + flags_.case_timeout
                 : !end.signal.empty() ? "crashed its process, " + end.signal
                                       : fmt::format("ended its process with exit code {}", end.status);
  cases::CaseResult lost = lost_case(job, end);
  if (!problem.empty()) lost.message += "; what it recorded cannot be read: " + problem;
  if (job.batch->gate && !lost.is_retried) {
    policy::Gate gate = *job.batch->gate;
    gate.device = device_of_jobs_;
    policy::excuse_device_fault(&gate, lost);
  }
  job.output += report::to_table(lost, detail(), style_, report::Times::of_first_run) + '\n';
  if (recorder != nullptr) recorder->record(lost);
  job.results.push_back(std::move(lost));
}

/// Takes over what a process did; whether another one is to go on with the case.
bool VerifyRun::take_job(Job& job, const ir::files::ProcessEnd& end, results::Recorder* recorder) {
  const std::size_t before = job.results.size();
  job.is_begun = true;
  job.lost_how.clear();
  job.output += end.output;
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
  if (job.results.size() > before) job.attempt = 1;  // the process was lost at a later run
  if (!is_whole || !problem.empty()) add_lost(job, end, problem, recorder);
  std::error_code none;
  for (const fs::path& file : {whole, part}) fs::remove(file, none);
  if (job.results.size() == before) return false;
  if (job.results.back().is_retried) return try_again(job);
  job.attempt = 1;
  job.delay = {};
  // A process whose device was lost ends by itself, and the next one opens the device again.
  const auto is_fault = [](const cases::CaseResult& one) {
    const bool is_excused = one.verdict == core::Verdict::quarantined && one.nodes.empty();
    return is_excused || one.exit == core::ExitCode::device_error;
  };
  const bool is_broken = !job.lost_how.empty() || is_fault(job.results.back());
  if (is_broken) job.broken.insert((job.results.size() - 1) / job.planned());
  const auto is_error = [&](const cases::CaseResult& one) {
    return one.verdict == core::Verdict::error || is_fault(one);
  };
  const auto last = std::ranges::find_if_not(job.results.rbegin(), job.results.rend(), is_error);
  const bool is_hopeless = last - job.results.rbegin() >= most_errors_in_a_row;
  const bool is_left = flags_.each_kernel || job.results.size() < job.planned();
  return is_broken && is_left && !end.is_late && !is_hopeless;
}

/// Takes back the last run, of which there will be another attempt.
bool VerifyRun::try_again(Job& job) {
  const cases::CaseResult failed = std::move(job.results.back());
  job.results.pop_back();
  if (failed.attempt == 1) job.attempts.clear();
  job.attempts.push_back(failed.message);
  job.attempt = failed.attempt + 1;
  job.delay = std::chrono::seconds(1 << 2 * (failed.attempt - 1));
  job.ends.reset();
  if (job.results.size() % job.planned() != 0) job.broken.insert(job.results.size() / job.planned());
  job.output += fmt::format("{}: tried again, attempt {} of {}\n", core::terminal::printable(job.path), job.attempt,
                            flags_.retries + 1);
  return true;
}

/// Says of runs that no process made that they were skipped. They are not recorded, so that --resume makes them.
void VerifyRun::finish_job(Job& job, results::Recorder* recorder) {
  const std::size_t left = job.planned() - std::min(job.planned(), job.results.size());
  if (!job.broken.empty() && left != 0) {
    const cases::CaseResult last = job.results.back();
    job.output += fmt::format("{}: skipped: {} after it\n", job.path, core::terminal::counted(left, "run"));
    while (job.results.size() < job.planned()) {
      cases::CaseResult skipped = unrun_case(*job.batch, job.path, job.results.size());
      skipped.verdict = core::Verdict::skipped;
      skipped.exit = core::ExitCode::nothing_ran;
      skipped.message = job.path + ": skipped: a run before it " + last.message.substr(job.path.size() + 2);
      job.results.push_back(std::move(skipped));
    }
  }
  if (left != 0) leave_out(left, recorder);
  if (job.batch->flags.seeds == 1) return;
  for (const std::size_t round : job.broken) job.output += summary_of(job, round);
}

/// The summary of all seeds, which several processes ran.
std::string VerifyRun::summary_of(const Job& job, std::size_t round) const {
  std::string text;
  for (std::size_t c = 0; c < job.runs_of_seed(); ++c) {
    report::SeedSummary summary;
    const std::size_t end = std::min(job.results.size(), (round + 1) * job.planned());
    for (std::size_t i = round * job.planned() + c; i < end; i += job.runs_of_seed()) summary.add(job.results[i]);
    if (job.runs_of_seed() > 1)
      text += core::terminal::printable(foreign::parse_spec(job.batch->flags.candidates[c]).name) + ":\n";
    text += summary.text(detail(), style_) + '\n';
  }
  return text;
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

/// A process for the runs of a case that none has made yet.
ChildRuns::Process VerifyRun::process_of(Job& job, ChildCase child) const {
  child.batch = job.batch->number;
  child.path = job.path;
  child.width = style_.width == core::terminal::unlimited ? 0 : style_.width;
  child.is_coloured = style_.is_coloured;
  child.passed_over = job.results.size();
  child.attempt = job.attempt;
  child.attempts = job.attempts;
  child.is_first = child.is_first && job.results.empty();
  write_child(job.child, child);
  ir::files::ProcessLimits limits = limits_of(flags_);
  const auto now = std::chrono::steady_clock::now();
  if (!job.ends) job.ends = now + limits.time;
  limits.time = std::max(std::chrono::milliseconds(1), std::chrono::ceil<std::chrono::milliseconds>(*job.ends - now));
  return {.words = words_of(job.child), .limits = limits};
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
  const auto command = [&](std::size_t index, std::size_t worker) -> ChildRuns::Process {
    Job& job = jobs[index];
    if (!job.is_begun && !fits_budget(*job.batch)) return {};
    return process_of(job, {.device = devices[worker % devices.size()],
                            .threads = std::max(1, cores / static_cast<int>(std::min(workers, jobs.size()))),
                            .shares_device = workers > devices.size() && judges_our_device(flags_),
                            .is_first = index == 0});
  };
  ChildRuns running(jobs.size(), workers, command);
  std::map<std::size_t, Job*> ended;
  std::size_t shown = 0;
  while (const auto one = running.next()) {
    Job& job = jobs[one->index];
    const bool goes_on = one->end && take_job(job, *one->end, recorder);
    const auto failed = [](const cases::CaseResult& result) { return core::is_failure(result.exit); };
    if (flags_.fail_fast && std::ranges::any_of(job.results, failed)) running.stop();
    if (goes_on) {
      running.again(job.delay);
      continue;
    }
    if (job.is_begun) finish_job(job, recorder);
    ended.emplace(one->index, &job);
    for (auto next = ended.find(shown); next != ended.end(); next = ended.find(++shown))
      show_job(*next->second, recorder);
  }
  // Those that wanted another process when --fail-fast had the last one begun.
  for (auto job = jobs.begin() + static_cast<std::ptrdiff_t>(shown); job != jobs.end(); ++job) {
    if (!job->is_begun) continue;
    if (!ended.contains(static_cast<std::size_t>(job - jobs.begin()))) finish_job(*job, recorder);
    show_job(*job, recorder);
  }
}

}  // namespace plumb::parity::cli
