#include "parity/policy/policy_ratchet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/attribute.hpp"
#include "ir/raw/glob.hpp"
#include "parity/policy/policy_lint.hpp"

namespace plumb::parity::policy {
namespace {

// ---- requirements

const std::vector<Requirement>& bound() {
  static const std::vector<Requirement> all = {{.measure = Measure::ratio_max, .limit = {1}}};
  return all;
}

const std::vector<Requirement>& required(const Rule& rule) { return rule.require.empty() ? bound() : rule.require; }

/// Sizes, roundoffs and norms that limits are compared on.
std::vector<Variables> samples() {
  std::vector<Variables> all;
  for (const double n : {1.0, 1024.0, 0x1p24})
    for (const double k : {1.0, 64.0, 0x1p16})
      for (const double u_out : {0x1p-53, 0x1p-24, 0x1p-11, 0x1p-8})
        for (const double m : {0x1p-20, 1.0, 0x1p20})
          all.push_back({n, k, std::min(u_out, 0x1p-24), u_out, n * m, std::sqrt(n) * m, m});
  return all;
}

bool is_no_looser(const Limit& now, const Limit& before, bool least) {
  if (!now.expression.empty() && now.expression == before.expression) return true;
  return std::ranges::all_of(samples(), [&](const Variables& at) {
    return least ? now.value(at) >= before.value(at) : now.value(at) <= before.value(at);
  });
}

/// Whether what holds `now` holds `before`, one requirement each.
bool implies(const Requirement& now, const Requirement& before) {
  // A correctly rounded element is within every bound: none is less than half a spacing.
  if (now.measure == Measure::bitwise && before.measure == Measure::ratio_max)
    return is_no_looser({1}, before.limit, false);
  if (now.measure != before.measure) return false;
  if (now.measure == Measure::allclose) return now.relative <= before.relative && now.absolute <= before.absolute;
  if (now.measure == Measure::bitwise || now.measure == Measure::replay) return true;
  return is_no_looser(now.limit, before.limit, is_at_least(now.measure));
}

bool implies(const std::vector<Requirement>& now, const Requirement& before) {
  const auto all_of = [&](const std::vector<Requirement>& choice) {
    return std::ranges::all_of(choice, [&](const Requirement& one) { return implies(now, one); });
  };
  if (before.measure == Measure::any && std::ranges::any_of(before.any, all_of)) return true;
  return std::ranges::any_of(now, [&](const Requirement& one) {
    const auto choice_implies = [&](const std::vector<Requirement>& choice) { return implies(choice, before); };
    if (one.measure == Measure::any) return std::ranges::all_of(one.any, choice_implies);
    return before.measure != Measure::any && implies(one, before);
  });
}

/// The first measure that `before` required and `now` does not, or "".
std::string dropped(const std::vector<Requirement>& now, const std::vector<Requirement>& before) {
  for (const Requirement& one : before)
    if (!implies(now, one)) return std::string(ir::enum_name(one.measure));
  return "";
}

/// In which way one rule asks for less than another, or "".
std::string less(const Rule& now, const Rule& before) {
  if (before.expects_failure && !now.expects_failure) return "";
  if (!before.expects_failure && now.expects_failure) return "expects a failure";
  if (now.expects_failure && now.excused_ratio > before.excused_ratio) return "expects a larger failure";
  if (now.expects_failure) return *now.expires > *before.expires ? "expects a failure for longer" : "";
  if (now.part != before.part) return "is about another part of the error";
  const std::string measure = dropped(required(now), required(before));
  return measure.empty() ? "" : measure + " may be worse";
}

/// In which way a quarantine excuses more than another, or "".
std::string more(const Quarantine& now, const Quarantine& before) {
  for (const Incident kind : now.kinds)
    if (std::ranges::count(before.kinds, kind) == 0) return fmt::format("excuses {}, too", ir::enum_name(kind));
  if (now.expires > before.expires) return "lasts until " + to_text(now.expires);
  if (now.since < before.since) return "begins on " + to_text(now.since);
  if (now.ratio_max > before.ratio_max) return "excuses larger failures";
  if (now.max_rate > before.max_rate) return "excuses more runs";
  const Rule nodes{.id = now.id, .match = now.match}, old_nodes{.id = before.id, .match = before.match};
  return covers(old_nodes, nodes) ? "" : "excuses other nodes";
}

// ---- which rules may meet

bool is_glob(const std::string& text) { return text.find_first_of("*?") != std::string::npos; }

bool overlap(const std::string& a, const std::string& b) {
  return (is_glob(a) && is_glob(b)) || ir::raw::glob_matches(a, b) || ir::raw::glob_matches(b, a);
}

bool overlap(const Selector& a, const Selector& b) {
  const auto meets_b = [&](const std::string& one) {
    return std::ranges::any_of(b.patterns, [&](const std::string& other) { return overlap(one, other); });
  };
  if (!a.patterns.empty() && !b.patterns.empty() && std::ranges::none_of(a.patterns, meets_b)) return false;
  if (!a.number || !b.number) return true;
  if (a.number->order == Order::equal) return b.number->holds(a.number->version);
  return b.number->order != Order::equal || a.number->holds(b.number->version);
}

bool overlap(const Rule& a, const Rule& b) {
  return std::ranges::all_of(a.match, [&](const Selector& one) {
    const auto found = std::ranges::find(b.match, one.key, &Selector::key);
    return found == b.match.end() || overlap(one, *found);
  });
}

/// Rules in force, in order; the last is the bound.
std::vector<Rule> in_force(const Policy& policy, std::chrono::sys_days today) {
  std::vector<Rule> rules;
  for (const Rule& rule : policy.rules)
    if (!rule.expires || *rule.expires >= today) rules.push_back(rule);
  rules.push_back({.id = "", .require = bound()});
  return rules;
}

std::string name_of(const Policy& policy, const Rule& rule) {
  return rule.id.empty() ? "the bound" : "rule " + where(policy, rule);
}

bool is_new_reason(const std::string& now, const std::string& before) { return !now.empty() && now != before; }

// ---- the findings

class Ratchet {
 public:
  Ratchet(const Policy& now, const Policy& before, std::chrono::sys_days today)
      : now_(now), before_(before), today_(today), rules_(in_force(now, today)), old_rules_(in_force(before, today)) {}

  std::vector<std::string> all() {
    for (std::size_t r = 0; r < rules_.size(); ++r) check_rule(r);
    check_outputs();
    check_shares();
    for (const Quarantine& one : now_.quarantines) check_quarantine(one);
    return std::move(findings_);
  }

 private:
  void check_rule(std::size_t r);
  void check_outputs();
  void check_shares();
  void check_quarantine(const Quarantine& now);
  bool decides(std::size_t r, const Rule& nodes) const {
    return std::none_of(rules_.begin(), rules_.begin() + static_cast<std::ptrdiff_t>(r),
                        [&](const Rule& earlier) { return covers(earlier, nodes); });
  }
  std::string old_reason(const Rule& rule) const {
    const auto found = std::ranges::find(before_.rules, rule.id, &Rule::id);
    return found == before_.rules.end() ? "" : found->reason;
  }
  void say(std::uint32_t line, const std::string& what) {
    findings_.push_back(fmt::format("{}:{}: {}", now_.file, line, what));
  }

  const Policy &now_, &before_;
  const std::chrono::sys_days today_;
  const std::vector<Rule> rules_, old_rules_;
  std::vector<std::string> findings_;
};

void Ratchet::check_rule(std::size_t r) {
  const Rule& rule = rules_[r];
  if (!decides(r, rule) || is_new_reason(rule.reason, old_reason(rule))) return;
  for (const Rule& old : old_rules_) {
    const std::string how = overlap(rule, old) && decides(r, old) ? less(rule, old) : "";
    if (!how.empty())
      say(rule.line, fmt::format("{} asks for less than {}: {}; a reason is wanted", name_of(now_, rule),
                                 name_of(before_, old), how));
    if (!how.empty() || covers(old, rule)) return;
  }
}

void Ratchet::check_outputs() {
  for (const OutputBudget& old : before_.outputs) {
    const auto keeps = [&](const OutputBudget& one) {
      const bool names_it =
          one.output == old.output || (!is_glob(old.output) && ir::raw::glob_matches(one.output, old.output));
      return names_it && (dropped(one.require, old.require).empty() || is_new_reason(one.reason, old.reason));
    };
    if (std::ranges::any_of(now_.outputs, keeps)) continue;
    const auto found = std::ranges::find(now_.outputs, old.output, &OutputBudget::output);
    const bool is_gone = found == now_.outputs.end();
    say(is_gone ? 1 : found->line,
        fmt::format("[output] '{}' {} ({}:{})", old.output,
                    is_gone ? "is held to nothing any more" : "asks for less; a reason is wanted", before_.file,
                    old.line));
  }
}

/// The issue of a quarantine is its reason: one that excuses more than an earlier one of that name, or of that issue,
/// wants an issue of its own.
void Ratchet::check_quarantine(const Quarantine& now) {
  if (is_over(now, today_)) return;
  auto old = std::ranges::find(before_.quarantines, now.id, &Quarantine::id);
  if (old == before_.quarantines.end()) old = std::ranges::find(before_.quarantines, now.issue, &Quarantine::issue);
  if (old == before_.quarantines.end() || is_new_reason(now.issue, old->issue)) return;
  const std::string how = more(now, *old);
  if (!how.empty())
    say(now.line, fmt::format("quarantine {} {}, which {} ({}:{}) did not; another issue is wanted", now.id, how,
                              old->id, before_.file, old->line));
}

void Ratchet::check_shares() {
  constexpr std::array strictness = {1, 0, 2};  // by match, forbid, ignore
  const auto rank = [&](NanRule rule) { return strictness[static_cast<std::size_t>(rule)]; };
  const auto special = [&](const char* key, auto now, auto before) {
    if (!is_new_reason(now_.special_reason, before_.special_reason))
      say(1, fmt::format("[special] {} = \"{}\" was \"{}\"; a reason is wanted", key, ir::enum_name(now),
                         ir::enum_name(before)));
  };
  if (rank(now_.nan) > rank(before_.nan)) special("nan", now_.nan, before_.nan);
  const bool may_flush_more = now_.subnormal != before_.subnormal &&
                              (now_.subnormal == SubnormalRule::flush || before_.subnormal == SubnormalRule::keep);
  if (may_flush_more) special("subnormal", now_.subnormal, before_.subnormal);
  const Budget &now = now_.budget, &old = before_.budget;
  if (is_new_reason(now.reason, old.reason)) return;
  const auto line = std::max<std::uint32_t>(now.line, 1);
  // The rarer a false alarm, the wider every limit.
  const auto alarms = [](const Budget& one) { return one.false_alarm_per_run.value_or(compare::usual_false_alarms); };
  if (alarms(now) < alarms(old))
    say(line, fmt::format("[budget] false_alarm_per_run was {:g}; a reason is wanted", alarms(old)));
  if (old.min_power.value_or(0) > now.min_power.value_or(0))
    say(line, fmt::format("[budget] min_power was {:g}; a reason is wanted", *old.min_power));
  if (old.max_vacuity.value_or(1) < now.max_vacuity.value_or(1))
    say(line, fmt::format("[budget] max_vacuity was {:g}; a reason is wanted", *old.max_vacuity));
}

}  // namespace

std::vector<std::string> ratchet(const Policy& now, const Policy& before, std::chrono::sys_days today) {
  return Ratchet(now, before, today).all();
}

}  // namespace plumb::parity::policy
