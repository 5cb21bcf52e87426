#include "parity/verify/case_run.hpp"

#include <algorithm>
#include <chrono>

#include "ir/passes/widen.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/attribution/blame.hpp"
#include "parity/compare/measure.hpp"
#include "parity/profile/emulated_node.hpp"
#include "parity/profile/profile_arithmetic.hpp"
#include "parity/verify/repro.hpp"

namespace plumb::parity::verify {

CaseRun::CaseRun(const cases::Case& subject, const cases::Executors& executors, const VerifyOptions& options,
                 cases::Observer& observer)
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
  result_.may_flush = policy::may_flush(options.gate, executors.flushes_subnormals);
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
  result_.verdict = core::Verdict::failed;
  result_.message = ir::cat("the candidate refuses what the reference runs: ", error.what());
  return false;
}

void CaseRun::plan_segments() {
  const auto is_captured = [this](ir::Value v) { return captured(v); };
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
    segments_.push_back(core::segment_of(graph_, n, is_captured));
    if (must_be_exact(n)) core::hold_exactly(segments_.back().judged);
    for (const ir::Value v : segments_.back().fed) last_use_[v] = n;
    for (const ir::Value v : graph_.nodes()[n].inputs) last_truth_[v] = n;
  }
}

/// The truth of the whole graph, node by node; where nothing was wrong so far it is the local one. `fed`: what that was
/// made of, of which it takes what is the same.
void CaseRun::carry_truth(std::size_t n, const core::Evaluated* local, ir::Feeds fed) {
  const ir::Node& node = graph_.nodes()[n];
  const bool same =
      local != nullptr && std::ranges::all_of(segments_[n].fed, [this](ir::Value v) { return is_clean(v); });
  core::Evaluated evaluated;
  if (!same) {
    const core::Segment alone = core::segment_of(graph_, n);
    for (std::size_t i = 0; i < alone.fed.size(); ++i) {
      const std::string& name = alone.graph.inputs()[i];
      if (!graph_.is_source(alone.fed[i]) || !fed.contains(name)) fed.insert_or_assign(name, truth(alone.fed[i]));
    }
    evaluated = core::evaluate_widened(executors_.reference, alone, fed);
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
  bounds::Bounded local;
  ir::Feeds fed;
  if (compares) {
    const std::vector<ir::Sum> sums = n < placements_.size() ? placements_[n].sums : std::vector<ir::Sum>{};
    const bounds::Manner manner{profile::arithmetic_of(executors_.profile, sums, segments_[n].graph),
                                result_.may_flush && !must_be_exact(n)};
    fed = core::feeds_of(segments_[n], [this](ir::Value v) { return ir::passes::widen(got(v)); });
    local = bounds::evaluate_bounded(executors_.reference, segments_[n], fed, manner);
  }
  carry_truth(n, compares ? &local.truth : nullptr, std::move(fed));
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    cases::NodeResult result = blank(n, k);
    if (alone.refused)
      result.verdict = *alone.refused, result.why = alone.why;
    else if (!wanted)
      skip(result, result.proof.exact == core::Exactness::impossible ? result.proof.why : "not chosen");
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
      if (std::ranges::equal(truths_.at(v).bytes(), ir::passes::widen(got_.at(v)).bytes())) clean_.insert(v);
      errors_.erase(v);
    }
    if (got_.contains(v) && !errors_.contains(v))  // not compared: filtered out, or replaced
      errors_[v] = attribution::relative_error(compare::measure(truths_.at(v), got_.at(v)));
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
  std::erase_if(result_.nodes, [n](const cases::NodeResult& result) { return result.node == n; });
  for (std::size_t m = n; m < graph_.nodes().size(); ++m)
    for (std::size_t k = 0; k < graph_.nodes()[m].outputs.size(); ++k) {
      cases::NodeResult result = blank(m, k);
      skip(result, "the reference stopped at '" + graph_.nodes()[n].label + "'");
      if (m == n) {
        result.verdict = core::Verdict::failed;
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

cases::CaseResult CaseRun::finish() {
  const auto start = std::chrono::steady_clock::now();
  if (try_candidate()) {
    plan_segments();
    judge_all();
    if (const auto refuted = stated_.against_sources(); !refuted.empty())
      result_.verdict = core::Verdict::failed, result_.message = refuted;
  }
  observer_.step("done", graph_.nodes().size() + 1, graph_.nodes().size() + 1);
  std::vector<core::Verdict> verdicts;
  std::vector<std::optional<double>> replayed;
  for (const cases::NodeResult& node : result_.nodes)
    verdicts.push_back(node.verdict), replayed.push_back(node.emulator_ulp);
  if (options_.emulated != nullptr) result_.notes.push_back(profile::emulation_note(*options_.emulated, replayed));
  result_.alpha = policy::alpha_of_one(options_.gate, result_.nodes);
  if (result_.message.empty()) result_.verdict = core::overall(std::span<const core::Verdict>(verdicts));
  if (!isolates())  // there nothing was handed on
    attribution::assign_blame(
        result_,
        {graph_, segments_, [this](ir::Value v) { return captured(v); }, [this](ir::Value v) { return got(v); }},
        executors_.reference, options_.blame.value_or(result_.verdict == core::Verdict::failed ? 4 : 0));
  result_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(result_);
}

}  // namespace plumb::parity::verify
