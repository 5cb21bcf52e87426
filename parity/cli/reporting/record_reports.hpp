#pragma once

// Reports that are written from results files, by `plumb judge` and `plumb report`.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/files/output_file.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/policy/policy.hpp"
#include "parity/report/viewers/cases.hpp"
#include "parity/results/judge.hpp"

namespace plumb::parity::cli {

struct RecordReportFlags {
  std::string json, junit, markdown, html;
  bool force = false, github = false;
};

/// --json, --junit, --markdown, --html, --github and --force.
void add_record_report_flags(CLI::App& app, RecordReportFlags& flags);

/// The runs of several files and their findings: equal ones once, a file that was cut off by its name.
results::JudgedFile judge_all(const std::vector<std::string>& files, const policy::Policy* policy,
                              const std::string& explain, std::chrono::sys_days today = policy::today());

/// The cases of these runs, one at a time in `held`, since a file may have thousands.
report::Cases cases_of(const std::vector<results::JudgedRun>& runs, cases::CaseResult& held);

/// The page of these runs, of which somebody made the suites.
std::string page_of(const results::JudgedFile& judged, std::span<const report::Suite> suites,
                    const report::RunFacts& facts);

/// The files of these flags, which are opened before the work, so that none of it is in vain.
class RecordReports {
 public:
  /// Throws Error where a file cannot be written, or two go to stdout.
  RecordReports(const RecordReportFlags& flags, const flags::Outputs& outputs);

  /// Whether stdout carries a report, so that people read stderr.
  bool is_on_stdout() const;
  void write(const results::JudgedFile& judged, const core::Outcome& outcome, std::ostream& out);

 private:
  const RecordReportFlags& flags_;
  const std::unique_ptr<ir::files::OutputFile> json_, junit_, markdown_, html_;
};

}  // namespace plumb::parity::cli
