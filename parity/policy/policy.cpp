// Judges what was measured by the rules and budgets of a policy.
#include "parity/policy/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/attribute.hpp"
#include "ir/raw/glob.hpp"

namespace plumb::parity::policy {
namespace {

const std::string& text_fact(const Facts& facts, std::string_view key) {
  static const std::string none;
  if (key == "op") return facts.op;
  if (key == "node") return facts.node;
  if (key == "in") return facts.in;
  if (key == "dtype") return facts.dtype;
  if (key == "accumulation") return facts.accumulation;
  if (key == "acc") return facts.computed_in;
  if (key == "kernel") return facts.kernel;
  if (key == "tile") return facts.tile;
  if (key == "exact") return facts.exact;
  if (key == "fill") return facts.fill;
  if (key == "device") return facts.device;
  if (key == "driver") return facts.driver;
  if (key == "device_profile") return facts.device_profile;
  return none;
}

std::string joined(const Version& version) {
  std::string text;
  for (const std::uint64_t part : version) text += (text.empty() ? "" : ".") + std::to_string(part);
  return text.empty() ? "unknown" : text;
}

std::string joined(const std::vector<std::string>& patterns) {
  return fmt::format("'{}'", fmt::join(patterns, "' or '"));
}

std::string signed_version(const VersionTest& test) {
  constexpr std::array signs = {"<", "<=", "==", ">=", ">"};
  return std::string(signs[static_cast<std::size_t>(test.order)]) + joined(test.version);
}

}  // namespace

std::string why_not(const Selector& selector, const Facts& facts) {
  if (!selector.patterns.empty()) {
    const std::string& found = text_fact(facts, selector.key);
    const auto matches = [&](const std::string& pattern) { return ir::raw::glob_matches(pattern, found); };
    if (std::ranges::none_of(selector.patterns, matches))
      return fmt::format("{} is '{}', wanted {}", selector.key, found, joined(selector.patterns));
  }
  if (!selector.number) return "";
  const bool is_driver = selector.key == "driver";
  const Version found = is_driver ? facts.driver_version : Version{facts.k_reduce};
  if (!found.empty() && selector.number->holds(found)) return "";
  return fmt::format("{} is {}, wanted {}", is_driver ? "the driver's version" : selector.key, joined(found),
                     signed_version(*selector.number));
}

namespace {

enum class Outcome { met, unmet, unknown };

struct Finding {
  Outcome outcome = Outcome::met;
  std::string why = {};
};

Finding found(bool met, std::string why) { return {met ? Outcome::met : Outcome::unmet, met ? "" : std::move(why)}; }

/// Not a single element differs, so that no measure of the difference can exceed anything.
bool is_without_error(const Measured& m) { return !m.specials_differ && (m.max_abs == 0 || std::isnan(m.max_abs)); }

double value_of(Measure measure, const Measured& m) {
  switch (measure) {
    case Measure::ratio_max:
      return m.ratio_max;
    case Measure::max_abs:
      return m.max_abs;
    case Measure::max_rel:
      return m.max_rel;
    case Measure::max_ulp:
      return m.max_ulp;
    case Measure::rel_l2:
      return std::sqrt(m.nmse);
    case Measure::nmse:
      return m.nmse;
    case Measure::cosine:
      return m.cosine;
    case Measure::snr_db:
      return -10 * std::log10(m.nmse);
    case Measure::mean_signed_sigma:
      return std::abs(m.mean_signed) * std::sqrt(static_cast<double>(m.n)) / m.rms;
    case Measure::emulator_ulp:
      return m.emulator_ulp;
    case Measure::sigma_max:
      return m.sigma_max;
    case Measure::misrounded:
      return m.misrounded;
    default:
      return compare::not_computed;
  }
}

Finding check_bitwise(const Requirement& requirement, const Measured& m) {
  if (m.holds) return found(m.holds(requirement), "not the truth rounded to the dtype, in every bit but the sign of 0");
  if (is_without_error(m)) return {};
  if (!(m.max_ulp <= 1)) return {Outcome::unmet, fmt::format("not bitwise: max_abs is {:.3g}", m.max_abs)};
  return {Outcome::unknown, "bitwise cannot be told from an error of at most 1 ulp of the unrounded truth"};
}

/// |got - truth| <= atol + rtol |truth|: certain one way or the other at the extremes.
Finding check_allclose(const Requirement& requirement, const Measured& m) {
  const auto text = fmt::format("allclose with rtol {:g}, atol {:g}", requirement.relative, requirement.absolute);
  if (m.holds) return found(m.holds(requirement), "not " + text);
  if (is_without_error(m) || m.max_abs <= requirement.absolute) return {};
  const double most = requirement.absolute + requirement.relative * m.expected_absmax;
  if (m.max_abs > most) return {Outcome::unmet, fmt::format("not {}: max_abs is {:.3g}", text, m.max_abs)};
  return {Outcome::unknown, text + " cannot be told without the tensors"};
}

Finding check_replay(const Measured& m) {
  if (!m.adds_as_published) return {Outcome::unknown, "whether its sums equal their replays was not recorded"};
  return found(*m.adds_as_published, "its kernel does not add as it publishes");
}

Finding check_all(const std::vector<Requirement>& all, const Facts& facts, const Measured& m);

/// A finding by a bound that allowed more, or less, of subnormals than the policy does.
Finding as_far_as_known(Finding finding, const Measured& m) {
  const bool meets = finding.outcome == Outcome::met, might_be_loose = m.bound != BoundWas::tighter;
  if (m.bound == BoundWas::as_wanted || is_without_error(m)) return finding;
  if (m.bound != BoundWas::unknown && meets != might_be_loose) return finding;
  return {Outcome::unknown, "the bound in the file was made under another rule of subnormals"};
}

/// Whether numbers were made by a bound of another λ than the policy asks for, and chance has a part in that bound.
bool has_other_lambda(const Measured& m) { return !std::isnan(m.wanted_lambda) && !std::isnan(m.sigma_max); }

/// The bound of another λ than the recorded one, and so much of it: whether every element is within the whole bound
/// follows from σ (verdict.md V53), of other shares there are the two numbers between which the ratio must be.
Finding check_by_other_lambda(double share, const Measured& m) {
  if (share == 1) {
    if (m.ratio_certain > 1)
      return {Outcome::unmet,
              fmt::format("the largest error is {:.4g} of what no order of rounding exceeds", m.ratio_certain)};
    return found(m.sigma_max <= m.wanted_lambda,
                 fmt::format("the bound allows for {:.3g} standard deviations, an element is {:.4g} off",
                             m.wanted_lambda, m.sigma_max));
  }
  const double factor = m.lambda / m.wanted_lambda, least = m.ratio_max * std::min(factor, 1.0),
               most = m.ratio_max * std::max(factor, 1.0);
  const auto text =
      fmt::format("ratio_max is {:.4g} to {:.4g} by {:.3g} standard deviations, at most {:.4g} is required", least,
                  most, m.wanted_lambda, share);
  if (most <= share) return {};
  return {least > share ? Outcome::unmet : Outcome::unknown, text};
}

Finding check_any(const Requirement& requirement, const Facts& facts, const Measured& m) {
  Finding best{Outcome::unmet, ""};
  for (const auto& choice : requirement.any) {
    const Finding one = check_all(choice, facts, m);
    if (one.outcome == Outcome::met) return one;
    if (one.outcome == Outcome::unknown) best.outcome = Outcome::unknown;
    best.why += (best.why.empty() ? "" : ", and ") + one.why;
  }
  return best;
}

Finding check(const Requirement& requirement, const Facts& facts, const Measured& m) {
  const Measure measure = requirement.measure;
  if (measure == Measure::any) return check_any(requirement, facts, m);
  if (measure == Measure::bitwise) return check_bitwise(requirement, m);
  if (measure == Measure::allclose) return check_allclose(requirement, m);
  if (measure == Measure::replay) return check_replay(m);
  if (measure == Measure::ratio_max && m.n_bad == 0 && std::isnan(m.ratio_max)) return {};
  if (measure != Measure::emulator_ulp && is_without_error(m)) return {};
  // Where no limit has chance in it, nothing is to be held to standard deviations.
  if (measure == Measure::sigma_max && std::isnan(m.sigma_max) && !std::isnan(m.lambda)) return {};
  const double value = value_of(measure, m);
  const auto k = static_cast<double>(std::max<std::uint64_t>(facts.k_reduce, 1));
  const double limit = requirement.limit.value(
      {static_cast<double>(facts.n), k, facts.u, facts.u_out, m.expected_norm1, m.expected_norm2, m.expected_absmax});
  if (std::isnan(limit))
    return {Outcome::unknown, fmt::format("the limit '{}' cannot be computed", requirement.limit.expression)};
  // An infinite limit gates nothing, and would be green.
  if (std::isinf(limit))
    return {Outcome::unknown, fmt::format("the limit '{}' is infinite", requirement.limit.expression)};
  if (measure == Measure::ratio_max && has_other_lambda(m)) return as_far_as_known(check_by_other_lambda(limit, m), m);
  if (std::isnan(value)) return {Outcome::unknown, fmt::format("{} was not computed", ir::enum_name(measure))};
  const bool least = is_at_least(measure);
  Finding finding = found(least ? value >= limit : value <= limit,
                          fmt::format("{} is {:.4g}, {} {:.4g} is required", ir::enum_name(measure), value,
                                      least ? "at least" : "at most", limit));
  return measure == Measure::ratio_max || measure == Measure::sigma_max ? as_far_as_known(std::move(finding), m)
                                                                        : finding;
}

/// All that is not met is said: nobody should find out one limit a run.
Finding check_all(const std::vector<Requirement>& all, const Facts& facts, const Measured& m) {
  Finding whole;
  for (const Requirement& requirement : all) {
    const Finding one = check(requirement, facts, m);
    if (one.outcome == Outcome::met) continue;
    if (whole.outcome != Outcome::unmet) whole.outcome = one.outcome;
    whole.why += (whole.why.empty() ? "" : "; ") + one.why;
  }
  return whole;
}

/// The bound itself: what is said where nothing else is required.
Finding check_bound(const Measured& m) {
  if (has_other_lambda(m) && !is_without_error(m)) return as_far_as_known(check_by_other_lambda(1, m), m);
  auto why = fmt::format("{} of {} elements exceed the bound, by a ratio of up to {:.4g}", m.n_bad, m.n, m.ratio_max);
  return as_far_as_known(found(m.n_bad == 0, std::move(why)), m);
}

Finding check_specials(const Policy& policy, const Measured& m) {
  const bool ignores = policy.nan == NanRule::ignore;
  if (ignores && m.specials_differ && !m.n_nan_differ)
    return {Outcome::unknown, "whether only NaNs differ cannot be told from the file"};
  if (ignores ? m.infinities_differ : m.specials_differ)
    return {Outcome::unmet, "a NaN or an infinity does not meet its like"};
  if (policy.nan == NanRule::forbid && m.n_nan > 0) return {Outcome::unmet, "there are NaNs, and nan = \"forbid\""};
  return {};
}

/// As if elements with a NaN on one side were not there: no error is measured of them anyway.
Measured without_nans(Measured m) {
  m.n_bad -= std::min(m.n_bad, m.n_nan_differ.value_or(0));
  m.specials_differ = false;
  m.ratio_max = m.ratio_finite;
  return m;
}

Finding check_list(const Policy& policy, const std::vector<Requirement>& all, const Facts& facts, const Measured& m) {
  Finding special = check_specials(policy, m);
  if (special.outcome != Outcome::met) return special;
  if (m.specials_differ) return check_list(policy, all, facts, without_nans(m));
  return all.empty() ? check_bound(m) : check_all(all, facts, m);
}

core::Verdict verdict_of(Outcome outcome) {
  return outcome == Outcome::met     ? core::Verdict::passed
         : outcome == Outcome::unmet ? core::Verdict::failed
                                     : core::Verdict::error;
}

std::optional<std::size_t> first_match(const Policy& policy, const Facts& facts, std::chrono::sys_days today) {
  for (std::size_t r = 0; r < policy.rules.size(); ++r)
    if (why_not(policy.rules[r], facts, today).empty()) return r;
  return std::nullopt;
}

/// Why a failure is worse than the rule expects; "" where it is not. No rule expects a NaN or an infinity.
std::string why_not_excused(const Policy& policy, const Rule& rule, const Measured& m) {
  if (check_specials(policy, m).outcome != Outcome::met) return "; no rule excuses a NaN or an infinity";
  const double ratio = m.specials_differ ? m.ratio_finite : m.ratio_max;
  if (!(ratio > rule.excused_ratio)) return "";
  return fmt::format("; a ratio of {:.4g} is more than the {:.4g} that the rule excuses", ratio, rule.excused_ratio);
}

/// The finding on the total error; unknown where only the output itself was compared.
Finding check_total(const Policy& policy, const std::vector<Requirement>& all, const Facts& facts,
                    const Parts& measured) {
  if (measured.total.n == 0 && measured.local.n > 0) return {Outcome::unknown, "its total error was not measured"};
  return check_list(policy, all, facts, measured.total);
}

Judgement judge_by_rule(const Policy& policy, const Facts& facts, const Parts& measured, std::size_t r) {
  const Rule& rule = policy.rules[r];
  const Measured& m = rule.part == RulePart::local ? measured.local : measured.total;
  const Finding finding = rule.part == RulePart::local ? check_list(policy, rule.require, facts, m)
                                                       : check_total(policy, rule.require, facts, measured);
  Judgement judgement{verdict_of(finding.outcome), r, ""};
  if (finding.outcome != Outcome::met) judgement.why = fmt::format("{}: rule {}", finding.why, where(policy, rule));
  if (rule.part == RulePart::total && finding.outcome != Outcome::met) {
    judgement.why = fmt::format("the total of {}: {}", facts.node, judgement.why);
    judgement.total_beyond = "its rule";
  }
  if (!rule.expects_failure || judgement.verdict == core::Verdict::error) return judgement;
  const bool fails = judgement.verdict == core::Verdict::failed;
  if (const std::string beyond = fails ? why_not_excused(policy, rule, m) : ""; !beyond.empty()) {
    judgement.why += beyond;
    return judgement;
  }
  judgement.total_beyond.clear();
  judgement.verdict = fails ? core::Verdict::xfailed : core::Verdict::xpassed;
  judgement.why = fails ? fmt::format("{}; expected until {}: {}", judgement.why, to_text(*rule.expires), rule.reason)
                        : fmt::format("rule {} expects a failure: {}", where(policy, rule), rule.reason);
  return judgement;
}

/// Holds the total of an output to the budgets that name it, whatever was said of it before: all of them are told.
void hold_to_budgets(const Policy& policy, const Facts& facts, const Parts& measured, Judgement& judgement) {
  const bool was_bad = judgement.verdict == core::Verdict::failed || judgement.verdict == core::Verdict::error;
  Finding whole;
  std::string why;
  for (const OutputBudget& budget : policy.outputs) {
    if (!ir::raw::glob_matches(budget.output, facts.node)) continue;
    const Finding finding = check_total(policy, budget.require, facts, measured);
    if (finding.outcome == Outcome::met) continue;
    if (whole.outcome != Outcome::unmet) whole.outcome = finding.outcome;
    const bool is_unmet = finding.outcome == Outcome::unmet;
    why +=
        fmt::format("{}the total of {} {} [output] '{}' ({}:{}): {}", why.empty() ? "" : "; ", facts.node,
                    is_unmet ? "is beyond" : "cannot be held to", budget.output, policy.file, budget.line, finding.why);
  }
  if (whole.outcome == Outcome::met) return;
  if (was_bad) {
    judgement.why += "; " + why;
    return;
  }
  judgement.verdict = verdict_of(whole.outcome);
  judgement.why = std::move(why);
  if (whole.outcome == Outcome::unmet) judgement.total_beyond = "[output]";
}

}  // namespace

bool has_budget(const Policy& policy, std::string_view output) {
  const auto names_it = [&](const OutputBudget& one) { return ir::raw::glob_matches(one.output, output); };
  return std::ranges::any_of(policy.outputs, names_it);
}

std::string why_not(const Rule& rule, const Facts& facts, std::chrono::sys_days today) {
  if (rule.expires && *rule.expires < today) return "it expired on " + to_text(*rule.expires);
  for (const Selector& selector : rule.match)
    if (auto reason = why_not(selector, facts); !reason.empty()) return reason;
  return "";
}

Judgement judge(const Policy& policy, const Facts& facts, const Parts& measured, std::chrono::sys_days today) {
  const auto rule = first_match(policy, facts, today);
  Judgement judgement;
  if (rule) {
    judgement = judge_by_rule(policy, facts, measured, *rule);
  } else {
    const Finding finding = check_list(policy, {}, facts, measured.local);
    judgement.verdict = verdict_of(finding.outcome);
    if (finding.outcome != Outcome::met) judgement.why = finding.why + ": no rule matches";
  }
  hold_to_budgets(policy, facts, measured, judgement);
  const bool is_vacuous = policy.budget.max_vacuity && measured.local.vacuity > *policy.budget.max_vacuity;
  if (is_vacuous && judgement.verdict == core::Verdict::passed) {
    judgement.verdict = core::Verdict::mistrusted;
    judgement.why = fmt::format("its vacuity is {:.3g}, at most {:.3g} is trusted: [budget] ({}:{})",
                                measured.local.vacuity, *policy.budget.max_vacuity, policy.file, policy.budget.line);
  }
  return judgement;
}

namespace {

/// The facts that rules select by, on one line.
std::string heading(const Facts& facts) {
  const auto named = [](std::string_view what, const std::string& name) {
    return name.empty() ? "" : fmt::format(", {} '{}'", what, name);
  };
  return fmt::format("{} ({}, {}->{}, accumulation {}, k_reduce {}{}{}) on '{}', driver '{}' {}:\n", facts.node,
                     facts.op, facts.in, facts.dtype, facts.accumulation.empty() ? "not recorded" : facts.accumulation,
                     facts.k_reduce, named("kernel", facts.kernel), named("tile", facts.tile), facts.device,
                     facts.driver, joined(facts.driver_version));
}

}  // namespace

std::string explain(const Policy& policy, const Facts& facts, const Parts& measured, std::chrono::sys_days today) {
  std::string text = heading(facts);
  const auto rule = first_match(policy, facts, today);
  for (std::size_t r = 0; r < policy.rules.size(); ++r) {
    if (rule && r > *rule) break;
    const auto reason = why_not(policy.rules[r], facts, today);
    text += fmt::format("  {}: {}\n", where(policy, policy.rules[r]), reason.empty() ? "matches" : "no: " + reason);
  }
  if (!rule) text += "  no rule matches: the bound is the limit\n";
  if (rule && *rule + 1 < policy.rules.size())
    text += fmt::format("  {} rules after it were not asked\n", policy.rules.size() - *rule - 1);
  const Judgement judgement = judge(policy, facts, measured, today);
  const auto verdict = ir::enum_name(judgement.verdict);
  return text + fmt::format("  {}{}{}\n", verdict, judgement.why.empty() ? "" : ": ", judgement.why);
}

std::string where(const Policy& policy, const Rule& rule) {
  return fmt::format("{} ({}:{})", rule.id, policy.file, rule.line);
}

}  // namespace plumb::parity::policy
