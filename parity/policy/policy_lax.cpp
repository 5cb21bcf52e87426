// Finds what a policy only seems to gate: zeros in place of every result are what it is tried with.
#include "parity/policy/policy_lax.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ir/ops/matmul.hpp"
#include "parity/policy/policy_lint.hpp"

namespace plumb::parity::policy {
namespace {

constexpr double largest_f16 = 65504;
constexpr std::uint64_t usual_elements = 1024, usual_terms = 64;
constexpr double beyond_any_bound = 1e7;  ///< ratios, ulps and deviations of what has nothing to do with the truth
constexpr double often = 0.1;             ///< the probability from which on a failure of a clean run says nothing
constexpr double nearly_all = 0.99;       ///< the share from which on nothing exceeds it
constexpr std::chrono::years longest{2};

Facts usual_facts() {
  Facts facts{.node = "y", .op = ir::ops::Matmul::name, .in = "f32", .dtype = "f32", .accumulation = "f32"};
  facts.n = usual_elements;
  facts.k_reduce = usual_terms;
  facts.u = facts.u_out = 0x1p-24;
  return facts;
}

Numbers usual_numbers() {
  constexpr auto n = static_cast<double>(usual_elements);
  return {.largest = largest_f16, .norm1 = n * largest_f16, .norm2 = std::sqrt(n) * largest_f16};
}

/// The measurements of an output where every result is 0.
Measured zeros(const Facts& facts, const Numbers& numbers) {
  Measured m{.n = facts.n, .n_bad = facts.n};
  m.ratio_max = m.ratio_finite = m.ratio_certain = m.sigma_max = beyond_any_bound;
  m.max_abs = numbers.largest;
  m.max_rel = 1;
  m.max_ulp = m.emulator_ulp = beyond_any_bound;
  const auto n = static_cast<double>(std::max<std::uint64_t>(facts.n, 1));
  m.mean_signed = numbers.norm1 / n;
  m.rms = numbers.norm2 / std::sqrt(n);
  m.nmse = m.misrounded = 1;
  m.cosine = 0;
  m.expected_absmax = numbers.largest;
  m.expected_norm1 = numbers.norm1;
  m.expected_norm2 = numbers.norm2;
  m.holds = [largest = numbers.largest](const Requirement& asked) {
    return asked.measure == Measure::allclose && largest <= asked.absolute + asked.relative * largest;
  };
  return m;
}

bool passes(const Policy& policy, const Facts& facts, const Parts& parts, std::chrono::sys_days today) {
  const core::Verdict verdict = judge(policy, facts, parts, today).verdict;
  return verdict == core::Verdict::passed || verdict == core::Verdict::xfailed;
}

std::vector<std::string> lax_shares(const Policy& policy) {
  std::vector<std::string> findings;
  const Budget& budget = policy.budget;
  const auto find = [&](const char* what, double share, const char* why) {
    findings.push_back(fmt::format("{}:{}: [budget] {} = {:g}: {}", policy.file, budget.line, what, share, why));
  };
  if (budget.false_alarm_per_run > often)
    find("false_alarm_per_run", *budget.false_alarm_per_run,
         "a clean run fails that often, so that no failure says much");
  if (budget.max_vacuity >= nearly_all) find("max_vacuity", *budget.max_vacuity, "hardly anything exceeds it");
  if (budget.min_power == 0.0) find("min_power", *budget.min_power, "no fault has to be caught");
  return findings;
}

}  // namespace

bool passes_zeros(const Rule& rule, const Facts& facts, const Numbers& numbers, std::chrono::sys_days today) {
  Policy alone{.file = "", .text = "", .rules = {rule}};
  alone.rules[0].match.clear();
  const Measured m = zeros(facts, numbers);
  return passes(alone, facts, {m, m}, today);
}

bool passes_zeros(const OutputBudget& budget, const Facts& facts, const Numbers& numbers, std::chrono::sys_days today) {
  Policy alone{.file = "", .text = "", .outputs = {budget}};
  alone.outputs[0].output = "*";
  return passes(alone, facts, {Measured{.n = facts.n}, zeros(facts, numbers)}, today);
}

std::vector<std::string> lax(const Policy& policy, std::chrono::sys_days today) {
  std::vector<std::string> findings = lax_shares(policy);
  if (policy.nan == NanRule::ignore && policy.special_reason.empty())
    findings.push_back(fmt::format("{}:{}: [special] nan = \"ignore\" without a reason: results that are NaN pass",
                                   policy.file, policy.special_line));
  const std::chrono::year_month_day latest = std::chrono::year_month_day(today) + longest;
  for (const Rule& rule : policy.rules) {
    if (is_expired(rule, today)) continue;
    // A leap day has no like in two years.
    if (rule.expires && *rule.expires > std::chrono::sys_days(
                                            latest.ok() ? latest : latest.year() / latest.month() / std::chrono::last))
      findings.push_back(fmt::format("{}expires on {}, more than two years from now", finding_at(policy, rule),
                                     to_text(*rule.expires)));
    if (passes_zeros(rule, usual_facts(), usual_numbers(), today))
      findings.push_back(fmt::format("{}gates nothing: zeros in place of numbers as large as {:g} {}",
                                     finding_at(policy, rule), largest_f16,
                                     rule.expects_failure ? "are excused" : "pass"));
  }
  for (const OutputBudget& budget : policy.outputs)
    if (passes_zeros(budget, usual_facts(), usual_numbers(), today))
      findings.push_back(
          fmt::format("{}:{}: [output] '{}' gates nothing: zeros in place of numbers as large as {:g} pass",
                      policy.file, budget.line, budget.output, largest_f16));
  return findings;
}

}  // namespace plumb::parity::policy
