#include "parity/core/verdict.hpp"

#include <algorithm>

namespace plumb::parity::core {
namespace {

/// Verdicts of nodes that become the verdict of their case, the worst first.
constexpr std::array worse = {Verdict::error, Verdict::failed, Verdict::nondeterministic, Verdict::unsupported,
                              Verdict::xpassed};

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
    case Verdict::out_of_range:
    case Verdict::quarantined:
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

ExitCode strict_exit_code(ExitCode usual, Verdict verdict, std::span<const Verdict> nodes) {
  const auto is_doubtful = [](Verdict one) {
    return one == Verdict::mistrusted || one == Verdict::unsupported || one == Verdict::xpassed ||
           one == Verdict::fallback || one == Verdict::out_of_range || one == Verdict::quarantined;
  };
  const bool may_be_worse = usual == ExitCode::passed || usual == ExitCode::nothing_ran;
  const bool is_in_doubt = is_doubtful(verdict) || std::ranges::any_of(nodes, is_doubtful);
  // Without a device there is nothing to be strict about.
  const bool ran = usual == ExitCode::passed || !nodes.empty();
  return may_be_worse && is_in_doubt && ran ? ExitCode::mistrusted : usual;
}

bool is_worse(Verdict a, Verdict b) {
  const auto rank = [](Verdict one) {
    const auto place = std::ranges::find(worse, one) - worse.begin();
    return one == Verdict::mistrusted || place < std::ssize(worse) ? place : place + 1;
  };
  return rank(a) < rank(b);
}

Verdict overall(std::span<const Verdict> nodes, const Coverage& found, const Coverage& least) {
  constexpr std::array compared = {Verdict::passed, Verdict::mistrusted, Verdict::out_of_range};
  constexpr std::array rest = {Verdict::quarantined, Verdict::xfailed, Verdict::fallback};
  const Verdict worst = first_found(worse, nodes, Verdict::skipped);
  if (worst != Verdict::skipped) return worst;
  const Verdict best = first_found(compared, nodes, Verdict::skipped);
  if (best == Verdict::skipped) return first_found(rest, nodes, Verdict::skipped);
  return best == Verdict::passed && found.reaches(least) ? Verdict::passed : Verdict::mistrusted;
}

ExitCode overall(std::span<const ExitCode> cases) {
  constexpr std::array order = {ExitCode::device_error, ExitCode::tool_error, ExitCode::failed, ExitCode::mistrusted,
                                ExitCode::passed};
  return first_found(order, cases, ExitCode::nothing_ran);
}

}  // namespace plumb::parity::core
