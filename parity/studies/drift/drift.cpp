// Tests what differs between paired runs, all of it at once, and says what is worse.
#include "parity/studies/drift/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ir/attribute.hpp"
#include "parity/core/distributions.hpp"
#include "parity/studies/drift/cause.hpp"

namespace plumb::parity::studies::drift {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr auto measure_count = enum_names(Measure{}).size();

/// A change in the making, with the pairs that it is about.
struct Candidate {
  Change change = {};
  Series series = {};
  bool has_values = false;  ///< something was measured
};

/// log2 of an error; what is smaller than 2^-64 of the truth is no error, and that is 2^-64 of a power of two, so that
/// truths that differ a little give the same.
double log2_of(double error, double scale) {
  if (!std::isfinite(error) || !(scale > 0) || std::isinf(scale)) return nothing;
  return std::max(std::log2(error), std::round(std::log2(scale)) - 64);
}

/// The statistic that is tested.
double value_of(const Output& one, Measure measure) {
  switch (measure) {
    case Measure::rms:
      return log2_of(one.rms, one.scale);
    case Measure::max_abs:
      return log2_of(one.max_abs, one.scale);
    case Measure::bias:
      return std::abs(one.bias);
    case Measure::rho:
      return one.rho;
    case Measure::misrounded:
      return std::asin(std::sqrt(std::clamp(static_cast<double>(one.misrounded), 0.0, 1.0)));
    case Measure::rel_l2:
      return log2_of(one.rel_l2, 1);
  }
  return nothing;
}

double least_effect(Measure measure, const policy::DriftRules& rules) {
  switch (measure) {
    case Measure::bias:
    case Measure::rho:
      return rules.least_bias;
    case Measure::misrounded:
      return rules.least_share;
    default:
      return rules.least_log2;
  }
}

/// The values of a statistic by place: differences of pairs, or those of base and then of now.
std::vector<double> values_of(const Series& series, Measure measure, bool is_paired) {
  std::vector<double> values;
  const auto value = [&](const Output* one) { return one == nullptr ? nothing : value_of(*one, measure); };
  for (std::size_t i = 0; i < series.base.size(); ++i) {
    const Output *const was = series.base[i], *const is = series.now[i];
    if (!is_paired)
      values.push_back(value(was == nullptr ? is : was));
    else if (was == nullptr || is == nullptr)
      values.push_back(nothing);
    else
      values.push_back(was->out_hash == is->out_hash ? value(is) * 0 : value(is) - value(was));
  }
  return values;
}

/// The mean share of misrounded results of one side.
double mean_share(const std::vector<const Output*>& outputs) {
  double sum = 0, n = 0;
  for (const Output* const one : outputs) {
    if (one == nullptr || std::isnan(one->misrounded)) continue;
    sum += one->misrounded;
    ++n;
  }
  return sum / n;
}

/// One list of values that is tested, and whose it is.
struct Hypothesis {
  std::size_t candidate = 0;
  Measure measure = Measure::rms;
};

class Comparison {
 public:
  Comparison(Paired paired, const policy::DriftRules& rules) : paired_(std::move(paired)) {
    drift_ = std::move(paired_.drift);
    drift_.rules = rules;
  }

  Drift run() {
    for (Series& series : paired_.series) add(std::move(series));
    choose_hypotheses();
    test();
    for (Candidate& one : candidates_) finish(one);
    add_cases();
    accept();
    sort();
    return std::move(drift_);
  }

 private:
  void add(Series series);
  void choose_hypotheses();
  bool is_enough(const std::vector<double>& values) const;
  void test();
  Effect effect(const Hypothesis& hypothesis, const Tested& tested) const;
  void finish(Candidate& one);
  void add_cases();
  void accept();
  void sort();

  Paired paired_;
  Drift drift_;
  std::vector<Candidate> candidates_;
  std::vector<Hypothesis> hypotheses_;
  std::vector<std::vector<double>> values_;
};

void Comparison::add(Series series) {
  ++drift_.outputs;
  Change change = change_of(series, drift_.is_paired);
  if (drift_.is_paired && change.differing == 0) {
    drift_.limits += has_other_limit(series);
    return;
  }
  candidates_.push_back({.change = std::move(change), .series = std::move(series)});
}

bool Comparison::is_enough(const std::vector<double>& values) const {
  const auto measured = [](double x) { return !std::isnan(x); };
  if (drift_.is_paired) return static_cast<std::size_t>(std::ranges::count_if(values, measured)) >= drift_.wanted_seeds;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(paired_.base_seeds);
  const auto base = static_cast<std::size_t>(std::count_if(values.begin(), middle, measured));
  const auto now = static_cast<std::size_t>(std::count_if(middle, values.end(), measured));
  return least_p_of_groups(base, now) <= drift_.rules.false_alarm;
}

void Comparison::choose_hypotheses() {
  drift_.wanted_seeds = fewest_pairs(drift_.rules.false_alarm);
  for (std::size_t c = 0; c < candidates_.size(); ++c)
    for (std::size_t m = 0; m < measure_count; ++m) {
      const auto measure = static_cast<Measure>(m);
      std::vector<double> values = values_of(candidates_[c].series, measure, drift_.is_paired);
      const auto first = std::ranges::find_if(values, [](double x) { return !std::isnan(x); });
      if (first == values.end()) continue;
      candidates_[c].has_values = true;
      if (!is_enough(values)) continue;
      candidates_[c].change.is_told = true;
      // Statistics that are equal in all seeds need no test.
      const double equal = drift_.is_paired ? 0 : *first;
      if (std::ranges::all_of(values, [&](double x) { return std::isnan(x) || x == equal; })) continue;
      hypotheses_.push_back({c, measure});
      values_.push_back(std::move(values));
    }
  drift_.hypotheses = hypotheses_.size();
}

Effect Comparison::effect(const Hypothesis& hypothesis, const Tested& tested) const {
  const Series& series = candidates_[hypothesis.candidate].series;
  Effect made{.measure = hypothesis.measure, .tested = tested, .size = tested.mean};
  if (made.measure == Measure::misrounded) made.size = mean_share(series.now) - mean_share(series.base);
  const double standard_error = std::isinf(tested.t) || tested.t == 0 ? 0 : tested.mean / tested.t;
  double half = core::student_t_beyond(0.05, std::max(tested.degrees, 1.0)) * standard_error;
  if (tested.mean != 0) half *= std::abs(made.size / tested.mean);
  made.low = made.size - half;
  made.high = made.size + half;
  const double least = least_effect(made.measure, drift_.rules);
  const bool is_found = tested.p <= drift_.rules.false_alarm;
  made.is_worse = is_found && made.size > least;
  made.is_better = is_found && made.size < -least;
  return made;
}

void Comparison::test() {
  const std::vector<Tested> tested = drift_.is_paired ? test_pairs(values_) : test_groups(values_, paired_.base_seeds);
  for (std::size_t h = 0; h < tested.size(); ++h)
    candidates_[hypotheses_[h].candidate].change.effects.push_back(effect(hypotheses_[h], tested[h]));
}

/// How large an effect is beside what matters.
double weight_of(const Effect& one, const policy::DriftRules& rules) {
  const double least = least_effect(one.measure, rules);
  return least > 0 ? one.size / least : one.size;
}

void Comparison::finish(Candidate& one) {
  Change& change = one.change;
  std::ranges::stable_sort(change.effects, [&](const Effect& a, const Effect& b) {
    if (a.is_worse != b.is_worse) return a.is_worse;
    if (a.tested.p != b.tested.p) return a.tested.p < b.tested.p;
    return std::abs(a.tested.t) > std::abs(b.tested.t);
  });
  const auto any = [&](bool Effect::*member) { return std::ranges::any_of(change.effects, member); };
  if (!change.verdicts.empty() || any(&Effect::is_worse))
    change.standing = Standing::worse;
  else if (any(&Effect::is_better))
    change.standing = Standing::better;
  else if (one.has_values && !change.is_told)
    change.standing = Standing::untold;
  // Without pairs nothing says that an output changed, but a test.
  const bool is_found = std::ranges::any_of(
      change.effects, [&](const Effect& effect) { return effect.tested.p <= drift_.rules.false_alarm; });
  const bool is_said = drift_.is_paired || is_found || change.standing != Standing::changed;
  if (is_said) drift_.changes.push_back(std::move(change));
}

/// A case that came to a worse end is told of by its nodes, where one of them did.
void Comparison::add_cases() {
  std::set<std::string> told;
  for (const Change& one : drift_.changes)
    if (!one.verdicts.empty()) told.insert(one.id);
  for (Change& one : paired_.cases)
    if (one.verdicts.empty() || !told.contains(one.id)) drift_.changes.push_back(std::move(one));
}

/// Accepts inherited changes where all others of their case have causes that are accepted.
void Comparison::accept() {
  const auto& accepted = drift_.rules.accept;
  std::map<std::string, bool> heirs;
  for (const Change& one : drift_.changes) {
    if (one.cause == DriftCause::inherited) continue;
    bool& is_accepted = heirs.try_emplace(one.id, true).first->second;
    is_accepted = is_accepted && accepted.contains(one.cause);
  }
  for (Change& one : drift_.changes) {
    const bool is_heir = one.cause == DriftCause::inherited && heirs.contains(one.id) && heirs.at(one.id);
    one.is_accepted = is_heir || accepted.contains(one.cause);
  }
}

void Comparison::sort() {
  const auto rank = [](Standing standing) {
    constexpr Standing order[] = {Standing::worse, Standing::untold, Standing::better, Standing::changed,
                                  Standing::appeared};
    return std::ranges::find(order, standing) - std::begin(order);
  };
  const auto strength = [&](const Change& one) {
    return one.effects.empty() ? 0.0 : std::abs(weight_of(one.effects.front(), drift_.rules));
  };
  const auto least_p = [](const Change& one) { return one.effects.empty() ? 1.0 : one.effects.front().tested.p; };
  std::ranges::stable_sort(drift_.changes, [&](const Change& a, const Change& b) {
    if (a.fails(drift_.rules) != b.fails(drift_.rules)) return a.fails(drift_.rules);
    if (a.standing != b.standing) return rank(a.standing) < rank(b.standing);
    const bool first = a.cause == DriftCause::inherited, second = b.cause == DriftCause::inherited;
    if (first != second) return second;
    if (a.verdicts.empty() != b.verdicts.empty()) return !a.verdicts.empty();
    if (least_p(a) != least_p(b)) return least_p(a) < least_p(b);
    return strength(a) > strength(b);
  });
}

}  // namespace

bool Change::fails(const policy::DriftRules& rules) const {
  if (is_accepted) return false;
  return standing == Standing::worse || (rules.bits == policy::DriftBits::forbid && differing > 0);
}

std::string Change::effect_text() const {
  if (effects.empty()) return "";
  const Effect& one = effects.front();
  const std::string name(ir::enum_name(one.measure));
  const auto text = [&](auto number, const char* unit) {
    return fmt::format("{} {}{} ({} to {}), p = {:.2g}", name, number(one.size), unit, number(one.low),
                       number(one.high), one.tested.p);
  };
  switch (one.measure) {
    case Measure::bias:
    case Measure::rho:
      return text([](double x) { return fmt::format("{:+.2g}", x); }, "");
    case Measure::misrounded:
      return text([](double x) { return fmt::format("{:+.2g}", 100 * x); }, " %");
    default:
      return text([](double x) { return fmt::format("{:.3g}", std::exp2(x)); }, " times");
  }
}

bool Drift::fails() const {
  return std::ranges::any_of(changes, [&](const Change& one) { return one.fails(rules); });
}

bool Drift::is_untold() const {
  return std::ranges::any_of(changes, [](const Change& one) { return one.standing == Standing::untold; }) ||
         (!is_paired && hypotheses == 0);
}

Drift compare(std::vector<Record> base, std::vector<Record> now, const policy::DriftRules& rules) {
  Records records(std::move(base), std::move(now));
  return Comparison(records.pair(), rules).run();
}

}  // namespace plumb::parity::studies::drift
