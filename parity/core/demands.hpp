#pragma once

// The exit code of a run, by the demands on its cases.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parity/core/verdict.hpp"

namespace plumb::parity::core {

/// Demands on every case beyond that none fails.
struct Demands {
  bool strict = false;    ///< that nothing was left unverified where anything ran (verdict.md V11)
  bool verified = false;  ///< that every case was verified: one that did not run at all is no better than one in doubt
};

/// The end of one case: its exit code, and the verdicts that led to it.
struct CaseEnd {
  ExitCode usual = ExitCode::passed;
  Verdict verdict = Verdict::passed;
  std::vector<Verdict> nodes = {};  ///< as counted by strict
  std::string name = {};
  std::vector<std::string> labels = {};  ///< name of each of the nodes
};

/// A case with as many nodes as decide: those that are in doubt or, where there are none, one of the others.
CaseEnd doubts_in(const CaseEnd& one);

/// A fault of a run as a whole, whatever the verdicts of its cases.
struct RunFinding {
  std::string kind = {};                                             ///< "cut_off", "expired_rule", "unused_limit"
  std::string text = {};                                             ///< a line
  ExitCode usual = ExitCode::passed, strict = ExitCode::mistrusted;  ///< exit code of the run, unless a worse one

  ExitCode code(const Demands& demands) const { return demands.strict ? strict : usual; }
};

/// "cut off: 31 of 200 cases", or "cut off: 31 cases" where the planned number is not known.
RunFinding cut_off(std::uint64_t done, std::optional<std::uint64_t> planned);

/// That device faults had these cases tried again.
RunFinding tried_again(std::span<const std::string> cases);

/// The exit code of a run by its demands, and what led to it.
struct Outcome {
  Demands demands = {};
  std::vector<ExitCode> cases = {};  ///< each case by itself; empty: by its verdict alone
  std::vector<RunFinding> findings = {};
  ExitCode exit = ExitCode::passed;
};

Outcome outcome_of(std::span<const CaseEnd> cases, const Demands& demands, std::vector<RunFinding> findings = {});

/// The exit code of a run. Where a demand is not met it is ExitCode::mistrusted, unless something worse happened. A run
/// in which nothing ran at all stays one of those, but where every case is to be verified, or it was cut off.
ExitCode exit_code(std::span<const CaseEnd> cases, const Demands& demands);

/// Why that code is ExitCode::mistrusted: a line for each demand that was not met, with three of what missed it.
/// Empty where the code is another. A line for each finding whatever the code is, those that decide it last.
std::string unmet(std::span<const CaseEnd> cases, const Demands& demands, std::span<const RunFinding> findings = {});

}  // namespace plumb::parity::core
