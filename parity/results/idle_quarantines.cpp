// Counts the runs that a quarantine matches since the last one in which it was needed.
#include "parity/results/idle_quarantines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "parity/results/results_file.hpp"
#include "parity/results/stored_facts.hpp"

namespace plumb::parity::results {
namespace {

using policy::Incident;

/// One quarantine, asked on a day on which it holds.
class Need {
 public:
  Need(const policy::Quarantine& one, std::span<const JudgedRun> runs) : day_(one.since) {
    alone_.quarantines.push_back(one);
    for (const JudgedRun& run : runs)
      if (run.source) look_at(run);
  }

  /// Whether each of the runs that it matches had an incident.
  std::vector<bool> incidents = {};

  /// Runs after the last with an incident.
  std::size_t since_last() const {
    return static_cast<std::size_t>(std::find(incidents.rbegin(), incidents.rend(), true) - incidents.rbegin());
  }

 private:
  void look_at(const JudgedRun& judged);
  bool takes(const policy::Facts& facts, Incident incident) const {
    constexpr double at_its_bound = 1;
    return policy::quarantine_of(alone_, facts, incident, at_its_bound, day_) != nullptr;
  }
  /// Whether the quarantine is of outputs, too.
  bool is_of_outputs() const {
    return std::ranges::any_of(alone_.quarantines[0].kinds,
                               [](Incident incident) { return incident != Incident::device_fault; });
  }

  policy::Policy alone_;
  std::chrono::sys_days day_;
  std::shared_ptr<ResultsFile> source_ = {};
  std::uint32_t next_ = 0;  ///< the first of its runs that was not looked at
};

void Need::look_at(const JudgedRun& judged) {
  if (judged.source != source_) next_ = 0;
  source_ = judged.source;
  ResultsFile& file = *source_;
  const Run& run = file.runs().at(judged.run);
  const bool is_of_device = takes(file.device(run).facts, Incident::device_fault);
  bool is_matched = is_of_device && !is_of_outputs(), has_incident = false;
  // Attempts that were made again stand before the run that decided.
  for (; next_ <= judged.run; ++next_) {
    const Run& attempt = file.runs()[next_];
    const bool is_its_own = next_ == judged.run || attempt.retried != 0;
    const bool was_fault = attempt.exit == static_cast<std::uint8_t>(core::ExitCode::device_error);
    has_incident |= is_its_own && was_fault && is_of_device;
  }
  const auto& local = file.local_rows(run);
  for (std::size_t i = 0; i < std::min(local.size(), judged.nodes.size()); ++i) {
    const core::Verdict verdict = judged.nodes[i].verdict;
    const policy::Facts facts = facts_of(file, run, file.rows()[local[i]]);
    const bool is_at = takes(facts, Incident::nondeterministic) || takes(facts, Incident::failed);
    const auto incident = policy::incident_of(verdict);
    is_matched |= is_at;
    has_incident |= is_at && (verdict == core::Verdict::quarantined || (incident && takes(facts, *incident)));
  }
  if (is_matched || has_incident) incidents.push_back(has_incident);
}

}  // namespace

std::vector<std::string> idle_quarantines(const policy::Policy& policy, std::chrono::sys_days today,
                                          std::span<const JudgedRun> runs) {
  constexpr std::size_t enough = 300;
  std::vector<std::string> findings;
  for (const policy::Quarantine& one : policy.quarantines) {
    if (policy::is_over(one, today)) continue;
    const Need need(one, runs);
    const std::string at = fmt::format("{}:{}: quarantine {}: ", policy.file, one.line, one.id);
    if (need.incidents.empty())
      findings.push_back(at + "unused: it matches nothing in these runs");
    else if (need.since_last() >= enough)
      findings.push_back(at + fmt::format("no incident in the last {} runs that it matches", need.since_last()));
  }
  return findings;
}

std::vector<std::string> wear_out(policy::Policy& policy, std::span<const JudgedRun> runs) {
  constexpr std::size_t most_runs = 200;
  std::vector<std::string> findings;
  for (policy::Quarantine& one : policy.quarantines) {
    if (one.max_rate >= 1) continue;
    const Need need(one, runs);
    const auto last = std::min(need.incidents.size(), most_runs);
    const auto count = std::count(need.incidents.end() - static_cast<std::ptrdiff_t>(last), need.incidents.end(), true);
    if (static_cast<double>(count) <= one.max_rate * static_cast<double>(most_runs)) continue;
    one.worn_out = fmt::format("{} of the last {} runs had an incident, more than its max_rate, {:g} of {}", count,
                               last, one.max_rate, most_runs);
    findings.push_back(
        fmt::format("{}:{}: quarantine {} excuses nothing: {}", policy.file, one.line, one.id, one.worn_out));
  }
  return findings;
}

}  // namespace plumb::parity::results
