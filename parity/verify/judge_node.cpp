// The course of one node of a case, from top to bottom: its outputs come from the candidate, its own truth and limits
// are evaluated on the operands that the candidate's node had and each output is compared, by any thread; then, node
// after node, each output gets its verdict, and the tensors for the node's readers are settled.

#include <fmt/format.h>

#include <algorithm>

#include "ir/passes/widen.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/attribution/non_finite.hpp"
#include "parity/checks/patterns/emulation.hpp"
#include "parity/checks/patterns/explain.hpp"
#include "parity/checks/samples/oracle_check.hpp"
#include "parity/checks/samples/replay_check.hpp"
#include "parity/checks/samples/sensitivity.hpp"
#include "parity/checks/samples/statistics.hpp"
#include "parity/compare/measure.hpp"
#include "parity/compare/tolerance.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/verify/advice.hpp"
#include "parity/verify/case_run.hpp"

namespace plumb::parity::verify {

/// A node is judged by itself on operands that nobody changes any more, so that any thread may do it at any time. Only
/// in mode isolate, where these come from the nodes before it, it waits for them.
CaseRun::Examined CaseRun::examine_node(std::size_t n) const {
  const ir::Node& node = graph_.nodes()[n];
  const auto is_captured = [this](ir::Value v) { return state_.is_captured(v); };
  const bool compares = is_chosen(n) && std::ranges::any_of(node.outputs, is_captured);
  Examined found;
  if (!compares || !state_.node(n).no_truth.empty()) return found;
  found.compares = true;
  evaluate_by_claim(n, found);
  const core::Segment& segment = state_.node(n).segment;
  found.judged = segment.judged;
  for (const ir::Value v : segment.fed) found.judged.inputs.push_back(state_.got(v));
  const settle::Subject asked{executors_.reference, segment,          found.judged.inputs,
                              found.sums,           found.own.manner, found.own.fed.empty() ? nullptr : &found.own.fed};
  std::vector<const ir::Tensor*> outputs;
  for (const ir::Value v : node.outputs) outputs.push_back(is_captured(v) ? &state_.value(v).got.value() : nullptr);
  judges::NodeJudge judge(asked, found.own.local, std::move(outputs), options_.extra_judges.get());
  found.is_joint = !judge.judges_elements();
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    found.results.push_back(blank(n, k));
    found.results.back().sums = found.sums;
    if (found.own.no_model.empty() && is_captured(node.outputs[k])) examine_output(k, asked, judge, found);
  }
  // Only sources are lent to the truth of the whole graph.
  for (std::size_t i = 0; i < segment.fed.size(); ++i)
    if (!graph_.is_source(segment.fed[i])) found.own.fed.erase(segment.graph.inputs()[i]);
  return found;
}

void CaseRun::judge_node(std::size_t n, Examined found) {
  const ir::Node& node = graph_.nodes()[n];
  const bool chosen = is_chosen(n);
  CandidateRun alone = chosen && isolates() ? run_node(n) : CandidateRun{};
  state_.take(alone);
  if (isolates()) {
    set_claim_aside(n);
    if (!alone.refused) found = examine_node(n);
    carry(n, found);
    measure_totals(found);
  }
  believe(n, found);
  const auto is_captured = [this](ir::Value v) { return state_.is_captured(v); };
  const std::string& no_truth = state_.node(n).no_truth;
  if (sign_runs_ && std::ranges::any_of(node.outputs, is_captured)) carry_roundings(n);

  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    cases::NodeResult result = found.compares ? std::move(found.results[k]) : blank(n, k);
    if (alone.refused) {
      result.verdict = *alone.refused;
      result.why = alone.why;
    } else if (!chosen) {
      skip(result, result.proof.exact == core::Exactness::impossible ? result.proof.why : std::string(not_chosen));
    } else if (is_captured(node.outputs[k]) && !no_truth.empty()) {
      skip_without_truth(n, k, result);
    } else if (is_captured(node.outputs[k]) && !found.own.no_model.empty()) {
      // Our own kernels have to be covered; who shows few values of somebody else's is told which are missing.
      result.verdict = is_foreign() ? core::Verdict::unsupported : core::Verdict::error;
      result.why = found.own.no_model;
      result.hash = state_.value(node.outputs[k]).hash;
    } else if (is_captured(node.outputs[k])) {
      judge_output(n, k, result, found);
    } else {
      skip(result, is_foreign()            ? "the candidate does not show it"
                   : result.kernel.empty() ? "not kept"
                                           : "computed in " + result.kernel);
      policy::require_total(options_.gate, result);
    }
    result_.nodes.push_back(std::move(result));
  }
  hand_on(n);
}

/// An output that reference precision says nothing of: what readers are given is what the candidate made of it.
void CaseRun::skip_without_truth(std::size_t n, std::size_t k, cases::NodeResult& result) {
  const ir::Value value = graph_.nodes()[n].outputs[k];
  skip(result, "no truth: " + state_.node(n).no_truth);
  result.lacks_truth = true;
  state_.value(value).error = compare::not_computed;
  policy::require_total(options_.gate, result);
  if (stated_.has(value))
    result_.notes.push_back("what the file expects of '" + result.name() + "' was not checked: it has no truth");
}

bool CaseRun::is_chosen(std::size_t n) const {
  const ir::Node& node = graph_.nodes()[n];
  const bool is_named = filter_.is_in(node.label) || policy::has_budget(options_.gate, node);
  return is_named && (subject_.proofs.empty() || must_be_exact(n));
}

/// In mode isolate the node's outputs come from a run of its own.
CandidateRun CaseRun::run_node(std::size_t n) {
  const auto given = [this](ir::Value v) { return state_.got(v); };
  CandidateRun run =
      run_alone(*executors_.candidate, graph_.nodes()[n], state_.node(n).segment, given, options_.repeat);
  if (!run.nodes.empty()) state_.node(n).report = run.nodes[0];
  return run;
}

/// The result of an output of which nothing is known yet but where it comes from.
cases::NodeResult CaseRun::blank(std::size_t n, std::size_t k) const {
  const ir::Node& node = graph_.nodes()[n];
  cases::NodeResult result{.node = n, .output = k, .label = node.label, .op = std::string(node.op.name())};
  for (const ir::Value v : node.inputs) result.in.push_back(graph_.type(v).dtype);
  result.type = graph_.type(node.outputs[k]);
  if (!subject_.proofs.empty()) result.proof = subject_.proofs[n];
  if (const auto& report = state_.node(n).report) {
    result.placement = report->placement;
    result.kernel = report->kernel;
    result.tile = report->tile;
    result.sums = report->sums;
    result.marked_bools = report->marked_bools;
    result.placement_reason = report->reason;
    result.device_ns = report->nanoseconds;
  }
  if (is_foreign()) {
    result.placement = ir::Placement::foreign;
    if (const auto found = pairing_.find(node.outputs[k]); found != pairing_.end()) result.paired = found->second;
  }
  result.group = std::max<std::size_t>(1, state_.node(n).segment.graph.nodes().size());
  result.repro = result_.repro + core::terminal::filter_flag(node.label);
  return result;
}

void skip(cases::NodeResult& result, std::string why) {
  result.verdict = core::Verdict::skipped;
  result.why = std::move(why);
}

/// Compares an output that the candidate computed with the truth of its own inputs, and looks into it.
void CaseRun::examine_output(std::size_t k, const settle::Subject& asked, judges::NodeJudge& judge,
                             Examined& found) const {
  cases::NodeResult& result = found.results[k];
  const ir::Tensor& device = state_.value(graph_.nodes()[result.node].outputs[k]).got.value();
  result.lambda = found.own.manner.arithmetic.deviations;
  if (found.own.runs) return examine_by_runs(k, device, found);
  if (!found.is_joint) ask_oracles(found.own, k, result, asked);
  try {
    judge.compare(k, device, result);
  } catch (const bounds::NoModel& lack) {
    result.verdict = is_foreign() ? core::Verdict::unsupported : core::Verdict::error;
    result.why = lack.what();
    return;
  }
  result.telling = judge.telling(k, result);
  const bool is_group = asked.segment.graph.nodes().size() > 1;
  if (is_foreign() && is_group && result.local.agrees() && !result.telling.mistrust().empty()) {
    evaluate_by_runs(result.node, found.own);
    if (found.own.runs) return examine_by_runs(k, device, found);
  }
  if (!found.is_joint) {
    if (const auto tested = found.claim.replays.find(k); tested != found.claim.replays.end())
      result.replays = tested->second;
    else
      replay_sample(found.own, k, result, asked);
    if (result.local.agrees() && result.telling.loose > 0 && !result.telling.mistrust().empty())
      if (checks::samples::replays_tell(asked, k, judge.truth(k), device,
                                        checks::samples::Draws(subject_.seed, result.name()))) {
        result.telling.informative += std::exchange(result.telling.loose, 0);
        result.telling.has_precise = true;
      }
    ask_sample(found.own, k, result, asked);
  }
  if (found.is_joint) examine_jointly(k, asked, judge, found);
  result.vacuity = compare::vacuity_of(asked.segment, asked.inputs, judge.truth(k), device.dtype(), result.local);
  result.reference_ns = found.own.local.truth.nanoseconds;
  if (options_.emulated != nullptr && judge.judges_elements())
    checks::patterns::add_emulation(*options_.emulated, asked, k, judge.whole(k), device, result);
}

/// Compares an output of a group with what roundings anywhere in it may have made of it.
void CaseRun::examine_by_runs(std::size_t k, const ir::Tensor& device, Examined& found) const {
  cases::NodeResult& result = found.results[k];
  const core::Segment& segment = state_.node(result.node).segment;
  hold_to_group_runs(*found.own.runs, k, device, result);
  result.vacuity = compare::vacuity_of(segment, found.judged.inputs, found.truth(k), device.dtype(), result.local);
  result.reference_ns = found.own.local.truth.nanoseconds;
}

/// Looks into an output that was judged with the others of its node: how far its truth may be off is known only then.
void CaseRun::examine_jointly(std::size_t k, const settle::Subject& asked, judges::NodeJudge& judge,
                              Examined& found) const {
  cases::NodeResult& result = found.results[k];
  found.truths.emplace(k, judge.truth(k));
  if (judge.knows_uncertainty(k)) ask_oracles(found.own, k, result, asked);
  const bool agrees = result.local.agrees() && result.type.shape.elements() > 0;
  if (agrees && result.telling.mistrust().empty()) result.sensitivity = judge.sensitivity(k);
}

/// Sets the inherited and the total error of an output, and its verdict.
void CaseRun::judge_output(std::size_t n, std::size_t k, cases::NodeResult& result, Examined& found) {
  bounds::Bounded& local = found.own.local;
  const core::Segment& segment = state_.node(n).segment;
  const ir::Value value = graph_.nodes()[n].outputs[k];
  ValueState& state = state_.value(value);
  const ir::Tensor& device = state.got.value();
  const ir::Tensor& truth = found.truth(k);
  result.hash = state.hash.value();
  if (result.verdict == core::Verdict::error || result.verdict == core::Verdict::unsupported)
    return;  // nobody knows how to judge it
  if (result.local.n_nan_got + result.local.n_inf_got > 0)
    attribution::add_origins(result_, {result.name(), graph_, segment, found.judged.inputs, truth, device});
  if (result.replays.refutes()) result_.notes.push_back(result.replays.said(result.name(), result.kernel));
  state.error = compare::not_computed;
  if (const auto total = found.totals.find(k); total != found.totals.end()) compare_total(total->second, result, state);

  const ir::Tensor& judged_by = result.gates_total ? *state.truth : truth;
  const auto gate = policy::judge_numbers(options_.gate, graph_, result, judged_by, device);
  const bool fails_by_its_own = gate.verdict == core::Verdict::failed && gate.total_beyond.empty();
  result.is_guilty = result.gates_total ? !result.local.agrees() : fails_by_its_own;
  if (gate.verdict == core::Verdict::failed) result.total_beyond = gate.total_beyond;
  if (result.gated().n_without_limit > 0) result.is_guilty = false;
  if (const ir::Tensor* const given = given_output(value))
    result.expected = compare::measure(ir::passes::widen(*given), device);
  decide(result, gate, state.truth ? stated_.against(result, value, *state.truth, device) : "");
  if (must_be_exact(n) && !isolates()) follow_exactly(n, value, result);
  const settle::Subject asked{executors_.reference, segment, found.judged.inputs, result.sums, found.own.manner};
  if (result.verdict == core::Verdict::failed && !result.local.agrees() && !found.is_joint && !found.own.runs)
    result.patterns = checks::patterns::explain(asked, k, local, device);
  if (is_foreign() && result.verdict == core::Verdict::failed && !result.local.agrees())
    if (const std::string cause = advice_on(asked, k, truth, device, result, limits_of_elements()); !cause.empty())
      result.why += "; " + cause;
  observer_.compared(result, truth, device);
  result.allowed.limits.reset();
}

/// Carries the roundings of the candidate's node to those behind it, along the candidate's own trees (verdict.md V46).
/// Stops at a node without a model.
void CaseRun::carry_roundings(std::size_t n) {
  const core::Segment& segment = state_.node(n).segment;
  const auto is_there = [this](ir::Value v) { return sign_runs_->has(v); };
  const bool has_truth = state_.has_truth(graph_.nodes()[n].outputs.front());
  if (!has_truth || !std::ranges::all_of(segment.fed, is_there)) return;
  try {
    sign_runs_->step(n, segment, manner_of(n, published(n)));
  } catch (const bounds::NoModel&) {
  }
  sign_runs_->keep_only([&](ir::Value v) { return state_.value(v).last_use > n || graph_.producer(v) == n; });
}

/// Holds an output to the truth of the whole graph, by what roundings on the way may have made of it.
void CaseRun::judge_total(cases::NodeResult& result, const ir::Tensor& device) const {
  const ir::Value value = graph_.nodes()[result.node].outputs[result.output];
  const ir::DType dtype = result.type.dtype;
  const double unit = ir::unit_roundoff(dtype) > 0 ? ir::unit_roundoff(core::compute_dtype(dtype)) : 0;
  const auto found =
      checks::expected::hold_to_runs(sign_runs_->spread(value), device, {.unit = unit}, result_.false_alarms.lambda());
  result.total = found.comparison;
  if (found.allowed.rule == compare::Allowed::Rule::within) result.telling = found.telling;
}

/// The tensor that another implementation gave for a value; null where it gave none.
const ir::Tensor* CaseRun::given_output(ir::Value value) const {
  if (!subject_.expectation) return nullptr;
  const auto found = subject_.expectation->tensors.find(graph_.name(value));
  return found == subject_.expectation->tensors.end() ? nullptr : &found->second;
}

/// Holds a sample of the truth, and of the limits that no element has changed yet, to the definitions of the ops.
void CaseRun::ask_oracles(const Evaluation& own, std::size_t k, cases::NodeResult& result,
                          const settle::Subject& subject) const {
  result.oracle = checks::samples::ask_oracles(subject, k, own.local,
                                               checks::samples::Draws(subject_.seed, result.name() + ".oracle"));
}

/// Whether the kernel adds as it says.
void CaseRun::replay_sample(const Evaluation& own, std::size_t k, cases::NodeResult& result,
                            const settle::Subject& subject) const {
  const ir::Tensor& got = state_.value(graph_.nodes()[result.node].outputs[k]).got.value();
  result.replays = checks::samples::replay_sample(subject, k, own.local.truth.outputs[k], got,
                                                  checks::samples::Draws(subject_.seed, result.name() + ".replay"));
}

/// Asks a sample of an output that agrees whether that proves anything, and whether it rounds as its kernel says.
void CaseRun::ask_sample(const Evaluation& own, std::size_t k, cases::NodeResult& result,
                         const settle::Subject& subject) const {
  if (!result.local.agrees() || result.type.shape.elements() == 0) return;
  const ir::Tensor& got = state_.value(graph_.nodes()[result.node].outputs[k]).got.value();
  const checks::samples::Draws draws(subject_.seed, result.name());
  // Replayed elements were held to less than their limits, by which a sample would be asked.
  if (result.telling.mistrust().empty() && result.settled.replayed == 0)
    result.sensitivity = checks::samples::sensitivity_of(subject, k, own.local, got, draws);
  if (const auto sample = checks::samples::RoundingSample::of(subject, k, own.local.truth.outputs[k], draws))
    result.statistics = sample->judge(got);
}

/// The verdict: what the numbers say comes first, and what would make them worthless after it.
void CaseRun::decide(cases::NodeResult& result, const policy::Judgement& gate, const std::string& refuted) {
  const ir::Value value = graph_.nodes()[result.node].outputs[result.output];
  const auto say = [&](core::Verdict verdict, std::string why) {
    result.verdict = verdict;
    result.why = std::move(why);
  };
  if (result.oracle.bad + result.oracle.bad_limits > 0) return say(core::Verdict::error, result.oracle.said(result.op));
  if (const compare::Comparison& gated = result.gated(); gated.n_without_limit > 0)
    return say(core::Verdict::error,
               fmt::format("{} of {} elements have a limit that is not finite: the error model of '{}' is wrong here",
                           gated.n_without_limit, gated.n, result.op));
  // An expected failure is one of numbers: it excuses nothing of what follows.
  const bool is_expected = gate.verdict == core::Verdict::xfailed;
  const bool holds = gate.verdict == core::Verdict::passed || gate.verdict == core::Verdict::xpassed;
  if (!holds && !is_expected) return say(gate.verdict, gate.why);
  if (!refuted.empty()) return say(core::Verdict::failed, refuted);
  if (judges::is_refused_by_statistics(options_.gate, result, gate))
    return say(core::Verdict::failed, result.statistics.finding);
  if (result_.plain.plain == cases::Plain::whole)
    return say(core::Verdict::mistrusted, "computed otherwise where nobody looks: the plain run has other bits");
  if (state_.value(value).is_unstable)
    return say(core::Verdict::nondeterministic, "another run on the same inputs gave other bits");
  if (result.placement == ir::Placement::cpu && !executors_.candidate_is_host)
    return say(core::Verdict::fallback, "ran on the host: " + result.placement_reason);
  if (result.local.n > 0 && result.settled.out_of_range == result.local.n)
    return say(core::Verdict::out_of_range, "intermediate results leave the range of the type, on the host as well");
  if (result.type.shape.elements() == 0) return say(core::Verdict::skipped, "empty");
  std::string doubt = is_expected ? "" : result.telling.mistrust();
  if (is_foreign() && result.replays.refutes()) doubt = result.replays.said(result.name(), result.kernel);
  if (doubt.empty() && !is_expected) doubt = result.sensitivity.mistrust();
  if (doubt.empty()) return say(gate.verdict, gate.why);
  if (is_given(result.node)) return say(core::Verdict::skipped, "given by the graph");
  if (result.telling.informative + result.telling.loose == 0 && moves_zeros(result.node))
    return say(core::Verdict::skipped, "zeros of an input, moved: its bits agree");
  say(core::Verdict::mistrusted, doubt);
}

/// A proof is about the operands of the twin: on others, which a failure before gave, it says nothing.
void CaseRun::follow_exactly(std::size_t n, ir::Value value, cases::NodeResult& result) {
  ValueState& state = state_.value(value);
  if (!state.truth) return;
  const compare::Allowed exactly{.rule = compare::Allowed::Rule::exact};
  if (!compare::compare(state.truth.value(), state.got.value(), exactly).agrees()) state.is_off = true;
  for (const ir::Value v : state_.node(n).segment.fed)
    if (state_.value(v).is_off && result.verdict == core::Verdict::failed)
      skip(result, "nothing is proved of it on what '" + graph_.name(v) + "' gave");
}

/// Settles what the node's readers are given: in mode isolate the truth, rounded, else what the candidate computed.
void CaseRun::hand_on(std::size_t n) {
  for (const ir::Value v : graph_.nodes()[n].outputs) {
    ValueState& state = state_.value(v);
    if (!state.truth) {  // readers are given what the candidate computed
      if (!state.error) state.error = compare::not_computed;
      continue;
    }
    const ir::Tensor& truth = *state.truth;
    if (isolates()) {
      state_.give(v, ir::convert(truth, graph_.type(v).dtype));
      if (std::ranges::equal(truth.bytes(), ir::passes::widen(*state.got).bytes())) state.is_clean = true;
      state.error.reset();
    }
    if (state.got && !state.error)  // not compared: filtered out, or replaced
      state.error = attribution::relative_error(compare::measure(truth, *state.got));
  }
}

}  // namespace plumb::parity::verify
