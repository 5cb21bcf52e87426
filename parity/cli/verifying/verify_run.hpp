#pragma once

// `plumb verify` at work: what it runs, keeps and says.

#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/verify_flags.hpp"
#include "parity/cli/verifying/batches.hpp"
#include "parity/cli/verifying/verify_reports.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/terminal/style.hpp"
#include "parity/profile/profile_file.hpp"
#include "parity/report/counts.hpp"
#include "parity/report/report.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {

/// Runs the cases one after the other and says what came of each.
class VerifyRun {
 public:
  explicit VerifyRun(const flags::VerifyFlags& flags);
  int run();

 private:
  void open_candidate();
  void open_device();
  void open_foreign();
  void feed_as_candidate(Batch& batch) const;
  void open_profile();
  void open_policy(Batch& batch) const;
  bool knows_subnormals() const;
  bool device_flushes_subnormals() const;
  cases::Executors executors();
  void print_plan(const ir::Graph& graph);
  report::Detail detail() const;
  void report(const cases::CaseResult& result, bool is_one_of_many, report::Times times);
  bool run_graph(const Batch& batch, const std::string& path, const cases::Executors& executors,
                 const verify::VerifyOptions& options, results::Recorder* recorder);
  bool run_by_each_kernel(const Batch& batch, const std::string& path, const cases::Executors& executors,
                          const verify::VerifyOptions& options, results::Recorder* recorder);
  bool run_batch(const Batch& batch, cases::Executors executors, results::Recorder* recorder);
  core::Coverage min_verified() const;
  report::RunFacts facts(core::Outcome outcome) const;
  void require_some_match() const;
  std::map<std::string, const policy::Gate*> gates() const;
  std::vector<core::RunFinding> expired_rules() const;
  std::vector<core::RunFinding> findings() const;
  std::string cut_off(VerifyReports& reports, const std::string& problem = "");
  void record(cases::CaseResult result, results::Recorder* recorder);
  void leave_out(std::uint64_t cases, results::Recorder* recorder);
  void print_end() const;
  verify::VerifyOptions options(const Batch& batch) const;
  void leave_reports(VerifyReports& reports, const std::string& problem);
  flags::Outputs outputs_beside() const;
  std::unique_ptr<results::Recorder> open_record(const flags::Outputs& outputs) const;

  const flags::VerifyFlags& flags_;
  flags::DeviceFlags device_flags_;  ///< with the device that --candidate names
  std::ostream& out_;                ///< for people: stderr when stdout carries a report
  const core::terminal::Style style_;
  const core::ThreadLimit comparing_;
  ref_cpu::CpuExecutor reference_;
  gpu_vulkan::device::VulkanOptions options_;  ///< those that a repro line repeats
  cases::RunSettings settings_;
  std::unique_ptr<gpu_vulkan::VulkanExecutor> device_;
  std::string why_no_device_;
  library::OpenedCandidate other_;  ///< who is judged, where that is not the device
  std::vector<Batch> batches_;
  profile::DeviceProfile profile_ = profile::safe_profile();
  std::optional<std::uint64_t> planned_;  ///< cases; nothing where they are found on the way
  std::vector<cases::CaseResult> results_;
  std::vector<core::CaseEnd> ends_;  ///< all of them, also those whose nodes are not kept
  report::Counts counts_;
};

}  // namespace plumb::parity::cli
