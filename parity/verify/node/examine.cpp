// Examines one node by itself: evaluates its truth and limits, compares its outputs, and asks samples of them.
#include "parity/verify/node/examine.hpp"

#include <algorithm>

#include "parity/checks/patterns/emulation.hpp"
#include "parity/checks/samples/oracle_check.hpp"
#include "parity/checks/samples/program_check.hpp"
#include "parity/checks/samples/replay_check.hpp"
#include "parity/checks/samples/sensitivity.hpp"
#include "parity/checks/samples/statistics.hpp"
#include "parity/verify/node/claim.hpp"
#include "parity/verify/node/evaluate.hpp"

namespace plumb::parity::verify {
namespace {

/// The outputs of one node, one after the other.
class Outputs {
 public:
  Outputs(const NodeView& view, Examination& found)
      : view_(view),
        found_(found),
        asked_{view.rules.executors.reference,
               view.segment(),
               view.inputs,
               found.sums,
               found.own.manner,
               found.own.fed.empty() ? nullptr : &found.own.fed,
               view.rules.options.maps != cases::KeepMaps::none},
        judge_(asked_, found.own.local, view.outputs, view.extra_judges()) {
    found_.is_joint = !judge_.judges_elements();
  }

  void examine(std::size_t k);

 private:
  checks::samples::Draws draws(const cases::NodeResult& result, const char* what) const {
    return {view_.rules.subject.seed, result.name() + what};
  }
  checks::samples::ProgramEffort programs() const {
    using checks::samples::ProgramEffort;
    return view_.rules.options.asks_programs ? ProgramEffort::of_each : ProgramEffort::in_runs;
  }
  void examine_by_runs(std::size_t k);
  void examine_jointly(std::size_t k);
  void examine_elements(std::size_t k);
  void ask_oracles(std::size_t k);
  void ask_sample(std::size_t k);

  const NodeView& view_;
  Examination& found_;
  const settle::Subject asked_;
  judges::NodeJudge judge_;
};

void Outputs::examine(std::size_t k) {
  cases::NodeResult& result = found_.results[k];
  const ir::Tensor& device = *view_.outputs[k];
  result.lambda = found_.own.manner.arithmetic.deviations;
  if (found_.own.runs) return examine_by_runs(k);
  // Comparing makes elements of the truth more exact: a sample is of the truth as it was evaluated.
  if (!found_.is_joint) ask_oracles(k);
  try {
    judge_.compare(k, device, result);
  } catch (const bounds::NoModel& lack) {
    result.verdict = view_.rules.is_foreign() ? core::Verdict::unsupported : core::Verdict::error;
    result.why = lack.what();
    return;
  }
  result.telling = judge_.telling(k, result);
  if (view_.rules.is_foreign() && view_.is_group() && result.local.agrees() && !result.telling.mistrust().empty()) {
    evaluate_by_runs(view_, found_.own);
    if (found_.own.runs) return examine_by_runs(k);
  }
  if (found_.is_joint)
    examine_jointly(k);
  else
    examine_elements(k);
  result.vacuity = compare::vacuity_of(asked_.segment, asked_.inputs, judge_.truth(k), device.dtype(), result.local);
  result.reference_ns = found_.own.local.truth.nanoseconds;
  if (view_.rules.options.emulated != nullptr && judge_.judges_elements())
    checks::patterns::add_emulation(*view_.rules.options.emulated, asked_, k, judge_.whole(k), device, result);
}

/// Compares an output of a group with what roundings anywhere in it may have made of it.
void Outputs::examine_by_runs(std::size_t k) {
  cases::NodeResult& result = found_.results[k];
  const ir::Tensor& device = *view_.outputs[k];
  hold_to_group_runs(*found_.own.runs, k, device, result, settle::map_extents(asked_, k));
  result.vacuity = compare::vacuity_of(asked_.segment, asked_.inputs, found_.truth(k), device.dtype(), result.local);
  result.reference_ns = found_.own.local.truth.nanoseconds;
}

/// Looks into an output that was judged with the others of its node: how far its truth may be off is known only then.
void Outputs::examine_jointly(std::size_t k) {
  cases::NodeResult& result = found_.results[k];
  found_.truths.emplace(k, judge_.truth(k));
  if (judge_.knows_uncertainty(k))
    ask_oracles(k);
  else
    checks::samples::check_program_limits(asked_, k, found_.own.local, draws(result, ".oracle"), programs(),
                                          result.oracle);
  const bool agrees = result.local.agrees() && result.type.shape.elements() > 0;
  if (agrees && result.telling.mistrust().empty()) result.sensitivity = judge_.sensitivity(k);
}

/// Looks into an output whose elements are right or wrong one by one.
void Outputs::examine_elements(std::size_t k) {
  cases::NodeResult& result = found_.results[k];
  const ir::Tensor& device = *view_.outputs[k];
  const auto tested = found_.claim.replays.find(k);
  result.replays = tested != found_.claim.replays.end()
                       ? tested->second
                       : checks::samples::replay_sample(asked_, k, found_.own.local.truth.outputs[k], device,
                                                        draws(result, ".replay"));
  if (result.local.agrees() && result.telling.loose > 0 && !result.telling.mistrust().empty() &&
      checks::samples::replays_tell(asked_, k, judge_.truth(k), device, draws(result, ""))) {
    result.telling.informative += std::exchange(result.telling.loose, 0);
    result.telling.has_precise = true;
  }
  ask_sample(k);
}

/// Holds a sample of the truth, and of the limits that no element has changed yet, to the definitions of the ops.
void Outputs::ask_oracles(std::size_t k) {
  cases::NodeResult& result = found_.results[k];
  result.oracle =
      checks::samples::ask_oracles(asked_, k, found_.own.local, draws(result, ".oracle"), {.programs = programs()});
}

/// Asks a sample of an output that agrees whether that proves anything, and whether it rounds as its kernel says.
void Outputs::ask_sample(std::size_t k) {
  cases::NodeResult& result = found_.results[k];
  if (!result.local.agrees() || result.type.shape.elements() == 0) return;
  const ir::Tensor& got = *view_.outputs[k];
  // Replayed elements were held to less than their limits, by which a sample would be asked.
  if (result.telling.mistrust().empty() && result.settled.replayed == 0)
    result.sensitivity =
        checks::samples::sensitivity_of(asked_, k, judge_.truth(k), result.allowed, got, draws(result, ""));
  const auto sample =
      checks::samples::RoundingSample::of(asked_, k, found_.own.local.truth.outputs[k], draws(result, ""));
  if (sample) result.statistics = sample->judge(got);
}

/// Evaluates a node by what is known of how it adds, and holds a candidate to what it says of that. Where it is not
/// believed, the order and the unit of its sums are unknown.
Examination evaluate_by_claim(const NodeView& view) {
  const NodeState& node = view.state.node(view.n);
  Examination found;
  found.sums = node.claimed.empty() ? node.published() : node.claimed;
  found.own = evaluate(view, found.sums);
  if (node.claimed.empty()) return found;
  found.claim = test_claim(view, found.own);
  if (found.claim.is_believed()) return found;
  found.sums.clear();
  found.own = evaluate(view, found.sums);
  return found;
}

}  // namespace

Examination examine(const NodeView& view) {
  Examination found = evaluate_by_claim(view);
  found.judged = view.segment().judged;
  found.judged.inputs = view.inputs;
  for (const cases::NodeOutput& output : view.described) {
    found.results.push_back(cases::result_of(output));
    found.results.back().sums = found.sums;
  }
  Outputs outputs(view, found);
  for (std::size_t k = 0; k < view.outputs.size(); ++k)
    if (found.own.no_model.empty() && view.outputs[k] != nullptr) outputs.examine(k);
  // Only sources are lent to the truth of the whole graph.
  const core::Segment& segment = view.segment();
  for (std::size_t i = 0; i < segment.fed.size(); ++i)
    if (!view.rules.graph().is_source(segment.fed[i])) found.own.fed.erase(segment.graph.inputs()[i]);
  return found;
}

}  // namespace plumb::parity::verify
