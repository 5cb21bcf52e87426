#pragma once

// `plumb verify` at work: what it runs, keeps and says.

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "ir/files/process.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/verify_flags.hpp"
#include "parity/cli/verifying/batches.hpp"
#include "parity/cli/verifying/child_case.hpp"
#include "parity/cli/verifying/child_runs.hpp"
#include "parity/cli/verifying/verify_candidate.hpp"
#include "parity/cli/verifying/verify_reports.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/terminal/style.hpp"
#include "parity/profile/profile_file.hpp"
#include "parity/report/counts.hpp"
#include "parity/report/report.hpp"
#include "parity/report/seed_summary.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/verify/pairs.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {

/// Runs the cases one after the other and says what came of each.
class VerifyRun {
 public:
  /// `child`: this process runs that case alone, whose results file is that of the flags.
  explicit VerifyRun(const flags::VerifyFlags& flags, std::optional<ChildCase> child = {});
  int run();

 private:
  /// One candidate at work on the graphs of a batch.
  struct Judging {
    VerifyCandidate* candidate;
    cases::Executors executors;
    verify::VerifyOptions options;
    report::SeedSummary summary = {};  ///< all seeds of one graph
    std::uint64_t runs = 0;            ///< this process has made so many of that graph
    bool has_seeds = false;            ///< runs follow one another on other inputs
  };

  void require_sense() const;
  void choose();
  void keep_case_of_child();
  bool says_once() const;
  void require_candidates() const;
  int list() const;
  void take_share();
  void take_budget();
  bool fits_budget(const Batch& batch) const;
  cases::CaseResult unrun_case(const Batch& batch, const std::string& path, std::size_t run) const;
  void skip(const Batch& batch, results::Recorder* recorder);
  void open_candidates();
  void feed_as_candidate(Batch& batch) const;
  void open_profile();
  void open_policy(Batch& batch);
  gpu_vulkan::VulkanExecutor* first_device() const;
  void print_plan(gpu_vulkan::VulkanExecutor& device, const ir::Graph& graph);
  report::Detail detail() const;
  void report(VerifyCandidate& candidate, const cases::CaseResult& result, bool is_one_of_many, report::Times times);
  void report_side_by_side(std::span<const cases::CaseResult> results, std::span<const verify::NamedResults> kept,
                           bool is_one_of_many, results::Recorder* recorder);
  enum class Next;
  Next run_seed(const Batch& batch, const std::string& path, const verify::FillOptions& fill, std::uint64_t s,
                std::vector<Judging>& judging, results::Recorder* recorder);
  bool run_graph(const Batch& batch, const std::string& path, std::vector<Judging>& judging,
                 results::Recorder* recorder);
  bool run_decoded(const Batch& batch, const std::string& path, Judging& judging, results::Recorder* recorder);
  bool run_by_each_kernel(const Batch& batch, const std::string& path, Judging judging, results::Recorder* recorder);
  bool run_batch(const Batch& batch, results::Recorder* recorder);
  void run_batches(results::Recorder* recorder);

  /// A case that a process of its own runs.
  struct Job;
  std::vector<Job> jobs_in(const std::filesystem::path& folder) const;
  void run_jobs(results::Recorder* recorder);
  ChildRuns::Process process_of(Job& job, ChildCase child) const;
  bool take_job(Job& job, const ir::files::ProcessEnd& end, results::Recorder* recorder);
  void add_lost(Job& job, const ir::files::ProcessEnd& end, const std::string& problem, results::Recorder* recorder);
  bool try_again(Job& job);
  void finish_job(Job& job, results::Recorder* recorder);
  std::string summary_of(const Job& job, std::size_t round) const;
  std::string take_runs(Job& job, const std::filesystem::path& file, results::Recorder* recorder);
  cases::CaseResult lost_case(const Job& job, const ir::files::ProcessEnd& end) const;
  void show_job(Job& job, results::Recorder* recorder);
  core::Coverage min_verified() const;
  report::RunFacts facts(core::Outcome outcome) const;
  std::map<std::string, const policy::Gate*> gates() const;
  std::vector<core::RunFinding> expired_rules() const;
  std::vector<core::RunFinding> findings() const;
  std::optional<core::RunFinding> differing_pairs() const;
  std::string cut_off(VerifyReports& reports, const std::string& problem = "");
  void say_resumed(const results::Recorder* recorder) const;
  std::optional<cases::CaseResult> earlier_of_case(cases::CaseResult& named, results::Recorder* recorder);
  cases::CaseResult result_of(Judging& one, const std::string& path, const verify::FillOptions& fill,
                              verify::LoadedCase loaded, cases::Observer& observer, results::Recorder* recorder);
  void note_attempt(cases::CaseResult& result, unsigned attempt) const;
  void record(cases::CaseResult result, results::Recorder* recorder);
  void leave_out(std::uint64_t cases, results::Recorder* recorder);
  void forget_numbers(cases::CaseResult& result) const;
  void print_end() const;
  verify::VerifyOptions options(const Batch& batch, const VerifyCandidate& candidate, const policy::Gate* gate) const;
  void leave_reports(VerifyReports& reports, const std::string& problem);
  flags::Outputs outputs_beside() const;
  std::unique_ptr<results::Recorder> open_record(const flags::Outputs& outputs) const;

  const flags::VerifyFlags& flags_;
  std::ostream& out_;  ///< for people: stderr when stdout carries a report
  const core::terminal::Style style_;
  const core::ThreadLimit comparing_;
  ref_cpu::CpuExecutor reference_;
  std::shared_ptr<verify::MemoryBudget> memory_;              ///< --memory; null where that is not said
  std::vector<std::unique_ptr<VerifyCandidate>> candidates_;  ///< one at least
  std::vector<Batch> batches_;
  profile::DeviceProfile profile_ = profile::safe_profile();
  std::optional<ChildCase> child_;  ///< this process is for one case
  std::uint64_t passed_over_ = 0;   ///< runs before the first one that it makes
  std::optional<report::RunFacts> facts_of_jobs_;
  policy::Facts device_of_jobs_;          ///< as the last of them that recorded something said
  cases::Shard shard_;                    ///< the share of the cases that this start of the program runs
  std::string partition_;                 ///< a name of the whole that was shared out; "" where it runs all
  std::optional<std::uint64_t> planned_;  ///< cases; nothing where they are found on the way
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<std::chrono::milliseconds> budget_;  ///< no case is begun that would end later
  std::vector<std::string> worn_out_ = {};           ///< quarantines that excuse nothing any more, a line each
  std::size_t over_budget_ = 0;                      ///< cases for which there was no time
  std::uint64_t taken_ = 0;                          ///< cases that an earlier start recorded
  bool is_taken_ = false;                            ///< the one at hand is such
  std::vector<cases::CaseResult> results_;
  std::vector<core::CaseEnd> ends_;  ///< all of them, also those whose nodes are not kept
  std::vector<cases::PairResult> pairs_;
  report::Counts counts_;
};

}  // namespace plumb::parity::cli
