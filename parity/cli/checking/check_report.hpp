#pragma once

// Results of checks as they come: a line each, the reports, and the exit code.

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "ir/files/output_file.hpp"
#include "parity/cli/checking/check_flags.hpp"

namespace plumb::parity::cli {

/// A line says this of a check before its result.
struct CheckLabel {
  std::string what, fill;
  std::size_t width = 0;  ///< columns of `what`
  std::uint64_t seed = 1;
};

/// Why a check came out as it did, in one line; "" where it passed.
std::string reason_of(const cases::CaseResult& result);

class CheckReport {
 public:
  /// Opens the files of the reports, none of which is one of `inputs`, which the command reads. Throws Error.
  CheckReport(const CheckFlags& flags, std::vector<std::filesystem::path> inputs);

  /// Where people read: stderr when stdout carries a report.
  std::ostream& out() const { return out_; }

  /// Prints a check and keeps its result.
  void add(const CheckLabel& label, cases::CaseResult result);

  /// Prints how many came out how, and `remark`, writes the reports, and returns the exit code.
  int finish(const std::string& remark = "");

 private:
  void say(const CheckLabel& label, const cases::CaseResult& result) const;
  std::string summary() const;

  const CheckFlags& flags_;
  std::ostream& out_;
  const core::terminal::Style style_;
  std::unique_ptr<ir::files::OutputFile> json_, junit_;
  std::vector<cases::CaseResult> results_;
};

}  // namespace plumb::parity::cli
