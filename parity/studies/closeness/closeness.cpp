// Optimised: loops over the elements of two tensors, and keeps those that matter.
#include "parity/studies/closeness/closeness.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "parity/compare/compare.hpp"
#include "parity/foreign/received.hpp"
#include "parity/policy/policy_gate.hpp"

namespace plumb::parity::studies::closeness {
namespace {

constexpr double no_ratio = std::numeric_limits<double>::infinity();

double ratio_of(double error, double allowed) {
  if (std::isnan(allowed)) return allowed;
  if (std::isnan(error) || std::isinf(error)) return no_ratio;
  if (error == 0) return 0;
  return allowed > 0 ? error / allowed : no_ratio;
}

/// An element as it was found, before it is known whether anybody wants its text.
struct Seen {
  std::uint64_t index = 0;
  Element element = {};
};

/// Whether `one` says more of what is wrong.
bool is_worse(const Element& one, const Element& than) {
  if (one.is_within != than.is_within) return than.is_within;
  const double ratio = ratio_of(one.error, one.allowed), other = ratio_of(than.error, than.allowed);
  if (!std::isnan(ratio) && !std::isnan(other) && ratio != other) return ratio > other;
  if (std::isnan(one.error) != std::isnan(than.error)) return std::isnan(one.error);
  return one.error > than.error;
}

ElementPair pair_of(const ir::TensorView& a, const ir::TensorView& b, const Seen& seen) {
  return {.index = seen.index,
          .a = foreign::element_text(a, seen.index),
          .b = foreign::element_text(b, seen.index),
          .error = seen.element.error,
          .allowed = seen.element.allowed};
}

/// The result of one pass over two tensors.
struct Pass {
  std::uint64_t differing = 0, beyond = 0;
  std::optional<Seen> worst = {}, first = {};
  NormalisedError error = {};

  void take(const Seen& seen, bool differs) {
    if (differs) ++differing;
    if (!worst || is_worse(seen.element, worst->element)) worst = seen;
    if (seen.element.is_within) return;
    ++beyond;
    if (!first) first = seen;
  }
};

template <class T>
Pass pass_over(std::span<const T> a, std::span<const T> b, Style style, const Tolerances& by) {
  Pass pass;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if constexpr (!ir::is_complex(ir::dtype_of<T>))
      if (style == Style::ggml) pass.error.add(static_cast<float>(a[i]), static_cast<float>(b[i]));
    const Element element = held(style, by, a[i], b[i]);
    // Equal bits may be beyond a limit, too: a NaN that no NaN may meet.
    const bool differs = std::memcmp(&a[i], &b[i], sizeof(T)) != 0;
    if (!element.is_within || differs) pass.take({.index = i, .element = element}, differs);
  }
  return pass;
}

}  // namespace

double ElementPair::ratio() const { return ratio_of(error, allowed); }

void hold(const ir::TensorView& a, const ir::TensorView& b, const Rule& rule, Compared& compared) {
  const Tolerances by = tolerances_of(rule, a.dtype());
  Pass pass;
  ir::visit_any(a.dtype(), [&]<class T>(T) { pass = pass_over(a.as<T>(), b.as<T>(), rule.style, by); });
  compared.differing = pass.differing;
  compared.beyond = pass.beyond;
  if (pass.worst) compared.worst = pair_of(a, b, *pass.worst);
  if (pass.first) compared.first = pair_of(a, b, *pass.first);
  if (pass.beyond > 0) compared.standing = Standing::beyond;
  if (rule.style != Style::ggml) return;
  compared.of_tensor = pass.error.value();
  if (compared.standing == Standing::beyond || !(compared.of_tensor > by.limit)) return;
  compared.standing = Standing::beyond;
  compared.why = ir::cat("its NMSE is ", compared.of_tensor, ", at most ", by.limit, " is allowed");
}

namespace {

/// Elements that are not what is expected, and the worst of them, where no limit says which that is.
void take_difference(const ir::TensorView& a, const ir::TensorView& b, Compared& compared) {
  const Rule exact{.style = Style::numpy, .relative = 0, .absolute = 0};
  hold(a, b, exact, compared);
  compared.beyond = 0;
  compared.standing = Standing::within;
  for (auto* const one : {&compared.worst, &compared.first})
    if (*one) (*one)->allowed = compare::not_computed;
}

/// Whether all numbers meet what a policy asks of each. NaNs and infinities are judged apart.
template <class T>
bool meet(std::span<const T> a, std::span<const T> b, const Tolerances& by) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::isfinite(std::abs(a[i] - b[i])) && !held(Style::numpy, by, a[i], b[i]).is_within) return false;
  return true;
}

/// Asks every element, and bits in every one; sums of squares and the like are not its business.
std::function<bool(const policy::Requirement&)> asker(const ir::TensorView& a, const ir::TensorView& b) {
  return [&a, &b](const policy::Requirement& asked) {
    Tolerances by;
    if (asked.measure == policy::Measure::allclose) by = {.relative = asked.relative, .absolute = asked.absolute};
    const bool is_complex = ir::is_complex(a.dtype());
    const ir::DType wide = is_complex ? ir::DType::c128 : ir::DType::f64;
    const ir::Tensor x = ir::convert(a, wide), y = ir::convert(b, wide);
    if (is_complex) return meet(x.as<std::complex<double>>(), y.as<std::complex<double>>(), by);
    return meet(x.as<double>(), y.as<double>(), by);
  };
}

}  // namespace

void hold(const ir::TensorView& a, const ir::TensorView& b, const PolicyRule& rule, Compared& compared) {
  take_difference(a, b, compared);
  policy::Facts facts{.node = compared.name};
  policy::set_dtypes(facts, a.dtype(), {});
  facts.n = static_cast<std::uint64_t>(a.elements());
  const auto& rules = rule.policy->rules;
  const auto matches = [&](const policy::Rule& one) { return policy::why_not(one, facts, rule.today).empty(); };
  const auto found = std::ranges::find_if(rules, matches);
  const bool has_rule = found != rules.end() && !found->require.empty();
  if (!has_rule && !policy::has_budget(*rule.policy, compared.name)) {
    compared.standing = Standing::unjudged;
    compared.why = found == rules.end() ? "no rule of the policy matches"
                                        : ir::cat("rule ", policy::where(*rule.policy, *found),
                                                  " holds it to a bound, which is that of a node: give --graph");
    return;
  }
  policy::Measured measured = policy::measured(compare::compare(b, a, {}));
  measured.holds = asker(a, b);
  measured.ratio_max = measured.ratio_finite = measured.ratio_certain = measured.sigma_max = compare::not_computed;
  if (!has_rule) measured.n_bad = 0;  // the bound, of which nothing is known, allows all; the budget decides
  const policy::Judgement judged =
      policy::judge(*rule.policy, facts, {.local = measured, .total = measured}, rule.today);
  compared.why = judged.why;
  if (judged.verdict == core::Verdict::failed) compared.standing = Standing::beyond;
  if (judged.verdict == core::Verdict::error) compared.standing = Standing::unjudged;
}

std::size_t Comparison::count(Standing standing) const {
  return static_cast<std::size_t>(std::ranges::count(tensors, standing, &Compared::standing));
}

const Compared* Comparison::first() const {
  const auto is_bad = [](const Compared& one) {
    return one.standing == Standing::beyond || one.standing == Standing::other;
  };
  const auto found = std::ranges::find_if(tensors, is_bad);
  return found == tensors.end() ? nullptr : &*found;
}

core::ExitCode exit_code(const Comparison& comparison, bool strict) {
  if (comparison.tensors.empty()) return core::ExitCode::nothing_ran;
  if (comparison.count(Standing::other) > 0) return core::ExitCode::tool_error;
  if (comparison.count(Standing::beyond) > 0) return core::ExitCode::failed;
  const bool has_lone = !comparison.only_a.empty() || !comparison.only_b.empty();
  if (comparison.count(Standing::unjudged) > 0 || (strict && has_lone)) return core::ExitCode::mistrusted;
  return core::ExitCode::passed;
}

}  // namespace plumb::parity::studies::closeness
