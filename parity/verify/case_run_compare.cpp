#include <algorithm>

#include "ir/passes/widen.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/attribution/non_finite.hpp"
#include "parity/certify/certify.hpp"
#include "parity/compare/measure.hpp"
#include "parity/profile/emulated_node.hpp"
#include "parity/verify/case_run.hpp"
#include "parity/verify/repro.hpp"

/// The outputs of a node: how far off they are, and what is said of it.
namespace plumb::parity::verify {

cases::NodeResult CaseRun::blank(std::size_t n, std::size_t k) const {
  const ir::Node& node = graph_.nodes()[n];
  cases::NodeResult result{.node = n, .output = k, .label = node.label, .op = std::string(node.op.name())};
  for (const ir::Value v : node.inputs) result.in.push_back(graph_.type(v).dtype);
  result.type = graph_.type(node.outputs[k]);
  if (!subject_.proofs.empty()) result.proof = subject_.proofs[n];
  if (n < placements_.size()) {
    result.placement = placements_[n].placement;
    result.kernel = placements_[n].kernel;
    result.tile = placements_[n].tile;
    result.sums = placements_[n].sums;
    result.placement_reason = placements_[n].reason;
    result.device_ns = placements_[n].nanoseconds;
  }
  result.repro = repro_of(result_.repro, node.label);
  return result;
}

void CaseRun::skip(cases::NodeResult& result, std::string why) {
  result.verdict = core::Verdict::skipped;
  result.why = std::move(why);
}

/// The truth of a value the device computed is that of its own inputs; what those had wrong is inherited.
void CaseRun::compare_output(std::size_t n, std::size_t k, cases::NodeResult& result, bounds::Bounded& local) {
  const ir::Value value = graph_.nodes()[n].outputs[k];
  core::Judged judged = segments_[n].judged;
  for (const ir::Value v : segments_[n].fed) judged.inputs.push_back(got(v));
  const ir::Tensor& device = got(value);
  const ir::Tensor& whole = truths_.at(value);
  result.allowed = local.allowed[k];
  result.local = certify::certify(segments_[n], judged.inputs, k, local, device, result.certificate);
  const ir::Tensor& truth = local.truth.outputs[k];
  attribution::add_origins(result_, {result.name(), graph_, segments_[n], judged.inputs, truth, device});
  result.vacuity = compare::vacuity_of(segments_[n], judged.inputs, truth, device.dtype(), result.local);
  result.gates_total = attribution::gates_total(options_.mode, result.allowed, result.type.dtype);
  const ir::TensorView both[] = {truth, device};
  const auto measured = compare::measure(whole, both, result.type.dtype);
  result.inherited = measured[0];
  result.total = result.gates_total ? compare::compare(whole, device, result.allowed) : measured[1];
  result.amplification = amplification_of(n, result.inherited);
  errors_[value] = attribution::relative_error(result.total);
  result.reference_ns = local.truth.nanoseconds;
  result.hash = hashes_.at(value);
  if (result.total.max_abs.value == 0 && std::ranges::equal(whole.bytes(), ir::passes::widen(device).bytes()))
    clean_.insert(value);
  if (options_.emulated != nullptr)
    result.emulator_ulp = profile::emulator_ulp(executors_.reference, *options_.emulated, result.sums, segments_[n],
                                                judged.inputs, k, device);
  const auto gate = policy::judge_numbers(options_.gate, graph_, result, result.gates_total ? whole : truth, device);
  result.is_guilty = result.gates_total ? !result.local.agrees() : gate.verdict == core::Verdict::failed;
  judge(result, judged, gate, stated_.against(result, value, whole, device));
  if (must_be_exact(n) && !isolates()) follow_exactly(n, value, result);
  observer_.compared(result, truth, device);
  result.allowed.limits.reset();
}

/// A proof is about the operands of the twin: on others, which a failure before gave, it says nothing.
void CaseRun::follow_exactly(std::size_t n, ir::Value value, cases::NodeResult& result) {
  if (!compare::compare(truths_.at(value), got(value), {.rule = compare::Allowed::Rule::exact}).agrees())
    off_.insert(value);
  for (const ir::Value v : segments_[n].fed)
    if (off_.contains(v) && result.verdict == core::Verdict::failed)
      skip(result, "nothing is proved of it on what '" + graph_.name(v) + "' gave");
}

double CaseRun::amplification_of(std::size_t n, const compare::Comparison& inherited) const {
  std::vector<double> inputs;
  for (const ir::Value v : segments_[n].fed)
    if (!graph_.is_source(v)) inputs.push_back(errors_.at(v));
  return attribution::amplification(attribution::relative_error(inherited), inputs);
}

void CaseRun::judge(cases::NodeResult& result, const core::Judged& judged, const policy::Judgement& gate,
                    const std::string& refuted) {
  const ir::Value value = graph_.nodes()[result.node].outputs[result.output];
  const auto say = [&](core::Verdict verdict, std::string why) {
    result.verdict = verdict;
    result.why = std::move(why);
  };
  // An expected failure is one of numbers: it excuses nothing of what follows.
  const bool is_expected = gate.verdict == core::Verdict::xfailed;
  const bool holds = gate.verdict == core::Verdict::passed || gate.verdict == core::Verdict::xpassed;
  if (!holds && !is_expected) return say(gate.verdict, gate.why);
  if (!refuted.empty()) return say(core::Verdict::failed, refuted);
  if (unstable_.contains(value))
    return say(core::Verdict::nondeterministic, "another run on the same inputs gave other bits");
  if (result.placement == ir::Placement::cpu && !executors_.candidate_is_host)
    return say(core::Verdict::fallback, "ran on the host: " + result.placement_reason);
  const bool proves = is_expected || stated_.speaks_of(value);
  const auto doubt = proves ? "" : compare::mistrust(judged, result.allowed, result.local);
  if (!doubt.empty()) return say(core::Verdict::mistrusted, doubt);
  say(gate.verdict, gate.why);
}

}  // namespace plumb::parity::verify
