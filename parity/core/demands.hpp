#pragma once

// What a run ends with, by what is asked of its cases.

#include <span>
#include <string>
#include <vector>

#include "parity/core/verdict.hpp"

namespace plumb::parity::core {

/// What is asked of every case beyond that none fails.
struct Demands {
  bool strict = false;    ///< that nothing was left unverified where anything ran (verdict.md V11)
  bool verified = false;  ///< that every case was verified: what did not run at all is no better than what was doubted
};

/// What one case came to.
struct CaseEnd {
  ExitCode usual = ExitCode::passed;
  Verdict verdict = Verdict::passed;
  std::vector<Verdict> nodes = {};  ///< as counted by strict
  std::string name = {};
  std::vector<std::string> labels = {};  ///< what each of the nodes is called
};

/// The exit code of a run. Where a demand is not met it is ExitCode::mistrusted, unless something worse happened. A run
/// in which nothing ran at all stays one of those, but where every case is to be verified.
ExitCode exit_code(std::span<const CaseEnd> cases, const Demands& demands);

/// Why that code is ExitCode::mistrusted: a line for each demand that was not met, with three of what missed it.
/// Empty where the code is another.
std::string unmet(std::span<const CaseEnd> cases, const Demands& demands);

}  // namespace plumb::parity::core
