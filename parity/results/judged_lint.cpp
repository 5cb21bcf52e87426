#include "parity/results/judged_lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parity/policy/policy_gate.hpp"
#include "parity/policy/policy_lint.hpp"

namespace plumb::parity::results {
namespace {

/// Whether the policy holds the vacuity of outputs to a limit, and no run says any.
bool has_idle_vacuity(const policy::Policy& policy, std::span<const JudgedRun> runs) {
  return policy.budget.max_vacuity && std::ranges::none_of(runs, [](const JudgedRun& run) {
           return std::ranges::any_of(run.nodes, [](const JudgedNode& node) { return !std::isnan(node.vacuity); });
         });
}

}  // namespace

std::vector<std::string> lint(const policy::Policy& policy, std::chrono::sys_days today,
                              std::span<const JudgedRun> runs) {
  std::vector<std::string> findings = policy::lint(policy, today);
  std::vector<std::size_t> used(policy.rules.size()), loose(policy.rules.size());
  std::vector<std::string> names;
  for (const JudgedRun& run : runs)
    for (const JudgedNode& node : run.nodes) {
      if (!node.was_compared) continue;
      names.push_back(node.name);
      if (!node.rule) continue;
      ++used[*node.rule];
      loose[*node.rule] += !node.within_bound && node.verdict == core::Verdict::passed;
    }
  for (std::size_t r = 0; r < policy.rules.size(); ++r) {
    const policy::Rule& rule = policy.rules[r];
    if (used[r] == 0 && !policy::is_expired(rule, today))
      findings.push_back(policy::finding_at(policy, rule) + "unused: it decides no output");
    if (loose[r] > 0)
      findings.push_back(policy::finding_at(policy, rule) +
                         fmt::format("looser than the bound: {} outputs pass that the bound fails", loose[r]));
  }
  for (std::string& finding : policy::idle_budgets(policy, names)) findings.push_back(std::move(finding));
  if (has_idle_vacuity(policy, runs))
    findings.push_back(fmt::format("{}:{}: [budget] max_vacuity unused: no run says the vacuity of an output",
                                   policy.file, policy.budget.line));
  return findings;
}

}  // namespace plumb::parity::results
