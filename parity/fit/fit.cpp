// Fits limits to runs of many seeds by op, dtype, accumulation and device, or by node where nodes differ.
#include "parity/fit/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "parity/core/sha256.hpp"
#include "parity/fit/anderson_darling.hpp"

namespace plumb::parity::fit {
namespace {

using Nodes = std::map<std::string, std::vector<const Sample*>>;

bool varies(const std::vector<const Sample*>& samples) {
  return std::ranges::any_of(samples, [&](const Sample* one) { return one->ratio != samples[0]->ratio; });
}

std::vector<double> ratios_of(const std::vector<const Sample*>& samples) {
  std::vector<double> ratios;
  for (const Sample* one : samples) ratios.push_back(one->ratio);
  return ratios;
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
  for (auto& [group, nodes] : groups) std::erase_if(nodes, [](const auto& node) { return !varies(node.second); });
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

bool is_one_distribution(const Nodes& nodes) {
  std::vector<std::vector<double>> ratios;
  for (const auto& [label, samples] : nodes) ratios.push_back(ratios_of(samples));
  return ratios.size() == 1 || compare_samples(ratios).accepts();
}

class Fitter {
 public:
  explicit Fitter(const Options& options) : options_(options) {}
  Fit run(std::span<const Sample> samples);

 private:
  void check_clean(std::span<const Sample> samples, bool software);
  void add(const Group& group, const std::string& node, const std::vector<const Sample*>& samples, std::size_t nodes);

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

void Fitter::add(const Group& group, const std::string& node, const std::vector<const Sample*>& samples,
                 std::size_t nodes) {
  FittedRule rule{.group = group, .node = node, .n_samples = samples.size(), .n_nodes = nodes};
  std::set<std::uint64_t> seeds;
  for (const Sample* one : samples) seeds.insert(one->seed);
  rule.n_seeds = seeds.size();
  const auto what = fmt::format("{}{}", node.empty() ? "" : node + ": ", name_of(group));
  if (rule.n_seeds < fewest_seeds) {
    fit_.notes.push_back(fmt::format("{}: {} seeds are too few, at least {} are wanted: the bound stays the limit",
                                     what, rule.n_seeds, fewest_seeds));
    return;
  }
  rule.is_software = samples[0]->is_software;
  rule.false_alarm = options_.false_alarm_per_run / static_cast<double>(fit_.comparisons);
  rule.gumbel = fit_gumbel(ratios_of(samples));
  rule.limit = upper_limit(rule.gumbel, samples.size(), rule.false_alarm, options_.confidence);
  if (!(rule.limit <= 1)) {
    fit_.findings.push_back(
        fmt::format("{}: the fitted ratio_max is {:.4g}, above the bound, which stays the limit", what, rule.limit));
    return;
  }
  fit_.rules.push_back(std::move(rule));
}

Fit Fitter::run(std::span<const Sample> samples) {
  const bool software = std::ranges::all_of(samples, &Sample::is_software);
  const auto left_out = std::ranges::count_if(samples, [&](const Sample& one) { return one.is_software != software; });
  if (left_out > 0)
    fit_.notes.push_back(
        fmt::format("{} comparisons of software devices are left out: they say nothing of real ones", left_out));
  check_clean(samples, software);
  const auto groups = by_group(samples, software);
  fit_.comparisons = most_in_a_run(groups);
  for (const auto& [group, nodes] : groups) {
    if (is_one_distribution(nodes)) {
      std::vector<const Sample*> pooled;
      for (const auto& [label, own] : nodes) pooled.insert(pooled.end(), own.begin(), own.end());
      add(group, "", pooled, nodes.size());
      continue;
    }
    for (const auto& [label, own] : nodes) add(group, label, own, 1);
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
