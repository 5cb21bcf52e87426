// One case from the candidate's run to its verdict: nodes in order, the truth of the whole graph, refusals.
#include "parity/verify/case_run.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "ir/passes/widen.hpp"
#include "ir/registered_op.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/attribution/non_finite.hpp"
#include "parity/compare/measure.hpp"
#include "parity/core/parallel.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/profile/emulated_node.hpp"
#include "parity/verify/coverage.hpp"
#include "parity/verify/foreign_run.hpp"
#include "parity/verify/memory_budget.hpp"
#include "parity/verify/node/claim.hpp"
#include "parity/verify/repro.hpp"
#include "parity/verify/shared_case.hpp"
#include "parity/verify/shares.hpp"

namespace plumb::parity::verify {
namespace {

constexpr unsigned sign_runs_of_totals = 8;  // verdict.md V44

/// Whether one is what the other is, widened. Where they differ they nearly always do so among the first elements.
bool is_widened(const ir::TensorView& wide, const ir::TensorView& narrow) {
  constexpr std::int64_t some = 64;
  const auto agree = [&](std::int64_t count) {
    const auto first = [count](const ir::TensorView& x) {
      const std::size_t bytes = static_cast<std::size_t>(count) * ir::info(x.dtype()).bytes;
      return ir::TensorView({x.dtype(), {count}}, x.bytes().first(bytes));
    };
    return std::ranges::equal(first(wide).bytes(), ir::passes::widen(first(narrow)).bytes());
  };
  return agree(std::min(some, narrow.elements())) && agree(narrow.elements());
}

}  // namespace

CaseRun::CaseRun(const cases::Case& subject, const cases::Executors& executors, const VerifyOptions& options,
                 cases::Observer& observer)
    : subject_(subject),
      graph_(subject.file->graph),
      executors_(executors),
      options_(options),
      rules_{.subject = subject, .executors = executors, .options = options},
      observer_(observer),
      stated_(subject, executors.reference),
      // Blame may be looked for when all is compared, from what the candidate computed.
      state_(subject, isolates(), !isolates() && options.blame != 0u) {
  if (subject.as_written)
    written_.emplace(*subject.as_written, graph_, executors.reference,
                     options.truths ? &options.truths->written : nullptr);
  result_.subject = cases::without_numbers(subject);
  result_.mode = options.mode;
  result_.repeat = options.repeat;
  result_.judged_by = policy::judged_by(options.gate);
  result_.may_flush = rules_.may_flush = policy::may_flush(options.gate, executors.flushes_subnormals);
  result_.repro = repro_of(subject, options);
  result_.settings = options.settings;
  require_judged_storage();
  if (is_foreign()) result_.candidate = foreign::to_text(executors.foreign->description());
  std::set<std::string_view> told;
  for (const ir::Node& node : graph_.nodes())
    if (const ir::DeclaredOp* const op = ir::registered(node.op); op != nullptr && !op->code.body)
      if (told.insert(op->name).second)
        result_.notes.push_back(op->name +
                                " is what its author's code makes of it, within the limits that this states: "
                                "no definition of ours tests its truth");
  if (subject.dtype && !subject.file->expected.empty())
    result_.notes.push_back("what the file expects was not checked: its numbers are not those of " +
                            std::string(ir::info(*subject.dtype).name));
}

/// The tensor where the budget of memory has it wait for its readers.
ir::Tensor CaseRun::held(ir::Tensor tensor) const {
  return options_.memory ? options_.memory->hold(std::move(tensor)) : std::move(tensor);
}

void CaseRun::run_candidate() {
  const std::size_t count = graph_.nodes().size();
  if (isolates()) {
    const ir::Placement place = is_foreign() ? ir::Placement::foreign : ir::Placement::gpu;
    for (std::size_t n = 0; n < count; ++n) state_.node(n).report = {place, "", "", {}};
    return;
  }
  require_supported(*executors_.candidate, graph_);
  const std::string candidate(executors_.candidate->name());
  const auto compiled = [&] { observer_.step("first run on " + candidate, 1, count + 2); };
  const bool is_plain = given_.has_value();
  if (!is_plain) observer_.step("compiling for " + candidate, 0, count + 2);
  // Our own executors take no notice of such a list, so that none is made for them.
  const auto interest = [this] {
    return is_foreign() ? values_of_interest(graph_, [this](std::size_t n) { return is_chosen(n); }) : std::nullopt;
  };
  const bool computes = !is_foreign() || executors_.foreign->computes();
  CandidateRun run = is_plain ? std::move(*given_)
                              : run_whole(*executors_.candidate, storage(), graph_, subject_.feeds,
                                          computes ? options_.repeat : 1, compiled, interest());
  for (auto& [v, tensor] : run.values) tensor = held(std::move(tensor));
  if (is_foreign()) {  // before it runs again, for its results alone
    pairing_ = executors_.foreign->pairing();
    if (!is_plain) std::ranges::copy(executors_.foreign->notes(), std::back_inserter(result_.notes));
  }
  if (options_.plain && !is_plain && computes) {
    PlainFinding found = run_plain(*executors_.candidate, storage(), subject_, run);
    result_.plain = std::move(found.said);
    tapped_ = std::move(found.tapped);
  }
  for (std::size_t n = 0; n < std::min(count, run.nodes.size()); ++n) {
    state_.node(n).report = run.nodes[n];
    set_claim_aside(n);
  }
  state_.take(run);
}

/// Runs the candidate; false when it refuses what the reference accepts, which is a
/// failure of its own. What both refuse is an error of the graph or its inputs.
bool CaseRun::try_candidate() try {
  run_candidate();
  return true;
} catch (const ir::Unsupported&) {
  throw;
} catch (const ir::DeviceError&) {
  throw;
} catch (const ir::files::NoRoom&) {
  throw;
} catch (const core::CandidateError& error) {
  result_.verdict = core::Verdict::failed;
  result_.message = error.what();
  return false;
} catch (const ir::Error& error) {
  if (is_refused(executors_.reference, graph_, subject_.feeds)) throw;
  result_.verdict = core::Verdict::failed;
  result_.message = ir::cat("the candidate refuses what the reference runs: ", error.what());
  return false;
}

/// How many elements of the run have a limit that chance may exceed, before any is judged (verdict.md V52): of values
/// that the candidate kept, of those of a plain run that is judged besides, and of what another implementation gave.
std::uint64_t CaseRun::count_limits() const {
  std::uint64_t count = 0;
  const judges::ExtraJudges* const extra = options_.extra_judges.get();
  const auto of_output = [&](const core::Segment& segment, std::size_t k) {
    const ir::TensorType& type = segment.graph.type(segment.outputs[k]);
    // Roundings on the way to a total are chance, whatever its own node does.
    const bool is_total = options_.mode == core::Mode::propagate && ir::unit_roundoff(type.dtype) > 0;
    return is_total ? bounds::real_numbers_of(type) : judges::limits_of_chance(segment, k, extra);
  };
  const auto add = [&](std::size_t n, const core::Segment& segment, const core::Available& is_kept) {
    for (std::size_t k = 0; k < segment.outputs.size(); ++k)
      if (is_kept(graph_.nodes()[n].outputs[k])) count += of_output(segment, k);
  };
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
    if (!is_chosen(n) || !state_.node(n).no_truth.empty() || must_be_exact(n)) continue;
    add(n, state_.node(n).segment, [this](ir::Value v) { return state_.is_captured(v); });
    if (!tapped_) continue;
    const auto is_tapped = [this](ir::Value v) { return graph_.is_source(v) || tapped_->values.contains(v); };
    add(n, core::segment_of(graph_, n, is_tapped), is_tapped);
  }
  return subject_.expectation && options_.expected ? count + checks::expected::limits_in(*subject_.expectation) : count;
}

/// Carries a node on when all before it are; false, the problem being kept, where that fails.
bool CaseRun::try_carry(std::size_t n, Pending& pending) {
  if (pending.problem) return false;
  try {
    carry(n, pending);
  } catch (...) {
    pending.problem = std::current_exception();
  }
  return !pending.problem;
}

void CaseRun::carry(std::size_t n, Pending& pending) {
  std::optional<Examination>& found = pending.examined;
  carry_truth(n, found ? &*found : nullptr, found ? std::move(found->own.fed) : ir::Feeds{});
  if (written_) written_->carry_to(n);
  if (pending.kept != nullptr && !carry_kept(n, *pending.kept)) {
    pending.kept = nullptr;
    found = examine_node(n);
    // The truth of the whole graph is the local one where the node would have been examined before.
    if (found && !options_.truths) carry_truth(n, &*found, std::move(found->own.fed));
  }
  for (std::size_t k = 0; found && k < found->results.size(); ++k) plan_total(n, k, pending);
}

/// Evaluates the truth of the whole graph at this node, unless it or something before it has none. Where nothing was
/// wrong so far it is the local one, which was made of `fed`; else `fed` lends what is the same, the sources. It
/// follows the candidate's codes, experts and tokens where these are admissible: one that is taken at a near tie would
/// make every later total meaningless.
void CaseRun::carry_truth(std::size_t n, const Examination* found, ir::Feeds fed) {
  const ir::Node& node = graph_.nodes()[n];
  const core::Evaluated* const local = found != nullptr ? &found->own.local.truth : nullptr;
  const judges::DecidedOutputs decided = found != nullptr ? found->decided() : judges::DecidedOutputs{};
  const auto is_clean = [this](ir::Value v) { return state_.is_clean(v); };
  const bool same = local != nullptr && std::ranges::all_of(state_.node(n).segment.fed, is_clean);
  const auto has_truth = [this](ir::Value v) { return state_.has_truth(v); };
  const bool can_evaluate =
      ir::passes::why_no_truth(graph_, node).empty() && std::ranges::all_of(node.inputs, has_truth);
  // Behind a decision that this candidate alone made, the truth is none for another one.
  const auto follows = [this](ir::Value v) { return !graph_.is_source(v) && state_.value(v).follows; };
  const bool is_shared = options_.truths && std::ranges::none_of(node.inputs, follows);
  std::optional<std::vector<ir::Tensor>> kept = is_shared ? options_.truths->run.of(node) : std::nullopt;
  const bool is_kept = kept.has_value();
  const bool is_alone = !same && (!is_kept || !decided.empty());
  if (is_alone && !can_evaluate) return;
  const core::Segment alone = is_alone ? core::segment_of(graph_, n) : core::Segment{};
  LentTruths lent(state_, std::move(fed));
  if (is_alone) lent.feed(graph_, alone);
  core::Evaluated evaluated;
  if (is_kept)
    evaluated.outputs = std::move(*kept);
  else
    evaluated = same ? *local : core::evaluate_widened(executors_.reference, alone, lent.feeds());
  for (std::size_t k = 0; is_shared && !is_kept && k < node.outputs.size(); ++k)
    options_.truths->run.keep(node.outputs[k], evaluated.outputs[k]);
  const bool differs = judges::differ(decided, evaluated);
  if (differs && !same)
    judges::follow(executors_.reference, alone, lent.feeds(), found->own.manner, options_.extra_judges.get(), decided,
                   evaluated);
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    ValueState& value = state_.value(node.outputs[k]);
    value.truth = held(differs && same ? found->truth(k) : std::move(evaluated.outputs[k]));
    value.follows = differs || std::ranges::any_of(node.inputs, follows);
  }
}

/// Says what is to be measured of an output, and whether it is clean, which nodes behind it have to know.
void CaseRun::plan_total(std::size_t n, std::size_t k, Pending& pending) {
  const Examination& found = *pending.examined;
  const ir::Value value = graph_.nodes()[n].outputs[k];
  ValueState& state = state_.value(value);
  const bool is_judged = found.own.no_model.empty() && found.results[k].verdict != core::Verdict::error;
  if (!state_.is_captured(value) || !is_judged || !state.truth) return;
  Total& total = pending.totals[k] = {*state.truth, found.truth(k), state_.given(value)};
  if (const ir::Tensor* const written = written_ ? written_->find(value) : nullptr) {
    total.written = *written;
    total.written_in = subject_.as_written->graph.type(value).dtype;
  }
  if (!is_widened(total.truth, total.device)) return;
  total.measure();
  state.is_clean = total.measured->back().max_abs.value == 0;  // not where there is no number
}

void CaseRun::Total::measure() {
  if (measured) return;
  const ir::TensorView both[] = {local, device};
  measured = compare::measure(truth, both, device.dtype());
  // Overflow in the narrower dtype is an error by the graph as it was.
  if (written) of_written = compare::measure(*written, {&device, 1}, written_in).front();
}

void CaseRun::measure_totals(Pending& pending) {
  for (auto& [k, total] : pending.totals) total.measure();
}

/// Sets the error that the output inherited from its operands, and its total error.
void CaseRun::compare_total(const Total& total, cases::NodeResult& result, ValueState& state) const {
  const bool has_runs = sign_runs_ && sign_runs_->has(graph_.nodes()[result.node].outputs[result.output]);
  result.gates_total = has_runs && attribution::gates_total(options_.mode, result.allowed, result.type.dtype);
  result.inherited = total.measured->front();
  result.total = total.measured->back();
  if (result.gates_total) judge_total(result, state_.given(graph_.nodes()[result.node].outputs[result.output]));
  // The graph as it was decides by itself: it is none of a value that follows decisions of the candidate's.
  if (written_ && !state.follows) result.converted = std::exchange(result.total, total.of_written);
  result.amplification = amplification_of(result.node, result.inherited);
  state.error = attribution::relative_error(result.of_run());
}

double CaseRun::amplification_of(std::size_t n, const compare::Comparison& inherited) const {
  std::vector<double> inputs;
  for (const ir::Value v : state_.node(n).segment.fed)
    if (!graph_.is_source(v)) inputs.push_back(state_.value(v).error.value());
  return attribution::amplification(attribution::relative_error(inherited), inputs);
}

/// Judges the next node in the order of the graph; false when no more can be judged.
bool CaseRun::judge_next(std::size_t n, Pending pending) {
  const std::size_t steps = graph_.nodes().size() + 2;
  try {
    if (pending.problem) std::rethrow_exception(pending.problem);
    judge_node(n, std::move(pending));
  } catch (const ir::Unsupported&) {
    throw;
  } catch (const ir::files::NoRoom&) {
    throw;
  } catch (const ir::Error& error) {
    if (isolates()) throw;  // nobody but the reference had these inputs
    stop_at(n, error);
    return false;
  }
  if (is_stopped_by(n)) {
    skip_from(n + 1, "--validate stopped at '" + graph_.nodes()[n].label + "'");
    return false;
  }
  state_.release(n);
  if (options_.memory) state_.release_pages(n);
  if (written_) written_->release(n);
  if (n + 1 < graph_.nodes().size()) observer_.step(graph_.nodes()[n + 1].label, n + 3, steps);
  return true;
}

/// Nodes are examined ahead, on several threads, and totals measured; the truth of the whole graph, verdicts, notes,
/// progress and what is recorded come in the order of the graph, from this one.
void CaseRun::judge_all() {
  const std::size_t count = graph_.nodes().size();
  if (count > 0) observer_.step(graph_.nodes()[0].label, 2, count + 2);
  std::vector<Pending> pending(count);
  const auto examine = [&](std::size_t n) {
    try {
      pending[n].kept = find_kept(n);
      if (!isolates() && pending[n].kept == nullptr) pending[n].examined = examine_node(n);
    } catch (...) {
      pending[n].problem = std::current_exception();
    }
  };
  const verify::Shares shares(
      graph_, [this](std::size_t n) -> const core::Segment& { return state_.node(n).segment; },
      options_.memory ? std::optional(options_.memory->for_nodes()) : std::nullopt);
  core::make_ahead({.count = count,
                    .make = examine,
                    .carry = [&](std::size_t n) { return isolates() || try_carry(n, pending[n]); },
                    .finish = [&](std::size_t n) { measure_totals(pending[n]); },
                    .take = [&](std::size_t n) { return judge_next(n, std::exchange(pending[n], {})); },
                    .size = [&](std::size_t n) { return shares.bytes(n); },
                    .most = shares.most_bytes(),
                    .threads = [&](std::size_t n) { return shares.threads(n); },
                    // Where a node waits for the one before it, nothing is done ahead.
                    .carrying = isolates() ? ir::raw::allowed_threads() : shares.carrying()});
}

cases::CaseResult CaseRun::finish() {
  const auto start = std::chrono::steady_clock::now();
  if (options_.memory && !given_) options_.memory->begin(subject_, executors_, options_.mode);
  const bool ran = try_candidate();
  if (ran) state_.plan([this](std::size_t n) { return must_be_exact(n); });
  if (!given_) result_.false_alarms = {policy::false_alarms(options_.gate), count_limits()};
  rules_.deviations = result_.false_alarms.lambda();
  if (ran) {
    begin_keeping();
    if (options_.mode == core::Mode::propagate)
      sign_runs_.emplace(executors_.reference, graph_, subject_.feeds, bounds::runs::Precision{},
                         bounds::runs::Sampling{sign_runs_of_totals, rules_.deviations}, rules_.limits_of_elements());
    judge_all();
    if (const auto refuted = stated_.refute_by_sources(); !refuted.empty()) {
      result_.verdict = core::Verdict::failed;
      result_.message = refuted;
    }
  }
  attribution::note_origins(result_);
  std::ranges::copy(notes_of_free_choices(result_.nodes), std::back_inserter(result_.notes));
  if (!unbelieved_.empty()) result_.notes.push_back(note_of_unbelieved(unbelieved_));
  if (written_ && !written_->problem().empty())
    result_.notes.push_back("no total: the graph as it was refuses its inputs: " + written_->problem());
  note_storage();
  note_kept();
  observer_.step("done", graph_.nodes().size() + 2, graph_.nodes().size() + 2);
  const auto is_given = [this](std::size_t n) { return this->is_given(n); };
  if (options_.filter.takes_all()) leave_out_constants(result_, is_given);
  std::vector<core::Verdict> verdicts;
  for (const cases::NodeResult& node : result_.nodes) verdicts.push_back(node.verdict);
  if (options_.emulated != nullptr)
    for (std::string& note : profile::emulation_notes(*options_.emulated, result_.nodes))
      result_.notes.push_back(std::move(note));
  if (result_.message.empty()) decide_case(verdicts);
  judge_expected();
  if (!isolates()) assign_blame();  // in mode isolate nothing was handed on
  cases::keep_maps(result_.nodes, options_.maps);
  // As many digits as results files keep, so that reports made of them say the same.
  result_.wall_seconds = std::chrono::duration<float>(std::chrono::steady_clock::now() - start).count();
  return std::move(result_);
}

}  // namespace plumb::parity::verify
