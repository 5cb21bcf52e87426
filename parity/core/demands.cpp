// The exit code of several cases by what was asked of them: all of them passed, strictly, or verified.
#include "parity/core/demands.hpp"

#include <algorithm>
#include <utility>

#include "ir/attribute.hpp"
#include "ir/error.hpp"

namespace plumb::parity::core {
namespace {

bool is_verified(const CaseEnd& one) {
  return one.usual != ExitCode::nothing_ran && one.verdict != Verdict::mistrusted &&
         one.verdict != Verdict::out_of_range && one.verdict != Verdict::xpassed && one.verdict != Verdict::quarantined;
}

bool ran(const CaseEnd& one) { return one.usual != ExitCode::nothing_ran; }

ExitCode code_of(const CaseEnd& one, const Demands& demands, bool any_ran) {
  const ExitCode code = demands.strict ? strict_exit_code(one.usual, one.verdict, one.nodes) : one.usual;
  // A model that cannot be read has no nodes to be strict about; beside one that ran it was not verified.
  const bool is_left_out = demands.strict && any_ran && one.verdict == Verdict::unsupported && !ran(one);
  const bool is_missed = demands.verified && !is_verified(one);
  const bool may_be_worse = code == ExitCode::passed || code == ExitCode::nothing_ran;
  return (is_left_out || is_missed) && may_be_worse ? ExitCode::mistrusted : code;
}

/// Where nothing ran there is nothing to be strict about.
bool counts(const RunFinding& finding, const Demands& demands, bool any_ran) {
  return finding.code(demands) != ExitCode::passed && (any_ran || finding.usual != ExitCode::passed);
}

bool is_doubtful(const Verdict& node) {
  return strict_exit_code(ExitCode::passed, Verdict::passed, std::span(&node, 1)) == ExitCode::mistrusted;
}

using Doubts = std::vector<std::pair<std::string, Verdict>>;

/// Nodes that are not verified, or cases that have none.
Doubts doubts_of(std::span<const CaseEnd> cases) {
  Doubts doubts;
  for (const CaseEnd& one : cases) {
    const std::size_t before = doubts.size();
    for (std::size_t n = 0; n < one.nodes.size(); ++n)
      if (is_doubtful(one.nodes[n])) doubts.emplace_back(one.labels[n], one.nodes[n]);
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

CaseEnd doubts_in(const CaseEnd& one) {
  CaseEnd doubts{.usual = one.usual, .verdict = one.verdict, .name = one.name};
  for (std::size_t n = 0; n < one.nodes.size(); ++n)
    if (is_doubtful(one.nodes[n])) {
      doubts.nodes.push_back(one.nodes[n]);
      doubts.labels.push_back(one.labels.at(n));
    }
  if (doubts.nodes.empty() && !one.nodes.empty()) {
    doubts.nodes.push_back(one.nodes[0]);
    doubts.labels.push_back(one.labels.at(0));
  }
  return doubts;
}

RunFinding tried_again(std::span<const std::string> cases) {
  constexpr std::size_t most = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(most, cases.size()); ++i) names += (i == 0 ? "" : ", ") + cases[i];
  if (cases.size() > most) names += ir::cat(" and ", cases.size() - most, " more");
  return {.kind = "retried", .text = "tried again after a device fault: " + names};
}

RunFinding cut_off(std::uint64_t done, std::optional<std::uint64_t> planned) {
  const std::string of = planned ? ir::cat(" of ", *planned) : "";
  const bool is_one = planned.value_or(done) == 1;
  return {.kind = "cut_off",
          .text = ir::cat("cut off: ", done, of, is_one ? " case" : " cases"),
          .usual = ExitCode::mistrusted,
          .strict = ExitCode::tool_error};
}

Outcome outcome_of(std::span<const CaseEnd> cases, const Demands& demands, std::vector<RunFinding> findings) {
  Outcome outcome{.demands = demands, .findings = std::move(findings)};
  const bool any_ran = std::ranges::any_of(cases, ran);
  for (const CaseEnd& one : cases) outcome.cases.push_back(code_of(one, demands, any_ran));
  std::vector<ExitCode> codes = outcome.cases;
  for (const RunFinding& finding : outcome.findings)
    if (counts(finding, demands, any_ran)) codes.push_back(finding.code(demands));
  outcome.exit = overall(std::span<const ExitCode>(codes));
  return outcome;
}

ExitCode exit_code(std::span<const CaseEnd> cases, const Demands& demands) { return outcome_of(cases, demands).exit; }

std::string unmet(std::span<const CaseEnd> cases, const Demands& demands, std::span<const RunFinding> findings) {
  const ExitCode exit = outcome_of(cases, demands, {findings.begin(), findings.end()}).exit;
  const auto is_why = [&](const Demands& some) { return exit_code(cases, some) == ExitCode::mistrusted; };
  std::string lines;
  if (exit == ExitCode::mistrusted && demands.strict && is_why({.strict = true}))
    lines += say("--strict", "nodes or cases", doubts_of(cases));
  if (exit == ExitCode::mistrusted && demands.verified && is_why({.verified = true})) {
    Doubts missed;
    for (const CaseEnd& one : cases)
      if (!is_verified(one)) missed.emplace_back(one.name, one.verdict);
    lines += say("--require-verified", "cases", missed);
  }
  std::string last;
  const bool any_ran = std::ranges::any_of(cases, ran);
  for (const RunFinding& finding : findings) {
    const bool decides = counts(finding, demands, any_ran) && finding.code(demands) == exit;
    const char* const demand = decides && finding.usual == ExitCode::passed ? "--strict: " : "";
    (decides ? last : lines) +=
        ir::cat(demand, finding.text, decides ? ir::cat("; exit code ", static_cast<int>(exit)) : std::string(), '\n');
  }
  return lines + last;
}

}  // namespace plumb::parity::core
