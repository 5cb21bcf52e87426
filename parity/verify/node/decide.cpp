#include "parity/verify/node/decide.hpp"

#include <fmt/format.h>

namespace plumb::parity::verify {
namespace {

/// Why agreement proves nothing; "" where it does. An expected failure is one of numbers, so that nothing is asked of
/// what agrees.
std::string doubt_of(const Facts& facts, bool is_expected) {
  const cases::NodeResult& result = facts.result;
  if (facts.is_foreign && result.replays.refutes()) return result.replays.said(result.name(), result.kernel);
  if (is_expected) return "";
  const std::string doubt = result.telling.mistrust();
  return doubt.empty() ? result.sensitivity.mistrust() : doubt;
}

/// That bits differ between runs, and whether that begins here.
std::string instability_of(const Facts& facts) {
  const std::string text = "another run on the same inputs gave other bits";
  if (facts.unstable_operand.empty()) return text + " from equal operands";
  return text + "; so did its operand '" + facts.unstable_operand + "'";
}

}  // namespace

Decision decide(const Facts& facts) {
  using core::Verdict;
  const cases::NodeResult& result = facts.result;
  const policy::Judgement& gate = facts.gate;
  if (result.oracle.bad + result.oracle.bad_limits > 0) return {Verdict::error, result.oracle.said(result.op)};
  if (const compare::Comparison& gated = result.gated(); gated.n_without_limit > 0)
    return {Verdict::error,
            fmt::format("{} of {} elements have a limit that is not finite: the error model of '{}' is wrong here",
                        gated.n_without_limit, gated.n, result.op)};
  const bool is_expected = gate.verdict == Verdict::xfailed;
  const bool holds = gate.verdict == Verdict::passed || gate.verdict == Verdict::xpassed;
  if (!holds && !is_expected) return {gate.verdict, gate.why};
  if (!facts.refuted.empty()) return {Verdict::failed, facts.refuted};
  if (facts.is_refused_by_statistics) return {Verdict::failed, result.statistics.finding};
  if (facts.is_whole)
    return {Verdict::mistrusted, "computed otherwise where nobody looks: the plain run has other bits"};
  if (facts.is_unstable) return {Verdict::nondeterministic, instability_of(facts)};
  if (facts.is_fallback) return {Verdict::fallback, "ran on the host: " + result.placement_reason};
  if (result.local.n > 0 && result.settled.out_of_range == result.local.n)
    return {Verdict::out_of_range, "intermediate results leave the range of the type, on the host as well"};
  if (result.type.shape.elements() == 0) return {Verdict::skipped, "empty"};
  const std::string doubt = doubt_of(facts, is_expected);
  if (doubt.empty()) return {gate.verdict, gate.why};
  if (facts.is_given) return {Verdict::skipped, "given by the graph"};
  if (facts.moves_zeros) return {Verdict::skipped, "zeros of an input, moved: its bits agree"};
  return {Verdict::mistrusted, doubt};
}

}  // namespace plumb::parity::verify
