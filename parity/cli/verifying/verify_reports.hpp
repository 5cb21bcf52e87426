#pragma once

// The reports of `plumb verify`, of cases that are done and of those that were done when it was cut off.

#include <memory>
#include <ostream>
#include <span>

#include "ir/files/output_file.hpp"
#include "parity/cases/pair_result.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/verify_flags.hpp"
#include "parity/report/counts.hpp"
#include "parity/report/suites.hpp"

namespace plumb::parity::cli {

/// --json, --junit, --counts, --markdown, --html and --github. The files are opened before the work, so that none of it
/// is in vain.
class VerifyReports {
 public:
  /// `out` is where people read. Throws Error where a file cannot be written, or two go to stdout.
  VerifyReports(const flags::VerifyFlags& flags, const flags::Outputs& outputs, std::ostream& out);

  /// Whether a file is none, but a pipe or a device.
  bool has_stream() const;
  /// Writes the files.
  void write(std::span<const cases::CaseResult> cases, const report::RunFacts& facts, const report::Counts& counts,
             std::span<const cases::PairResult> pairs);
  /// Annotates, and appends a summary, where that was asked for.
  void tell_github(std::span<const cases::CaseResult> cases, const report::RunFacts& facts) const;
  /// Both of what was done, but for counts: those of a part would be taken for those of the whole. Whatever the line
  /// that people read is in, annotations begin another.
  void write_cut_off(std::span<const cases::CaseResult> cases, const report::RunFacts& facts);

 private:
  void write_suites(std::span<const cases::CaseResult> cases, const report::RunFacts& facts);

  const flags::VerifyFlags& flags_;
  std::ostream& out_;
  const std::unique_ptr<ir::files::OutputFile> json_, counts_, junit_, markdown_, html_;
};

}  // namespace plumb::parity::cli
