// Fits limits to runs of many seeds by op, dtype, accumulation and device, or by node where nodes differ.
#include "parity/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ir/attribute.hpp"
#include "parity/core/sha256.hpp"
#include "parity/fit/anderson_darling.hpp"
#include "parity/fit/repeats.hpp"

namespace plumb::parity::fit {
namespace {

using Nodes = std::map<std::string, std::vector<const Sample*>>;

using policy::Measure;

double value_of(const Sample& sample, Measure measure) {
  return measure == Measure::sigma_max    ? sample.sigma
         : measure == Measure::misrounded ? sample.misrounded
                                          : sample.ratio;
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

/// What limits of a group are fitted to: the first that every node of it has, and that varies in each.
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

/// The most comparisons of one run that can raise an alarm.
std::size_t most_in_a_run(const std::map<Group, Nodes>& groups) {
  std::map<std::uint64_t, std::size_t> runs;
  std::size_t most = 0;
  for (const auto& [group, nodes] : groups)
    for (const auto& [label, samples] : nodes)
      for (const Sample* one : samples) most = std::max(most, ++runs[one->run]);
  return most;
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

  const Options options_;
  Fit fit_;
};

/// A node that failed in some runs has no clean distribution: fitting the rest would hide it.
void Fitter::check_clean(std::span<const Sample> samples, bool software) {
  std::map<std::pair<Group, std::string>, std::pair<std::size_t, std::size_t>> counts;
  for (const Sample& one : samples) {
    if (one.is_software != software) continue;
    auto& [bad, all] = counts[{one.group, one.node}];
    bad += !one.is_clean, ++all;
  }
  for (const auto& [node, count] : counts)
    if (count.first > 0)
      fit_.findings.push_back(fmt::format("{} ({}): did not pass in {} of {} runs", node.second, name_of(node.first),
                                          count.first, count.second));
}

void Fitter::add(FittedRule rule, const std::vector<const Sample*>& samples) {
  std::set<std::uint64_t> seeds;
  for (const Sample* one : samples) seeds.insert(one->seed);
  rule.n_seeds = seeds.size(), rule.n_samples = samples.size();
  const auto what = fmt::format("{}{}", rule.node.empty() ? "" : rule.node + ": ", name_of(rule.group));
  if (rule.n_seeds < fewest_seeds) {
    fit_.notes.push_back(fmt::format("{}: {} seeds are too few, at least {} are wanted: the bound stays the limit",
                                     what, rule.n_seeds, fewest_seeds));
    return;
  }
  rule.is_software = samples[0]->is_software;
  rule.false_alarm = options_.false_alarm_per_run / static_cast<double>(fit_.comparisons);
  rule.gumbel = fit_gumbel(values_of(samples, rule.measure));
  rule.limit = upper_limit(rule.gumbel, samples.size(), rule.false_alarm, options_.confidence);
  if (rule.measure == Measure::sigma_max) rule.limit = std::max(rule.limit, 0.0);
  if (!(rule.limit <= bound_of(samples, rule.measure))) {
    // Half an ulp of rounding is most of their limit.
    const bool is_of_storage =
        rule.measure != Measure::misrounded && (rule.group.dtype == "f16" || rule.group.dtype == "bf16");
    fit_.findings.push_back(fmt::format(
        "{}: the fitted {} is {:.4g}, above the bound, which stays the limit{}", what, ir::enum_name(rule.measure),
        rule.limit,
        is_of_storage ? ": clean results stored in 16 bits come that close to it (docs/f16_in_ten_minutes.md)" : ""));
    return;
  }
  fit_.rules.push_back(std::move(rule));
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
  fit_.comparisons = most_in_a_run(groups);
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

}  // namespace plumb::parity::fit
