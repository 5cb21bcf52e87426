#pragma once

#include <array>
#include <span>
#include <string_view>

namespace plumb::parity::core {

/// What is said of a node, and of a case.
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
};

constexpr auto enum_names(Verdict) {
  return std::array<std::string_view, 10>{"passed",  "failed",      "mistrusted", "nondeterministic", "fallback",
                                          "skipped", "unsupported", "error",      "xfailed",          "xpassed"};
}

/// What the process ends with (verdict.md V11).
enum class ExitCode : int {
  passed = 0,
  failed = 1,
  tool_error = 2,    ///< usage, a file, anything that is not about numbers
  device_error = 3,  ///< out of memory, lost
  mistrusted = 4,    ///< nothing worse, and the caller is strict
  nothing_ran = 77,  ///< no device, everything skipped
};

/// What a case ends with, when its verdict is all that is known.
ExitCode exit_code(Verdict verdict);

/// The verdict of a case from those of its nodes: the worst; of what was not
/// compared only when nothing was.
Verdict overall(std::span<const Verdict> nodes);

/// The exit code of a run from those of its cases: trouble before failure before
/// success; nothing_ran only when no case ran.
ExitCode overall(std::span<const ExitCode> cases);

}  // namespace plumb::parity::core
