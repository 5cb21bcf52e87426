// Excuses what went wrong when it was recorded, by the quarantines that a policy has today.
#include "parity/results/judged_excuse.hpp"

namespace plumb::parity::results {

using core::Verdict;
using policy::Incident;

void excuse_again(JudgedNode& node, const policy::Policy& policy, const policy::Facts& facts,
                  std::chrono::sys_days today) {
  if (node.verdict == Verdict::quarantined) {
    node.verdict = Verdict::nondeterministic;  // numbers that fail have been found to do so again
    node.why = "another run on the same inputs gave other bits";
  }
  const auto incident = policy::incident_of(node.verdict);
  if (!incident) return;
  const policy::Quarantine* const found = policy::quarantine_of(policy, facts, *incident, node.ratio, today);
  if (found == nullptr) return;
  node.verdict = Verdict::quarantined;
  node.why += (node.why.empty() ? "" : "; ") + policy::excuse_of(policy, *found);
}

void excuse_again(JudgedRun& judged, const Run& run, const policy::Policy& policy, std::chrono::sys_days today) {
  const bool was_fault = run.exit == static_cast<std::uint8_t>(core::ExitCode::device_error);
  if (judged.was != Verdict::quarantined && !(judged.was == Verdict::error && was_fault)) return;
  const policy::Facts& device = judged.source->device(run).facts;
  const bool is_excused =
      policy::quarantine_of(policy, device, Incident::device_fault, compare::not_computed, today) != nullptr;
  judged.verdict = is_excused ? Verdict::quarantined : Verdict::error;
}

}  // namespace plumb::parity::results
