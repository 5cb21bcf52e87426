// One case from the candidate's run to its verdict: nodes in order, refusals, expectations, coverage, blame.
#include "parity/verify/case_run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "parity/attribution/blame.hpp"
#include "parity/core/parallel.hpp"
#include "parity/expected/judge.hpp"
#include "parity/judge/shares.hpp"
#include "parity/profile/emulated_node.hpp"
#include "parity/verify/coverage.hpp"
#include "parity/verify/repro.hpp"

namespace plumb::parity::verify {
namespace {

constexpr unsigned sign_runs_of_totals = 8;  // verdict.md V44

}  // namespace

CaseRun::CaseRun(const cases::Case& subject, const cases::Executors& executors, const VerifyOptions& options,
                 cases::Observer& observer)
    : subject_(subject),
      graph_(subject.file->graph),
      executors_(executors),
      options_(options),
      observer_(observer),
      filter_(options.filter, "--filter"),
      stated_(subject, executors.reference),
      // Blame may be looked for when all is compared, from what the candidate computed.
      state_(subject, isolates(), !isolates() && options.blame != 0u) {
  result_.subject = {.name = subject.name,
                     .file = subject.file,
                     .seed = subject.seed,
                     .dtype = subject.dtype,
                     .expected_within = subject.expected_within,
                     .precision = subject.precision,
                     .fill = subject.fill,
                     .adversarial = subject.adversarial,
                     .proofs = subject.proofs};
  result_.mode = options.mode;
  result_.repeat = options.repeat;
  result_.may_flush = policy::may_flush(options.gate, executors.flushes_subnormals);
  result_.repro = repro_of(subject, options);
  result_.alternative = options.alternative;
  if (subject.dtype && !subject.file->expected.empty())
    result_.notes.push_back("what the file expects was not checked: its numbers are not those of " +
                            std::string(ir::info(*subject.dtype).name));
}

void CaseRun::run_candidate() {
  const std::size_t count = graph_.nodes().size();
  if (isolates()) {
    for (std::size_t n = 0; n < count; ++n) state_.node(n).report = {ir::Placement::gpu, "", "", {}};
    return;
  }
  observer_.step("running " + std::string(executors_.candidate->name()), 0, count + 1);
  const bool is_plain = given_.has_value();
  CandidateRun run =
      is_plain ? std::move(*given_) : run_whole(*executors_.candidate, graph_, subject_.feeds, options_.repeat);
  if (options_.plain && !is_plain) {
    PlainFinding found = run_plain(*executors_.candidate, subject_, run);
    result_.plain = std::move(found.said);
    tapped_ = std::move(found.tapped);
  }
  for (std::size_t n = 0; n < std::min(count, run.nodes.size()); ++n) state_.node(n).report = run.nodes[n];
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
} catch (const ir::Error& error) {
  if (is_refused(executors_.reference, graph_, subject_.feeds)) throw;
  result_.verdict = core::Verdict::failed;
  result_.message = ir::cat("the candidate refuses what the reference runs: ", error.what());
  return false;
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

/// How many elements of the run have a limit that chance may exceed, before any is judged (verdict.md V52): of values
/// that the candidate kept, of those of a plain run that is judged besides, and of what another implementation gave.
std::uint64_t CaseRun::count_limits() const {
  std::uint64_t count = 0;
  const judges::ExtraJudges* const extra = options_.extra_judges.get();
  const auto of_output = [&](const core::Segment& segment, std::size_t k) {
    const ir::TensorType& type = segment.graph.type(segment.outputs[k]);
    // What was rounded on the way to a total is chance, whatever its own node does.
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
  return subject_.expectation && options_.expected ? count + expected::limits_in(*subject_.expectation) : count;
}

/// How far elements may be off in any implementation, whatever judges the op.
expected::Evaluate CaseRun::limits_of_elements() const {
  const judges::ExtraJudges* const extra = options_.extra_judges.get();
  return [extra](ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                 const bounds::Manner& manner) {
    return judges::evaluate_elements(reference, segment, fed, manner, extra);
  };
}

/// Judges the next node in the order of the graph; false when no more can be judged.
bool CaseRun::judge_next(std::size_t n, Examined found) {
  const std::size_t steps = graph_.nodes().size() + 1;
  try {
    if (found.problem) std::rethrow_exception(found.problem);
    judge_node(n, std::move(found));
  } catch (const ir::Unsupported&) {
    throw;
  } catch (const ir::Error& error) {
    if (isolates()) throw;  // nobody but the reference had these inputs
    stop_at(n, error);
    return false;
  }
  state_.release(n);
  if (n + 1 < graph_.nodes().size()) observer_.step(graph_.nodes()[n + 1].label, n + 2, steps);
  return true;
}

/// Nodes are examined ahead, on several threads; verdicts, notes, progress and what is recorded come in the order of
/// the graph, from this one.
void CaseRun::judge_all() {
  const std::size_t count = graph_.nodes().size();
  if (count > 0) observer_.step(graph_.nodes()[0].label, 1, count + 1);
  std::vector<Examined> examined(count);
  const auto examine = [&](std::size_t n) {
    try {
      if (!isolates()) examined[n] = examine_node(n);
    } catch (...) {
      examined[n].problem = std::current_exception();
    }
  };
  const judge::Shares shares(graph_, [this](std::size_t n) -> const core::Segment& { return state_.node(n).segment; });
  core::make_ahead({.count = count,
                    .make = examine,
                    .take = [&](std::size_t n) { return judge_next(n, std::exchange(examined[n], {})); },
                    .size = [&](std::size_t n) { return shares.bytes(n); },
                    .most = shares.most_bytes(),
                    .threads = [&](std::size_t n) { return shares.threads(n); }});
}

cases::CaseResult CaseRun::finish() {
  const auto start = std::chrono::steady_clock::now();
  const bool ran = try_candidate();
  if (ran) state_.plan([this](std::size_t n) { return must_be_exact(n); });
  if (!given_) result_.false_alarms = {policy::false_alarms(options_.gate), count_limits()};
  if (ran) {
    if (options_.mode == core::Mode::propagate)
      sign_runs_.emplace(executors_.reference, graph_, subject_.feeds, expected::Precision{}, sign_runs_of_totals,
                         limits_of_elements());
    judge_all();
    if (const auto refuted = stated_.against_sources(); !refuted.empty())
      result_.verdict = core::Verdict::failed, result_.message = refuted;
  }
  observer_.step("done", graph_.nodes().size() + 1, graph_.nodes().size() + 1);
  std::vector<core::Verdict> verdicts;
  for (const cases::NodeResult& node : result_.nodes) verdicts.push_back(node.verdict);
  if (options_.emulated != nullptr)
    for (std::string& note : profile::emulation_notes(*options_.emulated, result_.nodes))
      result_.notes.push_back(std::move(note));
  if (result_.message.empty()) decide_case(verdicts);
  judge_expected();
  if (!isolates()) assign_blame();  // in mode isolate nothing was handed on
  result_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::move(result_);
}

/// A constant, or one in another storage.
bool CaseRun::is_given(std::size_t n) const {
  const ir::Node& node = graph_.nodes()[n];
  const auto from = node.op.is<ir::ops::Cast>() ? graph_.producer(node.inputs[0]) : n;
  return from && graph_.nodes()[*from].op.is<ir::ops::Constant>();
}

/// The verdict of the whole case, and why it proves too little where that is so.
void CaseRun::decide_case(std::span<const core::Verdict> nodes) {
  const auto segment = [this](std::size_t n) -> const core::Segment& { return state_.node(n).segment; };
  result_.min_verified = options_.min_verified;
  result_.coverage = coverage_of(result_, executors_.candidate_is_host, segment);
  result_.verdict = core::overall(nodes, result_.coverage, options_.min_verified);
  const bool is_bad = result_.verdict == core::Verdict::error || result_.verdict == core::Verdict::failed;
  if (!is_bad && result_.plain.plain == cases::Plain::nondeterministic)
    result_.verdict = core::Verdict::nondeterministic,
    result_.message = "the graph compiled for its results alone: " + result_.plain.why;
}

/// What another implementation gave is right or wrong by itself. A candidate that agrees with the truth is not to blame
/// for it, but the case is not what the file says, either.
void CaseRun::judge_expected() {
  for (const cases::NodeResult& node : result_.nodes)
    if (node.expected && subject_.expected_within) {
      const core::Verdict verdict = node.expected->agrees() ? core::Verdict::passed : core::Verdict::failed;
      const std::string why = node.expected->agrees() ? "" : compare::summary(*node.expected);
      const ir::Value value = graph_.nodes()[node.node].outputs[node.output];
      result_.expected.push_back({.value = std::string(graph_.name(value)),
                                  .rule = cases::ExpectedRule::tolerance,
                                  .relative = subject_.expected_within->relative,
                                  .absolute = subject_.expected_within->absolute,
                                  .comparison = *node.expected,
                                  .verdict = verdict,
                                  .why = why});
    }
  if (subject_.expectation && options_.expected) {
    expected::Options options = *options_.expected;
    options.lambda = result_.false_alarms.lambda();
    result_.expected = expected::judge(subject_, executors_.reference, options, limits_of_elements());
  }
  std::vector<core::Verdict> verdicts = {result_.verdict};
  for (const cases::ExpectedResult& one : result_.expected) verdicts.push_back(one.verdict);
  for (const core::Verdict worse : {core::Verdict::error, core::Verdict::failed, core::Verdict::mistrusted})
    if (std::ranges::count(verdicts, worse) > 0) return void(result_.verdict = worse);
}

void CaseRun::assign_blame() {
  const auto segment = [this](std::size_t n) -> const core::Segment& { return state_.node(n).segment; };
  const auto is_kept = [this](ir::Value v) { return state_.is_captured(v); };
  const auto device = [this](ir::Value v) { return state_.got(v); };
  if (state_.lacks_truth()) return;  // the errors of results are not known
  const std::size_t most = options_.blame.value_or(result_.verdict == core::Verdict::failed ? 4 : 0);
  attribution::assign_blame(result_, {graph_, segment, is_kept, device}, executors_.reference, most);
}

}  // namespace plumb::parity::verify
