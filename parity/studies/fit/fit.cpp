// Fits limits to runs of many seeds by op, dtype, accumulation and device, or by node where nodes differ.
#include "parity/studies/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "ir/attribute.hpp"
#include "parity/core/sha256.hpp"
#include "parity/studies/fit/anderson_darling.hpp"
#include "parity/studies/fit/repeats.hpp"

namespace plumb::parity::studies::fit {
namespace {

using Nodes = std::map<std::string, std::vector<const Sample*>>;

using policy::Measure;

double value_of(const Sample& sample, Measure measure) {
  switch (measure) {
    case Measure::sigma_max:
      return sample.sigma;
    case Measure::misrounded:
      return sample.misrounded;
    case Measure::rel_l2:
      return sample.total->rel_l2;
    case Measure::max_abs:
      return sample.total->max_abs;
    default:
      return sample.ratio;
  }
}

std::vector<double> values_of(const std::vector<const Sample*>& samples, Measure measure) {
  std::vector<double> values;
  for (const Sample* one : samples) values.push_back(value_of(*one, measure));
  return values;
}

bool varies(const std::vector<const Sample*>& samples, Measure measure) {
  const auto values = values_of(samples, measure);
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); }) &&
         std::ranges::any_of(values, [&](double x) { return x != values[0]; });
}

/// The measure that limits of a group are fitted to: the first that every node of it has, and that varies in each.
Measure measure_of(const Group& group, const Nodes& nodes) {
  const bool has_16_bits = group.dtype == "f16" || group.dtype == "bf16";
  for (const Measure measure : {Measure::misrounded, Measure::sigma_max}) {
    if (measure == Measure::misrounded && !has_16_bits) continue;
    if (std::ranges::all_of(nodes, [&](const auto& node) { return varies(node.second, measure); })) return measure;
  }
  return Measure::ratio_max;
}

/// The largest limit that the bound does not make needless: the fewest standard deviations that it allowed for.
double bound_of(const std::vector<const Sample*>& samples, Measure measure) {
  if (measure != Measure::sigma_max) return 1;
  double least = samples[0]->lambda;
  for (const Sample* one : samples) least = std::min(least, one->lambda);
  return least;
}

std::string name_of(const Group& group) {
  return fmt::format("{} {}->{}, accumulation {}, on '{}'", group.op, group.in, group.dtype, group.accumulation,
                     group.device);
}

/// All nodes that vary, by group.
std::map<Group, Nodes> by_group(std::span<const Sample> samples, bool software) {
  std::map<Group, Nodes> groups;
  for (const Sample& one : samples)
    if (one.is_software == software && one.is_clean) groups[one.group][one.node].push_back(&one);
  for (auto& [group, nodes] : groups)
    std::erase_if(nodes, [](const auto& node) { return !varies(node.second, Measure::ratio_max); });
  std::erase_if(groups, [](const auto& group) { return group.second.empty(); });
  return groups;
}

/// The runs of one graph on one device, by what both are called: their totals are of one distribution.
using Totals = std::map<std::pair<std::string, std::string>, std::vector<const Sample*>>;

/// The results of graphs whose totals were measured, by name.
std::map<std::string, Totals> by_output(std::span<const Sample> samples, bool software) {
  std::map<std::string, Totals> outputs;
  for (const Sample& one : samples)
    if (one.is_software == software && one.is_clean && one.total)
      outputs[one.node][{one.graph, one.group.device}].push_back(&one);
  return outputs;
}

constexpr std::array measures_of_totals = {Measure::rel_l2, Measure::max_abs};

/// The most comparisons of one run that can raise an alarm.
std::size_t most_in_a_run(const std::map<Group, Nodes>& groups, const std::map<std::string, Totals>& outputs) {
  std::map<std::uint64_t, std::size_t> runs;
  for (const auto& [group, nodes] : groups)
    for (const auto& [label, samples] : nodes)
      for (const Sample* one : samples) ++runs[one->run];
  for (const auto& [name, totals] : outputs)
    for (const auto& [where, samples] : totals)
      for (const Sample* one : samples) runs[one->run] += measures_of_totals.size();
  std::size_t most = 0;
  for (const auto& [run, count] : runs) most = std::max(most, count);
  return most;
}

std::size_t seeds_of(const std::vector<const Sample*>& samples) {
  std::set<std::uint64_t> seeds;
  for (const Sample* one : samples) seeds.insert(one->seed);
  return seeds.size();
}

bool is_one_distribution(const Nodes& nodes, Measure measure) {
  std::vector<std::vector<double>> values;
  for (const auto& [label, samples] : nodes) values.push_back(values_of(samples, measure));
  return values.size() == 1 || compare_samples(values).accepts();
}

class Fitter {
 public:
  explicit Fitter(const Options& options) : options_(options) {}
  Fit run(std::span<const Sample> all);

 private:
  void check_clean(std::span<const Sample> samples, bool software);
  void add(FittedRule rule, const std::vector<const Sample*>& samples);
  void add(const std::string& output, const Totals& totals);
  bool has_enough_seeds(const std::string& what, std::size_t seeds);
  double false_alarm() const { return options_.false_alarm_per_run / static_cast<double>(fit_.comparisons); }

  const Options options_;
  Fit fit_;
};

/// A node that failed in some runs has no clean distribution: fitting the rest would hide it.
void Fitter::check_clean(std::span<const Sample> samples, bool software) {
  std::map<std::pair<Group, std::string>, std::pair<std::size_t, std::size_t>> counts;
  for (const Sample& one : samples) {
    if (one.is_software != software) continue;
    auto& [bad, all] = counts[{one.group, one.node}];
    bad += !one.is_clean;
    ++all;
  }
  for (const auto& [node, count] : counts)
    if (count.first > 0)
      fit_.findings.push_back(fmt::format("{} ({}): did not pass in {} of {} runs", node.second, name_of(node.first),
                                          count.first, count.second));
}

bool Fitter::has_enough_seeds(const std::string& what, std::size_t seeds) {
  if (seeds >= fewest_seeds) return true;
  fit_.notes.push_back(
      fmt::format("{}: {} seeds are too few, at least {} are wanted: it gets no limit", what, seeds, fewest_seeds));
  return false;
}

void Fitter::add(FittedRule rule, const std::vector<const Sample*>& samples) {
  rule.n_seeds = seeds_of(samples);
  rule.n_samples = samples.size();
  const auto what = fmt::format("{}{}", rule.node.empty() ? "" : rule.node + ": ", name_of(rule.group));
  if (!has_enough_seeds(what, rule.n_seeds)) return;
  rule.is_software = samples[0]->is_software;
  rule.false_alarm = false_alarm();
  rule.gumbel = fit_gumbel(values_of(samples, rule.measure));
  rule.limit = upper_limit(rule.gumbel, samples.size(), rule.false_alarm, options_.confidence);
  if (rule.measure == Measure::sigma_max) rule.limit = std::max(rule.limit, 0.0);
  if (!(rule.limit <= bound_of(samples, rule.measure))) {
    // Half an ulp of rounding is most of their limit.
    const bool is_of_storage =
        rule.measure != Measure::misrounded && (rule.group.dtype == "f16" || rule.group.dtype == "bf16");
    fit_.notes.push_back(fmt::format(
        "{}: nothing to tighten, the fitted {} is {:.4g}, above the bound, which stays the limit{}", what,
        ir::enum_name(rule.measure), rule.limit,
        is_of_storage ? ": clean results stored in 16 bits come that close to it (docs/f16.md)" : ""));
    ++fit_.at_bound;
    return;
  }
  fit_.rules.push_back(std::move(rule));
}

/// The policy has one budget for all graphs and devices whose results have this name, which must suit each of them.
void Fitter::add(const std::string& output, const Totals& totals) {
  FittedOutput made{.output = output, .false_alarm = false_alarm()};
  std::map<Measure, double> limits;
  for (const auto& [where, samples] : totals) {
    const std::size_t seeds = seeds_of(samples);
    if (!has_enough_seeds("total of " + output, seeds)) return;
    made.n_seeds = made.n_seeds == 0 ? seeds : std::min(made.n_seeds, seeds);
    made.n_samples += samples.size();
    made.is_software = samples[0]->is_software;
    for (const Measure measure : measures_of_totals) {
      const auto values = values_of(samples, measure);
      const double limit = varies(samples, measure)
                               ? upper_limit(fit_gumbel(values), values.size(), made.false_alarm, options_.confidence)
                               : *std::ranges::max_element(values);
      limits[measure] = std::max(limits[measure], limit);
    }
  }
  for (const auto& [measure, limit] : limits)
    if (std::isfinite(limit) && limit > 0) made.limits.push_back({.measure = measure, .limit = {limit}});
  if (!made.limits.empty()) fit_.outputs.push_back(std::move(made));
}

Fit Fitter::run(std::span<const Sample> all) {
  const Once once = count_once(all);
  const std::vector<Sample>& samples = once.samples;
  fit_.repeats = once.runs;
  if (const std::string note = once.note(); !note.empty()) fit_.notes.push_back(note);
  const bool software = std::ranges::all_of(samples, &Sample::is_software);
  const auto left_out = std::ranges::count_if(samples, [&](const Sample& one) { return one.is_software != software; });
  if (left_out > 0)
    fit_.notes.push_back(
        fmt::format("{} comparisons of software devices are left out: they say nothing of real ones", left_out));
  check_clean(samples, software);
  const auto groups = by_group(samples, software);
  const auto outputs = by_output(samples, software);
  fit_.comparisons = most_in_a_run(groups, outputs);
  for (const auto& [name, totals] : outputs) add(name, totals);
  for (const auto& [group, nodes] : groups) {
    const Measure measure = measure_of(group, nodes);
    if (is_one_distribution(nodes, measure)) {
      std::vector<const Sample*> pooled;
      for (const auto& [label, own] : nodes) pooled.insert(pooled.end(), own.begin(), own.end());
      add({.group = group, .measure = measure, .n_nodes = nodes.size()}, pooled);
      continue;
    }
    for (const auto& [label, own] : nodes) add({.group = group, .measure = measure, .node = label}, own);
  }
  const auto is_of_one_node = [](const FittedRule& rule) { return !rule.node.empty(); };
  std::stable_partition(fit_.rules.begin(), fit_.rules.end(), is_of_one_node);
  return std::move(fit_);
}

}  // namespace

std::string FittedRule::id() const {
  const std::string hash = core::sha256(group.accumulation + "\n" + group.device).substr(0, 8);
  return fmt::format("fit-{}-{}-{}-{}{}", group.op, group.in.empty() ? "none" : group.in, group.dtype, hash,
                     node.empty() ? "" : "-" + node);
}

Fit fit(std::span<const Sample> samples, const Options& options) { return Fitter(options).run(samples); }

}  // namespace plumb::parity::studies::fit
