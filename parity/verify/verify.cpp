#include "parity/verify/verify.hpp"

#include <algorithm>
#include <array>

#include "ir/raw/float_environment.hpp"
#include "parity/checks/relations/bucket.hpp"
#include "parity/checks/relations/metamorphic.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/verify/callers_candidate.hpp"
#include "parity/verify/case_run.hpp"
#include "parity/verify/must.hpp"

namespace plumb::parity::verify {

namespace {

/// Judges what the plain run computed as the watched run's values were, results alone from the inputs on, and adds it
/// to the result: the case has the worse of both verdicts.
void judge_plain(const cases::Case& subject, const cases::Executors& executors, const VerifyOptions& options,
                 CandidateRun tapped, cases::CaseResult& result) {
  VerifyOptions once = options;
  once.plain = false;
  once.metamorphic = false;
  once.expected.reset();
  once.kept = nullptr;     // rows of nodes are those of the watched run
  cases::Observer nobody;  // the tensors that a record keeps are those of the watched run
  CaseRun plain(subject, executors, once, nobody);
  plain.judge_instead(std::move(tapped), result.false_alarms);
  cases::CaseResult judged = plain.finish();
  for (cases::NodeResult& node : judged.nodes) {
    if (node.hash == std::nullopt) continue;  // not compared
    node.is_of_plain_run = true;
    result.nodes.push_back(std::move(node));
  }
  if (core::is_worse(judged.verdict, result.verdict)) {
    result.verdict = judged.verdict;
    result.message = judged.message;
  }
}

/// Says of which results another implementation gave nothing, where it gave some.
void note_what_is_not_expected(const cases::Case& subject, cases::CaseResult& result) {
  const ir::formats::GraphFile& file = *subject.file;
  if (file.given_outputs.empty()) return;
  const auto& results = file.graph.results();
  std::string missing;
  std::size_t count = 0;
  for (const ir::Value value : results) {
    if (file.given_outputs.contains(file.graph.name(value))) continue;
    missing += ir::cat(count++ == 0 ? "" : ", ", file.graph.name(value));
  }
  if (count > 0)
    result.notes.push_back(ir::cat("nothing is expected of ", missing, ", something of ", results.size() - count,
                                   " of ", results.size(), " results"));
}

/// Why nothing was compared, by the first node that was not left out by --filter.
std::string why_nothing(const cases::CaseResult& result) {
  const auto found = std::ranges::find_if(
      result.nodes, [](const cases::NodeResult& node) { return !node.why.empty() && node.why != not_chosen; });
  std::string text = "no node was compared";
  if (found == result.nodes.end()) return text;
  text += ir::cat("; ", found->name(), ": ", found->why);
  return found->placement == ir::Placement::fused ? text + ", apart with --no-fuse" : text;
}

}  // namespace

cases::CaseResult verify(const cases::Case& subject, const cases::Executors& given, const VerifyOptions& options,
                         cases::Observer& observer) {
  if (given.candidate == nullptr) throw ir::Unsupported(given.why_not);
  const ir::raw::FloatEnvironment own;
  CallersCandidate candidate(*given.candidate);
  cases::Executors executors = given;
  executors.candidate = &candidate;
  observer.begins(subject);
  if (executors.foreign != nullptr) executors.foreign->begins(subject);
  CaseRun watched(subject, executors, options, observer);
  cases::CaseResult result = watched.finish();
  if (auto tapped = watched.take_tapped()) judge_plain(subject, executors, options, std::move(*tapped), result);
  if (options.metamorphic && !result.nodes.empty()) checks::relations::add(subject, executors, options.filter, result);
  if (options.bucket && !result.nodes.empty())
    checks::relations::add_bucket(subject, *options.bucket, executors, options.filter, result);
  result.exit = core::exit_code(result.verdict);
  note_what_is_not_expected(subject, result);
  if (subject.expected_within && result.expected.empty() && !result.nodes.empty())
    result.notes.push_back("--rtol and --atol change nothing: nothing is expected (--expected)");
  if (!subject.proofs.empty()) result.notes.push_back(core::to_text(subject.proofs));
  if (result.verdict == core::Verdict::skipped) result.message = why_nothing(result);
  hold_to_must(result);
  return result;
}

}  // namespace plumb::parity::verify
