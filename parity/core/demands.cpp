// The exit code of several cases by what was asked of them: all of them passed, strictly, or verified.
#include "parity/core/demands.hpp"

#include <algorithm>

namespace plumb::parity::core {
namespace {

bool is_verified(const CaseEnd& one) {
  return one.usual != ExitCode::nothing_ran && one.verdict != Verdict::mistrusted &&
         one.verdict != Verdict::out_of_range && one.verdict != Verdict::xpassed;
}

}  // namespace

ExitCode exit_code(std::span<const CaseEnd> cases, const Demands& demands) {
  const auto ran = [](const CaseEnd& one) { return one.usual != ExitCode::nothing_ran; };
  const bool any_ran = std::ranges::any_of(cases, ran);
  std::vector<ExitCode> codes;
  for (const CaseEnd& one : cases) {
    ExitCode code = demands.strict ? strict_exit_code(one.usual, one.verdict, one.nodes) : one.usual;
    // A model that cannot be read has no nodes to be strict about; beside one that ran it was not verified.
    const bool is_left_out = demands.strict && any_ran && one.verdict == Verdict::unsupported && !ran(one);
    const bool is_missed = demands.verified && !is_verified(one);
    if ((is_left_out || is_missed) && (code == ExitCode::passed || code == ExitCode::nothing_ran))
      code = ExitCode::mistrusted;
    codes.push_back(code);
  }
  return overall(std::span<const ExitCode>(codes));
}

}  // namespace plumb::parity::core
