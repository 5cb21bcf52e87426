#pragma once

#include <array>
#include <span>
#include <string_view>

namespace plumb::parity::core {

/// The verdict on a node, and on a case.
enum class Verdict {
  passed,            ///< every element within its limit
  failed,            ///< at least one is not
  mistrusted,        ///< within the limit, but the case proves nothing (ops.md D.8)
  nondeterministic,  ///< two runs on the same inputs gave different bits
  fallback,          ///< ran on the host: nothing was verified on the device
  skipped,           ///< not compared: filtered out, or computed inside another node
  unsupported,       ///< no device, or one that cannot run this
  error,             ///< the case could not be carried out
  xfailed,           ///< failed, as a rule of the policy says it will
  xpassed,           ///< a rule says that it will fail, and it did not
  out_of_range,      ///< an intermediate result left the range of the type, here and on any device: nothing to judge
  quarantined,       ///< it went wrong in a way that the policy knows of, and excuses for a while
};

constexpr auto enum_names(Verdict) {
  return std::array<std::string_view, 12>{"passed",   "failed",  "mistrusted",   "nondeterministic",
                                          "fallback", "skipped", "unsupported",  "error",
                                          "xfailed",  "xpassed", "out_of_range", "quarantined"};
}

/// Whether there is nothing to say of a node: it passed, or was not asked.
constexpr bool is_fine(Verdict verdict) { return verdict == Verdict::passed || verdict == Verdict::skipped; }

/// The exit code of the process (verdict.md V11).
enum class ExitCode : int {
  passed = 0,
  failed = 1,
  tool_error = 2,    ///< usage, a file, anything that is not about numbers
  device_error = 3,  ///< out of memory, lost
  mistrusted = 4,    ///< nothing worse, and the caller is strict
  nothing_ran = 77,  ///< no device, everything skipped
};

/// The exit code of a case, when its verdict is all that is known.
ExitCode exit_code(Verdict verdict);

/// Whether --fail-fast stops behind a case of this exit code: one with nothing to compare has not failed.
inline bool is_failure(ExitCode code) { return code != ExitCode::passed && code != ExitCode::nothing_ran; }

/// The exit code of a case under --strict, which counts all that was not verified: a case that is mistrusted or
/// unsupported, and one with a node that is, or that ran on the host or passed against expectation (verdict.md V11).
ExitCode strict_exit_code(ExitCode usual, Verdict verdict, std::span<const Verdict> nodes);

/// The verdict of a node as --strict counts it: one that is skipped since it has no truth is one that is mistrusted.
constexpr Verdict as_counted_by_strict(Verdict verdict, bool lacks_truth) {
  return lacks_truth ? Verdict::mistrusted : verdict;
}

/// How much of a case was verified, as shares of its FLOPs and of its elements (verdict.md V10).
struct Coverage {
  double flops = 1, elements = 1;

  bool reaches(const Coverage& least) const { return flops >= least.flops && elements >= least.elements; }
};
inline constexpr Coverage usual_coverage{0.90, 0.50}, strict_coverage{0.95, 0.80};

/// Whether a case of which both may be said is `a`: the one that says more of what is wrong counts.
bool is_worse(Verdict a, Verdict b);

/// The verdict of a case from those of its nodes: the worst of those that say that something is wrong; of what was not
/// compared only when nothing was. Nodes that are mistrusted, or ran on the host, cost their share of what was
/// verified: a case in which nothing is worse is passed where that reaches `least`, else mistrusted.
Verdict overall(std::span<const Verdict> nodes, const Coverage& found = {}, const Coverage& least = usual_coverage);

/// The exit code of a run from those of its cases: trouble before failure before
/// success; nothing_ran only when no case ran.
ExitCode overall(std::span<const ExitCode> cases);

}  // namespace plumb::parity::core
