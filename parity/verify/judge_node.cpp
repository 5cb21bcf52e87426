// The course of one node of a case, from top to bottom: its outputs come from the candidate and are examined by
// themselves, by any thread; then, node after node, each output gets its verdict, and the tensors for the node's
// readers are settled.

#include <algorithm>

#include "ir/passes/widen.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/attribution/non_finite.hpp"
#include "parity/checks/patterns/explain.hpp"
#include "parity/compare/measure.hpp"
#include "parity/core/float_format.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/verify/case_run.hpp"
#include "parity/verify/node/advice.hpp"
#include "parity/verify/node/examine.hpp"

namespace plumb::parity::verify {

/// A node is judged by itself on operands that nobody changes any more, so that any thread may do it at any time. Only
/// in mode isolate, where these come from the nodes before it, it waits for them.
std::optional<Examination> CaseRun::examine_node(std::size_t n) const {
  const std::vector<ir::Value>& outputs = graph_.nodes()[n].outputs;
  const auto is_captured = [this](ir::Value v) { return state_.is_captured(v); };
  const bool compares = is_chosen(n) && std::ranges::any_of(outputs, is_captured);
  if (!compares || !state_.node(n).no_truth.empty()) return std::nullopt;
  std::vector<cases::NodeOutput> described;
  for (std::size_t k = 0; k < outputs.size(); ++k) described.push_back(describe(n, k));
  return examine(view_of(rules_, state_, n, std::move(described)));
}

void CaseRun::judge_node(std::size_t n, Pending pending) {
  const ir::Node& node = graph_.nodes()[n];
  const bool chosen = is_chosen(n);
  CandidateRun alone = chosen && isolates() ? run_node(n) : CandidateRun{};
  state_.take(alone);
  if (isolates()) {
    state_.store_outputs(n);
    set_claim_aside(n);
    if (!alone.refused) pending.examined = examine_node(n);
    carry(n, pending);
    measure_totals(pending);
  }
  std::optional<Examination>& found = pending.examined;
  if (found) believe(n, *found);
  const bool is_kept = found && is_to_be_kept(n, *found);
  const std::size_t notes = result_.notes.size(), origins = result_.non_finite.size();
  const auto is_captured = [this](ir::Value v) { return state_.is_captured(v); };
  const std::string& no_truth = state_.node(n).no_truth;
  if (sign_runs_ && std::ranges::any_of(node.outputs, is_captured)) carry_roundings(n, pending);
  if (pending.kept != nullptr) return take_kept(n, pending);

  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    cases::NodeResult result = found ? std::move(found->results[k]) : cases::result_of(describe(n, k));
    if (alone.refused) {
      result.verdict = *alone.refused;
      result.why = alone.why;
    } else if (!chosen) {
      skip(result, result.proof.exact == core::Exactness::impossible ? result.proof.why : std::string(not_chosen));
    } else if (is_captured(node.outputs[k]) && !no_truth.empty()) {
      skip_without_truth(n, k, result);
    } else if (is_captured(node.outputs[k]) && !found->own.no_model.empty()) {
      // Our own kernels have to be covered; who shows few values of somebody else's is told which are missing.
      result.verdict = is_foreign() ? core::Verdict::unsupported : core::Verdict::error;
      result.why = found->own.no_model;
      result.hash = state_.value(node.outputs[k]).hash;
    } else if (is_captured(node.outputs[k])) {
      judge_output(n, k, result, pending);
    } else {
      skip(result, is_foreign()            ? "the candidate does not show it"
                   : result.kernel.empty() ? "not kept"
                                           : "computed in " + result.kernel);
      policy::require_total(options_.gate, result);
    }
    result_.nodes.push_back(std::move(result));
  }
  if (is_kept) keep(n, *found, notes, origins);
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
  const bool is_named = options_.filter.takes(node) || policy::has_budget(options_.gate, node);
  return is_named && (subject_.proofs.empty() || must_be_exact(n));
}

/// In mode isolate the node's outputs come from a run of its own.
CandidateRun CaseRun::run_node(std::size_t n) {
  const auto given = [this](ir::Value v) { return state_.got(v); };
  CandidateRun run =
      run_alone(*executors_.candidate, storage(), graph_.nodes()[n], state_.node(n).segment, given, options_.repeat);
  if (!run.nodes.empty()) state_.node(n).report = run.nodes[0];
  return run;
}

/// Where an output comes from, and how the candidate computed it.
cases::NodeOutput CaseRun::describe(std::size_t n, std::size_t k) const {
  const ir::Node& node = graph_.nodes()[n];
  cases::NodeOutput output{.node = n, .output = k, .label = node.label, .op = std::string(node.op.name())};
  for (const ir::Value v : node.inputs) output.in.push_back(graph_.type(v).dtype);
  output.type = {state_.dtype_of(node.outputs[k]), graph_.type(node.outputs[k]).shape};
  if (!subject_.proofs.empty()) output.proof = subject_.proofs[n];
  if (const auto& report = state_.node(n).report) {
    output.placement = report->placement;
    output.kernel = report->kernel;
    output.tile = report->tile;
    output.sums = report->sums;
    output.marked_bools = report->marked_bools;
    output.placement_reason = report->reason;
    output.device_ns = report->nanoseconds;
  }
  if (is_foreign()) {
    output.placement = ir::Placement::foreign;
    if (const auto found = pairing_.find(node.outputs[k]); found != pairing_.end()) output.paired = found->second;
  }
  output.group = std::max<std::size_t>(1, state_.node(n).group());
  output.repro = result_.repro + core::terminal::filter_flag(node.label);
  return output;
}

/// Nobody vouches for what a candidate that is not ours says of how a node adds. If it says nothing, its profile may.
void CaseRun::set_claim_aside(std::size_t n) {
  NodeState& node = state_.node(n);
  if (!is_foreign() || !node.report) return;
  node.claimed = std::exchange(node.report->sums, {});
  if (!node.claimed.empty() || executors_.profile == nullptr) return;
  ir::TensorTypes operands;
  const ir::Node& asked = graph_.nodes()[n];
  for (const ir::Value v : asked.inputs) operands.push_back(graph_.type(v));
  const profile::MeasuredSum* const found = executors_.profile->sum_of(node.report->kernel, asked.op.name(), operands);
  if (found == nullptr) return;
  node.claimed = {found->sum};
  node.is_measured = true;
}

/// Lets what follows know how the node adds.
void CaseRun::believe(std::size_t n, const Examination& found) {
  if (!found.claim.is_there) return;
  if (found.claim.is_believed())
    state_.node(n).report->sums = found.sums;
  else if (!found.claim.is_refuted())
    unbelieved_.push_back(graph_.nodes()[n].label);
}

void skip(cases::NodeResult& result, std::string why) {
  result.verdict = core::Verdict::skipped;
  result.why = std::move(why);
}

/// Sets the inherited and the total error of an output, and its verdict.
void CaseRun::judge_output(std::size_t n, std::size_t k, cases::NodeResult& result, Pending& pending) {
  const Examination& found = *pending.examined;
  const core::Segment& segment = state_.node(n).segment;
  const ir::Value value = graph_.nodes()[n].outputs[k];
  ValueState& state = state_.value(value);
  const ir::Tensor& device = state_.given(value);
  const ir::Tensor& truth = found.truth(k);
  result.hash = state.hash.value();
  if (state.stored_in) ++stored_[*state.stored_in];
  if (result.verdict == core::Verdict::error || result.verdict == core::Verdict::unsupported)
    return;  // nobody knows how to judge it
  const attribution::Computed computed{result.name(), graph_, segment, found.judged.inputs, truth, device};
  const attribution::Specials specials = attribution::specials_of(computed, result);
  result.special = attribution::class_of(specials);
  attribution::add_origins(result_, computed, specials);
  if (result.replays.refutes()) result_.notes.push_back(result.replays.said(result.name(), result.kernel));
  state.error = compare::not_computed;
  if (const auto total = pending.totals.find(k); total != pending.totals.end())
    compare_total(total->second, result, state);

  const ir::Tensor& judged_by = result.gates_total ? *state.truth : truth;
  const auto gate = policy::judge_numbers(options_.gate, graph_, result, judged_by, device);
  const bool fails_by_its_own = gate.verdict == core::Verdict::failed && gate.total_beyond.empty();
  result.is_guilty = result.gates_total ? !result.local.agrees() : fails_by_its_own;
  if (gate.verdict == core::Verdict::failed) result.total_beyond = gate.total_beyond;
  if (result.gated().n_without_limit > 0) result.is_guilty = false;
  if (const ir::Tensor* const given = given_output(value))
    result.expected = compare::measure(ir::passes::widen(*given), device);
  const std::string refuted = state.truth ? stated_.against(result, value, *state.truth, device) : "";
  Decision decision = decide(facts_of(result, gate, refuted));
  result.verdict = decision.verdict;
  result.why = std::move(decision.why);
  if (must_be_exact(n) && !isolates()) follow_exactly(n, value, result);
  if (result.verdict == core::Verdict::failed && !result.local.agrees()) explain(found, device, result);
  validate(result);
  policy::excuse(options_.gate, graph_, result);
  observer_.compared(result, truth, device);
  result.allowed.limits.reset();
}

/// The facts that a verdict is made of.
Facts CaseRun::facts_of(const cases::NodeResult& result, const policy::Judgement& gate,
                        const std::string& refuted) const {
  const ir::Value value = graph_.nodes()[result.node].outputs[result.output];
  const auto& fed = state_.node(result.node).segment.fed;
  const auto unstable = std::ranges::find_if(fed, [this](ir::Value v) { return state_.value(v).is_unstable; });
  const bool says_nothing = result.telling.informative + result.telling.loose == 0;
  return {.result = result,
          .gate = gate,
          .refuted = refuted,
          .is_refused_by_statistics = policy::is_refused_by_statistics(options_.gate, result, gate),
          .is_whole = result_.plain.plain == cases::Plain::whole,
          .is_unstable = state_.value(value).is_unstable,
          .unstable_operand = unstable == fed.end() ? std::string() : graph_.name(*unstable),
          .is_fallback = result.placement == ir::Placement::cpu && !executors_.candidate_is_host,
          .is_foreign = is_foreign(),
          .is_given = is_given(result.node),
          .moves_zeros = says_nothing && moves_zeros(result.node)};
}

/// Says what elements that failed have in common, and which cause a candidate of somebody else's is known to have.
void CaseRun::explain(const Examination& found, const ir::Tensor& device, cases::NodeResult& result) const {
  const std::size_t k = result.output;
  const core::Segment& segment = state_.node(result.node).segment;
  const settle::Subject asked{executors_.reference, segment, found.judged.inputs, result.sums, found.own.manner};
  if (!found.is_joint && !found.own.runs) {
    const auto before = truth_before(result.node, k);
    result.patterns =
        checks::patterns::explain(asked, k, found.truth(k), result.allowed, device, before ? &*before : nullptr);
  }
  if (!is_foreign()) return;
  const std::string cause = advice_on(asked, k, found.truth(k), device, result, rules_.limits_of_elements());
  if (!cause.empty()) result.why += "; " + cause;
}

/// The truth that an output had in the run before this one; nothing of nodes behind the first that failed, since the
/// whole graph up to the node is evaluated for it.
std::optional<ir::Tensor> CaseRun::truth_before(std::size_t n, std::size_t k) const {
  const auto failed = [](const cases::NodeResult& one) { return one.verdict == core::Verdict::failed; };
  if (!options_.before || std::ranges::any_of(result_.nodes, failed)) return std::nullopt;
  const core::Segment whole = core::segment_of(graph_, n, [this](ir::Value v) { return graph_.is_source(v); });
  const auto fed = [this](ir::Value v) {
    const auto found = options_.before->find(graph_.name(v));
    return ir::passes::widen(found == options_.before->end() ? ir::fed(graph_, subject_.feeds, v) : found->second);
  };
  try {
    return std::move(core::evaluate_widened(executors_.reference, whole, fed).outputs.at(k));
  } catch (const ir::Error&) {  // an index that is out of range there
    return std::nullopt;
  }
}

/// Carries the roundings of the candidate's node to those behind it, along the candidate's own trees (verdict.md V46).
/// Stops at a node without a model.
void CaseRun::carry_roundings(std::size_t n, const Pending& pending) {
  const core::Segment& segment = state_.node(n).segment;
  const auto is_there = [this](ir::Value v) { return sign_runs_->has(v); };
  const bool has_truth = state_.has_truth(graph_.nodes()[n].outputs.front());
  if (!has_truth || !std::ranges::all_of(segment.fed, is_there)) return;
  try {
    sign_runs_->step(n, segment,
                     rules_.manner_of(n, segment, state_.node(n).published(), stored_operands(rules_, state_, n)));
    follow_decisions(n, pending);
  } catch (const bounds::NoModel&) {
  }
  sign_runs_->keep_only([&](ir::Value v) { return state_.value(v).last_use > n || graph_.producer(v) == n; });
}

/// Has the sign runs go on from the decisions that the truth of the whole graph follows. What these left open, as the
/// weights of experts, is what it is under them.
void CaseRun::follow_decisions(std::size_t n, const Pending& pending) {
  if (!pending.examined) return;
  const Examination& found = *pending.examined;
  const judges::DecidedOutputs decided = found.decided();
  const std::vector<ir::Value>& outputs = graph_.nodes()[n].outputs;
  // Choices that nothing is known of are left open: the truth does not follow them.
  const auto is_known = [&](std::size_t k) {
    return found.results[k].units.flagged == 0 && found.results[k].telling.not_finite == 0;
  };
  const bool is_settled = std::ranges::all_of(decided, [&](const auto& one) { return is_known(one.first); });
  const core::Segment& segment = state_.node(n).segment;
  for (std::size_t k = 0; !decided.empty() && k < outputs.size(); ++k) {
    const auto& truth = state_.value(outputs[k]).truth;
    if (!truth) continue;
    const auto under = [&](const ir::Feeds& fed) {
      auto made = judges::outputs_under(executors_.reference, segment, fed, found.own.manner,
                                        options_.extra_judges.get(), decided, found.own.local.truth);
      return bounds::runs::SignRuns::Settled{std::move(made[k].truth), std::move(made[k].allowed)};
    };
    if (is_settled && !decided.contains(k) && sign_runs_->is_open(outputs[k]))
      sign_runs_->settle(n, k, segment, under);
    else
      sign_runs_->follow(outputs[k], *truth, decided.contains(k) && is_known(k));
  }
}

/// Holds an output to the truth of the whole graph, by what roundings on the way may have made of it.
void CaseRun::judge_total(cases::NodeResult& result, const ir::Tensor& device) const {
  const ir::Value value = graph_.nodes()[result.node].outputs[result.output];
  const ir::DType dtype = result.type.dtype;
  const double unit = ir::unit_roundoff(dtype) > 0 ? ir::unit_roundoff(core::compute_dtype(dtype)) : 0;
  const auto map =
      options_.maps == cases::KeepMaps::none ? std::nullopt : std::optional(settle::map_extents(graph_, value));
  const auto found =
      checks::expected::hold_to_runs(sign_runs_->spread(value), device, {.unit = unit}, rules_.deviations, map);
  result.total = found.comparison;
  if (found.allowed.rule == compare::Allowed::Rule::within) result.telling = found.telling;
}

/// The tensor that another implementation gave for a value; null where it gave none.
const ir::Tensor* CaseRun::given_output(ir::Value value) const {
  if (!subject_.expectation) return nullptr;
  const auto found = subject_.expectation->tensors.find(graph_.name(value));
  return found == subject_.expectation->tensors.end() ? nullptr : &found->second;
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
