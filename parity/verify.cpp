#include "parity/verify.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "ir/passes/widen.hpp"
#include "parity/attribution.hpp"
#include "parity/blame.hpp"
#include "parity/candidate_run.hpp"
#include "parity/certify/certify.hpp"
#include "parity/emulated_node.hpp"
#include "parity/measure.hpp"
#include "parity/policy_gate.hpp"
#include "parity/profile_arithmetic.hpp"
#include "parity/relations/metamorphic.hpp"
#include "parity/repro.hpp"
#include "parity/stated.hpp"

namespace plumb::parity {
namespace {

/// The state of one case between its nodes.
class CaseRun {
 public:
  CaseRun(const Case& subject, const Executors& executors, const VerifyOptions& options, Observer& observer);
  CaseResult finish();

 private:
  void run_candidate();
  bool try_candidate();
  void judge_all();
  void plan_segments();
  bool is_wanted(std::size_t n) const;
  void judge_node(std::size_t n);
  void take(CandidateRun& run);
  CandidateRun run_node(std::size_t n);
  void hand_on(std::size_t n);
  void compare_output(std::size_t n, std::size_t k, NodeResult& result, Bounded& local);
  void judge(NodeResult& result, const Judged& judged, const policy::Judgement& gate, const std::string& refuted);
  void follow_exactly(std::size_t n, ir::Value value, NodeResult& result);
  void carry_truth(std::size_t n, const Evaluated* local, ir::Feeds fed);
  void release(std::size_t n);
  void stop_at(std::size_t n, const ir::Error& error);
  NodeResult blank(std::size_t n, std::size_t k) const;
  void skip(NodeResult& result, std::string why);
  double amplification_of(std::size_t n, const Comparison& inherited) const;

  bool isolates() const { return options_.mode == Mode::isolate; }
  bool keeps_all() const { return !isolates() && options_.blame != 0u; }  ///< of got_: blame may be looked for
  bool captured(ir::Value v) const {
    return graph_.is_source(v) || isolates() || got_.contains(v) || released_.contains(v);
  }
  const ir::Tensor& got(ir::Value v) const {
    return graph_.is_source(v) ? ir::fed(graph_, subject_.feeds, v) : got_.at(v);
  }
  ir::Tensor truth(ir::Value v) const {
    return graph_.is_source(v) ? ir::widen(ir::fed(graph_, subject_.feeds, v)) : truths_.at(v);
  }
  bool must_be_exact(std::size_t n) const {
    return !subject_.proofs.empty() && subject_.proofs[n].exact == Exactness::proved;
  }
  bool is_clean(ir::Value v) const { return graph_.is_source(v) || clean_.contains(v); }

  const Case& subject_;
  const ir::Graph& graph_;
  const Executors& executors_;
  const VerifyOptions& options_;
  Observer& observer_;
  const std::regex filter_;
  const Stated stated_;

  ir::Tensors got_;  ///< what the candidate's nodes are given and compute, until the last reader is judged
  std::set<ir::Value> released_, unstable_;  ///< of those: no longer held; different in another run
  std::map<ir::Value, std::uint64_t> hashes_;
  std::vector<ir::NodeReport> placements_;
  std::vector<Segment> segments_;  ///< by node
  std::map<ir::Value, std::size_t> last_use_, last_truth_;
  ir::Tensors truths_;                  ///< of the graph from its inputs on
  std::set<ir::Value> clean_;           ///< values whose truth is what the candidate's nodes are given
  std::map<ir::Value, double> errors_;  ///< of what they are given, relative to its truth
  std::set<ir::Value> off_;             ///< of an exact twin: values that are not what they were proved to be
  CaseResult result_;
};

CaseRun::CaseRun(const Case& subject, const Executors& executors, const VerifyOptions& options, Observer& observer)
    : subject_(subject),
      graph_(subject.file->graph),
      executors_(executors),
      options_(options),
      observer_(observer),
      filter_(pattern_of(options.filter)),
      stated_(subject) {
  result_.subject = {subject.name,      subject.file,  {},
                     subject.seed,      subject.dtype, subject.expected_within,
                     subject.precision, subject.fill,  subject.proofs};
  result_.mode = options.mode;
  result_.repeat = options.repeat;
  result_.repro = repro_of(subject, options);
  if (subject.dtype && !subject.file->expected.empty())
    result_.notes.push_back("what the file expects was not checked: its numbers are not those of " +
                            std::string(ir::info(*subject.dtype).name));
}

void CaseRun::run_candidate() {
  if (isolates()) return placements_.assign(graph_.nodes().size(), {ir::Placement::gpu, "", "", {}});
  observer_.step("running " + std::string(executors_.candidate->name()), 0, graph_.nodes().size() + 1);
  CandidateRun run = run_whole(*executors_.candidate, graph_, subject_.feeds, options_.repeat);
  placements_ = run.nodes;
  take(run);
}

void CaseRun::take(CandidateRun& run) {
  for (auto& [value, tensor] : run.values) got_.insert_or_assign(value, std::move(tensor));
  hashes_.merge(run.hashes);
  unstable_.merge(run.unstable);
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
} catch (const ir::Error& error) {
  if (is_refused(executors_.reference, graph_, subject_.feeds)) throw;
  result_.verdict = Verdict::failed;
  result_.message = ir::cat("the candidate refuses what the reference runs: ", error.what());
  return false;
}

void CaseRun::plan_segments() {
  const auto is_captured = [this](ir::Value v) { return captured(v); };
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
    segments_.push_back(segment_of(graph_, n, is_captured));
    if (must_be_exact(n)) hold_exactly(segments_.back().judged);
    for (const ir::Value v : segments_.back().fed) last_use_[v] = n;
    for (const ir::Value v : graph_.nodes()[n].inputs) last_truth_[v] = n;
  }
}

NodeResult CaseRun::blank(std::size_t n, std::size_t k) const {
  const ir::Node& node = graph_.nodes()[n];
  NodeResult result{.node = n, .output = k, .label = node.label, .op = std::string(node.op.name())};
  for (const ir::Value v : node.inputs) result.in.push_back(graph_.type(v).dtype);
  result.type = graph_.type(node.outputs[k]);
  if (!subject_.proofs.empty()) result.proof = subject_.proofs[n];
  if (n < placements_.size()) {
    result.placement = placements_[n].placement;
    result.kernel = placements_[n].kernel;
    result.placement_reason = placements_[n].reason;
    result.device_ns = placements_[n].nanoseconds;
  }
  result.repro = repro_of(result_.repro, node.label);
  return result;
}

void CaseRun::skip(NodeResult& result, std::string why) {
  result.verdict = Verdict::skipped;
  result.why = std::move(why);
}

/// The truth of a value the device computed is that of its own inputs; what those had wrong is inherited.
void CaseRun::compare_output(std::size_t n, std::size_t k, NodeResult& result, Bounded& local) {
  const ir::Value value = graph_.nodes()[n].outputs[k];
  Judged judged = segments_[n].judged;
  for (const ir::Value v : segments_[n].fed) judged.inputs.push_back(got(v));
  const ir::Tensor& device = got(value);
  const ir::Tensor& whole = truths_.at(value);
  result.allowed = local.allowed[k];
  result.local = certify(segments_[n], judged.inputs, k, local, device, result.certificate);
  const ir::Tensor& truth = local.truth.outputs[k];
  result.vacuity = vacuity_of(segments_[n], judged.inputs, truth, device.dtype(), result.local);
  result.gates_total = gates_total(options_.mode, result.allowed, result.type.dtype);
  const ir::TensorView both[] = {truth, device};
  const auto measured = measure(whole, both, result.type.dtype);
  result.inherited = measured[0];
  result.total = result.gates_total ? compare(whole, device, result.allowed) : measured[1];
  result.amplification = amplification_of(n, result.inherited);
  errors_[value] = relative_error(result.total);
  result.reference_ns = local.truth.nanoseconds;
  result.hash = hashes_.at(value);
  if (result.total.max_abs.value == 0 && std::ranges::equal(whole.bytes(), ir::widen(device).bytes()))
    clean_.insert(value);
  if (options_.emulated != nullptr && segments_[n].graph.nodes().size() == 1) {
    std::vector<ir::TensorView> inputs;
    for (const ir::Value v : graph_.nodes()[n].inputs) inputs.push_back(got(v));
    result.emulator_ulp = emulator_ulp(*options_.emulated, result.kernel, graph_.nodes()[n].op, inputs, device);
  }
  const auto gate = policy::judge_numbers(options_.gate, graph_, result, result.gates_total ? whole : truth, device);
  result.is_guilty = result.gates_total ? !result.local.agrees() : gate.verdict == Verdict::failed;
  judge(result, judged, gate, stated_.against(result, value, whole, device));
  if (must_be_exact(n) && !isolates()) follow_exactly(n, value, result);
  observer_.compared(result, truth, device);
  result.allowed.limits.reset();
}

/// A proof is about the operands of the twin: on others, which a failure before gave, it says nothing.
void CaseRun::follow_exactly(std::size_t n, ir::Value value, NodeResult& result) {
  if (!compare(truths_.at(value), got(value), {.rule = Allowed::Rule::exact}).agrees()) off_.insert(value);
  for (const ir::Value v : segments_[n].fed)
    if (off_.contains(v) && result.verdict == Verdict::failed)
      skip(result, "nothing is proved of it on what '" + graph_.name(v) + "' gave");
}

double CaseRun::amplification_of(std::size_t n, const Comparison& inherited) const {
  std::vector<double> inputs;
  for (const ir::Value v : segments_[n].fed)
    if (!graph_.is_source(v)) inputs.push_back(errors_.at(v));
  return amplification(relative_error(inherited), inputs);
}

void CaseRun::judge(NodeResult& result, const Judged& judged, const policy::Judgement& gate,
                    const std::string& refuted) {
  const ir::Value value = graph_.nodes()[result.node].outputs[result.output];
  const auto say = [&](Verdict verdict, std::string why) {
    result.verdict = verdict;
    result.why = std::move(why);
  };
  // An expected failure is one of numbers: it excuses nothing of what follows.
  const bool is_expected = gate.verdict == Verdict::xfailed;
  const bool holds = gate.verdict == Verdict::passed || gate.verdict == Verdict::xpassed;
  if (!holds && !is_expected) return say(gate.verdict, gate.why);
  if (!refuted.empty()) return say(Verdict::failed, refuted);
  if (unstable_.contains(value))
    return say(Verdict::nondeterministic, "another run on the same inputs gave other bits");
  if (result.placement == ir::Placement::cpu && !executors_.candidate_is_host)
    return say(Verdict::fallback, "ran on the host: " + result.placement_reason);
  const bool proves = is_expected || stated_.speaks_of(value);
  const auto doubt = proves ? "" : mistrust(judged, result.allowed, result.local);
  if (!doubt.empty()) return say(Verdict::mistrusted, doubt);
  say(gate.verdict, gate.why);
}

/// The truth of the whole graph, node by node; where nothing was wrong so far it is the local one. `fed`: what that was
/// made of, of which it takes what is the same.
void CaseRun::carry_truth(std::size_t n, const Evaluated* local, ir::Feeds fed) {
  const ir::Node& node = graph_.nodes()[n];
  const bool same =
      local != nullptr && std::ranges::all_of(segments_[n].fed, [this](ir::Value v) { return is_clean(v); });
  Evaluated evaluated;
  if (!same) {
    const Segment alone = segment_of(graph_, n);
    for (std::size_t i = 0; i < alone.fed.size(); ++i) {
      const std::string& name = alone.graph.inputs()[i];
      if (!graph_.is_source(alone.fed[i]) || !fed.contains(name)) fed.insert_or_assign(name, truth(alone.fed[i]));
    }
    evaluated = evaluate_widened(executors_.reference, alone, fed);
  }
  for (std::size_t k = 0; k < node.outputs.size(); ++k)
    truths_.insert_or_assign(node.outputs[k], same ? local->outputs[k] : std::move(evaluated.outputs[k]));
}

bool CaseRun::is_wanted(std::size_t n) const {
  const ir::Node& node = graph_.nodes()[n];
  const bool is_chosen = std::regex_search(node.label, filter_) || policy::has_budget(options_.gate, node);
  return is_chosen && (subject_.proofs.empty() || must_be_exact(n));
}

void CaseRun::judge_node(std::size_t n) {
  const ir::Node& node = graph_.nodes()[n];
  const bool wanted = is_wanted(n);
  CandidateRun alone = wanted && isolates() ? run_node(n) : CandidateRun{};
  take(alone);
  const bool compares =
      wanted && !alone.refused && std::ranges::any_of(node.outputs, [this](ir::Value v) { return captured(v); });
  Bounded local;
  ir::Feeds fed;
  if (compares) {
    const std::string kernel = n < placements_.size() ? placements_[n].kernel : "";
    const Manner manner{arithmetic_of(executors_.profile, kernel, segments_[n].graph),
                        executors_.flushes_subnormals && !must_be_exact(n)};
    fed = feeds_of(segments_[n], [this](ir::Value v) { return ir::widen(got(v)); });
    local = evaluate_bounded(executors_.reference, segments_[n], fed, manner);
  }
  carry_truth(n, compares ? &local.truth : nullptr, std::move(fed));
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    NodeResult result = blank(n, k);
    if (alone.refused)
      result.verdict = *alone.refused, result.why = alone.why;
    else if (!wanted)
      skip(result, result.proof.exact == Exactness::impossible ? result.proof.why : "not chosen");
    else if (captured(node.outputs[k]))
      compare_output(n, k, result, local);
    else
      skip(result, result.kernel.empty() ? "not kept" : "computed in " + result.kernel),
          policy::require_total(options_.gate, result);
    result_.nodes.push_back(std::move(result));
  }
  hand_on(n);
}

/// In mode isolate: the node's outputs come from a run of its own.
CandidateRun CaseRun::run_node(std::size_t n) {
  const auto given = [this](ir::Value v) { return got(v); };
  CandidateRun run = run_alone(*executors_.candidate, graph_.nodes()[n], segments_[n], given, options_.repeat);
  if (!run.nodes.empty()) placements_[n] = run.nodes[0];
  return run;
}

/// What the node's readers are given: in mode isolate the truth, rounded, else what the candidate computed.
void CaseRun::hand_on(std::size_t n) {
  for (const ir::Value v : graph_.nodes()[n].outputs) {
    if (isolates()) {
      got_.insert_or_assign(v, ir::convert(truths_.at(v), graph_.type(v).dtype));
      if (std::ranges::equal(truths_.at(v).bytes(), ir::widen(got_.at(v)).bytes())) clean_.insert(v);
      errors_.erase(v);
    }
    if (got_.contains(v) && !errors_.contains(v))  // not compared: filtered out, or replaced
      errors_[v] = relative_error(measure(truths_.at(v), got_.at(v)));
  }
}

void CaseRun::release(std::size_t n) {
  const auto done = [n](const std::map<ir::Value, std::size_t>& last, ir::Value v) {
    const auto found = last.find(v);
    return found == last.end() || found->second <= n;
  };
  std::erase_if(truths_, [&](const auto& held) { return done(last_truth_, held.first); });
  for (const auto& read : {graph_.nodes()[n].outputs, segments_[n].fed})
    for (const ir::Value v : read)
      if (done(last_use_, v) && !keeps_all() && got_.erase(v) != 0) released_.insert(v);
}

/// The reference refuses what the candidate took: an index out of range, say.
void CaseRun::stop_at(std::size_t n, const ir::Error& error) {
  std::erase_if(result_.nodes, [n](const NodeResult& result) { return result.node == n; });
  for (std::size_t m = n; m < graph_.nodes().size(); ++m)
    for (std::size_t k = 0; k < graph_.nodes()[m].outputs.size(); ++k) {
      NodeResult result = blank(m, k);
      skip(result, "the reference stopped at '" + graph_.nodes()[n].label + "'");
      if (m == n) {
        result.verdict = Verdict::failed;
        result.why = ir::cat("the candidate ran what the reference refuses: ", error.what());
      }
      result_.nodes.push_back(std::move(result));
    }
}

void CaseRun::judge_all() {
  const std::size_t count = graph_.nodes().size();
  for (std::size_t n = 0; n < count; ++n) {
    observer_.step(graph_.nodes()[n].label, n + 1, count + 1);
    try {
      judge_node(n);
    } catch (const ir::Unsupported&) {
      throw;
    } catch (const ir::Error& error) {
      if (isolates()) throw;  // nobody but the reference had these inputs
      return stop_at(n, error);
    }
    release(n);
  }
}

CaseResult CaseRun::finish() {
  const auto start = std::chrono::steady_clock::now();
  if (try_candidate()) {
    plan_segments();
    judge_all();
    if (const auto refuted = stated_.against_sources(); !refuted.empty())
      result_.verdict = Verdict::failed, result_.message = refuted;
  }
  observer_.step("done", graph_.nodes().size() + 1, graph_.nodes().size() + 1);
  std::vector<Verdict> verdicts;
  std::vector<std::optional<double>> replayed;
  for (const NodeResult& node : result_.nodes) verdicts.push_back(node.verdict), replayed.push_back(node.emulator_ulp);
  if (options_.emulated != nullptr) result_.notes.push_back(emulation_note(*options_.emulated, replayed));
  result_.alpha = policy::alpha_of_one(options_.gate, result_.nodes);
  if (result_.message.empty()) result_.verdict = overall(std::span<const Verdict>(verdicts));
  if (!isolates())  // there nothing was handed on
    assign_blame(
        result_,
        {graph_, segments_, [this](ir::Value v) { return captured(v); }, [this](ir::Value v) { return got(v); }},
        executors_.reference, options_.blame.value_or(result_.verdict == Verdict::failed ? 4 : 0));
  result_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(result_);
}

}  // namespace

std::string NodeResult::name() const { return output == 0 ? label : ir::cat(label, ':', output); }

CaseResult verify(const Case& subject, const Executors& executors, const VerifyOptions& options, Observer& observer) {
  if (executors.candidate == nullptr) throw ir::Unsupported(executors.why_not);
  observer.begins(subject);
  CaseResult result = CaseRun(subject, executors, options, observer).finish();
  if (options.metamorphic && !result.nodes.empty()) relations::add(subject, executors, options.filter, result);
  result.exit = exit_code(result.verdict);
  if (!subject.proofs.empty()) result.notes.push_back(to_text(subject.proofs));
  if (result.verdict == Verdict::skipped) result.message = "no node was compared";
  if (subject.file->must == ir::Must::fail && result.verdict == Verdict::passed)
    result.notes.push_back("the file says that it must fail, and nothing failed");
  return result;
}

}  // namespace plumb::parity
