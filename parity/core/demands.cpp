// The exit code of several cases by what was asked of them: all of them passed, strictly, or verified.
#include "parity/core/demands.hpp"

#include <algorithm>
#include <utility>

#include "ir/error.hpp"

namespace plumb::parity::core {
namespace {

bool is_verified(const CaseEnd& one) {
  return one.usual != ExitCode::nothing_ran && one.verdict != Verdict::mistrusted &&
         one.verdict != Verdict::out_of_range && one.verdict != Verdict::xpassed;
}

using Doubts = std::vector<std::pair<std::string, Verdict>>;

/// Nodes that are not verified, or cases that have none.
Doubts doubts_of(std::span<const CaseEnd> cases) {
  Doubts doubts;
  for (const CaseEnd& one : cases) {
    const std::size_t before = doubts.size();
    for (std::size_t n = 0; n < one.nodes.size(); ++n)
      if (strict_exit_code(ExitCode::passed, Verdict::passed, std::span(&one.nodes[n], 1)) == ExitCode::mistrusted)
        doubts.emplace_back(one.labels[n], one.nodes[n]);
    if (doubts.size() == before && strict_exit_code(ExitCode::passed, one.verdict, {}) == ExitCode::mistrusted)
      doubts.emplace_back(one.name, one.verdict);
  }
  return doubts;
}

std::string say(std::string_view demand, std::string_view noun, const Doubts& doubts) {
  constexpr std::size_t most = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, doubts.size()); ++i)
    names += ir::cat(i == 0 ? "" : ", ", doubts[i].first, " (", ir::enum_name(doubts[i].second), ")");
  if (doubts.size() > most) names += ir::cat(" and ", doubts.size() - most, " more");
  return ir::cat(demand, ": ", noun, " not verified: ", names, "; exit code 4\n");
}

}  // namespace

std::string unmet(std::span<const CaseEnd> cases, const Demands& demands) {
  const auto is_why = [&](const Demands& some) { return exit_code(cases, some) == ExitCode::mistrusted; };
  if (!is_why(demands)) return "";
  std::string lines;
  if (demands.strict && is_why({.strict = true})) lines += say("--strict", "nodes or cases", doubts_of(cases));
  if (demands.verified && is_why({.verified = true})) {
    Doubts missed;
    for (const CaseEnd& one : cases)
      if (!is_verified(one)) missed.emplace_back(one.name, one.verdict);
    lines += say("--require-verified", "cases", missed);
  }
  return lines;
}

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
