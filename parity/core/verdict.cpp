#include "parity/core/verdict.hpp"

#include <algorithm>

namespace plumb::parity::core {
namespace {

/// The first of `order` that occurs in `found`, or `otherwise`.
template <class T, std::size_t n>
T first_found(const std::array<T, n>& order, std::span<const T> found, T otherwise) {
  for (const T candidate : order)
    if (std::ranges::find(found, candidate) != found.end()) return candidate;
  return otherwise;
}

}  // namespace

ExitCode exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
    case Verdict::mistrusted:
    case Verdict::xfailed:
    case Verdict::xpassed:
      return ExitCode::passed;
    case Verdict::failed:
    case Verdict::nondeterministic:
      return ExitCode::failed;
    case Verdict::error:
      return ExitCode::tool_error;
    case Verdict::fallback:
    case Verdict::skipped:
    case Verdict::unsupported:
      break;
  }
  return ExitCode::nothing_ran;
}

Verdict overall(std::span<const Verdict> nodes) {
  constexpr std::array order = {Verdict::error,       Verdict::failed,  Verdict::nondeterministic,
                                Verdict::unsupported, Verdict::xpassed, Verdict::mistrusted,
                                Verdict::passed,      Verdict::xfailed, Verdict::fallback};
  return first_found(order, nodes, Verdict::skipped);
}

ExitCode overall(std::span<const ExitCode> cases) {
  constexpr std::array order = {ExitCode::device_error, ExitCode::tool_error, ExitCode::failed, ExitCode::mistrusted,
                                ExitCode::passed};
  return first_found(order, cases, ExitCode::nothing_ran);
}

}  // namespace plumb::parity::core
