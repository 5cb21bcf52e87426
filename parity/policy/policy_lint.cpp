#include "parity/policy/policy_lint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/raw/glob.hpp"
#include "parity/policy/policy_lax.hpp"

namespace plumb::parity::policy {
namespace {

/// A glob without ? and with at most stars of its own is a text that another glob may match.
bool covers(const std::string& outer, const std::string& inner) {
  if (outer == inner || outer == "*") return true;
  return inner.find_first_of("*?") == std::string::npos && ir::raw::glob_matches(outer, inner);
}

bool covers(const Selector& outer, const Selector& inner) {
  for (const std::string& one : inner.patterns) {
    const auto is_outer = [&](const std::string& other) { return covers(other, one); };
    if (!outer.patterns.empty() && std::ranges::none_of(outer.patterns, is_outer)) return false;
  }
  if (!outer.number) return true;
  return inner.number && outer.number->covers(*inner.number);
}

/// Whether a list lets a ratio above 1 pass: limits that depend on the node are tried where they are small.
bool is_loose(const std::vector<Requirement>& require) {
  for (const Requirement& one : require) {
    if (one.measure == Measure::ratio_max && one.limit.value({.n = 1, .k = 1}) > 1) return true;
    if (std::ranges::any_of(one.any, is_loose)) return true;
  }
  return false;
}

}  // namespace

std::string finding_at(const Policy& policy, const Rule& rule) {
  return fmt::format("{}:{}: rule {}: ", policy.file, rule.line, rule.id);
}

bool is_expired(const Rule& rule, std::chrono::sys_days today) { return rule.expires && *rule.expires < today; }

std::vector<core::RunFinding> expired_rules(const Policy& policy, std::chrono::sys_days today) {
  std::vector<core::RunFinding> found;
  for (const Rule& rule : policy.rules)
    if (is_expired(rule, today))
      found.push_back({.kind = "expired_rule",
                       .text = fmt::format("rule {} expired on {}, matches nothing", rule.id, to_text(*rule.expires))});
  for (const Quarantine& one : policy.quarantines)
    if (is_over(one, today))
      found.push_back(
          {.kind = "expired_rule",
           .text = fmt::format("quarantine {} ended on {}, excuses nothing", one.id, to_text(one.expires))});
  return found;
}

bool covers(const Rule& outer, const Rule& inner) {
  return std::ranges::all_of(outer.match, [&](const Selector& wanted) {
    const auto found = std::ranges::find(inner.match, wanted.key, &Selector::key);
    if (found != inner.match.end()) return covers(wanted, *found);
    return !wanted.number && std::ranges::find(wanted.patterns, "*") != wanted.patterns.end();
  });
}

std::vector<std::string> lint(const Policy& policy, std::chrono::sys_days today) {
  std::vector<std::string> findings;
  for (std::size_t r = 0; r < policy.rules.size(); ++r) {
    const Rule& rule = policy.rules[r];
    if (is_expired(rule, today)) {
      findings.push_back(finding_at(policy, rule) + "expired on " + to_text(*rule.expires));
      continue;
    }
    for (std::size_t before = 0; before < r; ++before) {
      const Rule& earlier = policy.rules[before];
      if (earlier.expires || !covers(earlier, rule)) continue;  // it will be asked again once that is over
      findings.push_back(finding_at(policy, rule) + "shadowed by rule " + where(policy, earlier));
      break;
    }
    if (!rule.expects_failure && is_loose(rule.require))
      findings.push_back(finding_at(policy, rule) + "looser than the bound: ratio_max above 1");
  }
  for (const Quarantine& one : policy.quarantines) {
    const std::string at = fmt::format("{}:{}: quarantine {}: ", policy.file, one.line, one.id);
    if (is_over(one, today))
      findings.push_back(at + "ended on " + to_text(one.expires));
    else if (one.expires - today <= std::chrono::weeks(2))
      findings.push_back(at + "ends on " + to_text(one.expires));
  }
  for (std::string& finding : lax(policy, today)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace plumb::parity::policy
