// The end of a case: its verdict from those of its nodes, what it was expected to give, and which node is to blame.
#include <algorithm>
#include <map>
#include <span>

#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "parity/attribution/blame.hpp"
#include "parity/checks/expected/judge.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/verify/case_run.hpp"
#include "parity/verify/coverage.hpp"

namespace plumb::parity::verify {

/// A constant, or one in another storage.
bool CaseRun::is_given(std::size_t n) const {
  const ir::Node& node = graph_.nodes()[n];
  const auto from = node.op.is<ir::ops::Cast>() ? graph_.producer(node.inputs[0]) : n;
  return from && graph_.nodes()[*from].op.is<ir::ops::Constant>();
}

/// Whether a node moves zeros of an input, and nothing else: then its bits are all that there is to judge.
bool CaseRun::moves_zeros(std::size_t n) const {
  const ir::Node& node = graph_.nodes()[n];
  if (node.op.error_class() != ir::ErrorClass::bits || node.inputs.empty()) return false;
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  return std::ranges::all_of(node.inputs, [&](ir::Value v) {
    if (graph_.type(v).dtype != graph_.type(node.outputs[0]).dtype) return true;  // where, or whether, it is moved
    const auto from = graph_.producer(v);
    return from ? moves_zeros(*from) : std::ranges::all_of(ir::fed(graph_, subject_.feeds, v).bytes(), is_zero);
  });
}

/// The outputs of a node and of those behind it are judged no more.
void CaseRun::skip_from(std::size_t n, const std::string& why) {
  for (; n < graph_.nodes().size(); ++n)
    for (std::size_t k = 0; k < graph_.nodes()[n].outputs.size(); ++k) {
      cases::NodeResult result = cases::result_of(describe(n, k));
      skip(result, why);
      result_.nodes.push_back(std::move(result));
    }
}

/// The reference refuses what the candidate took: an index out of range, say.
void CaseRun::stop_at(std::size_t n, const ir::Error& error) {
  std::erase_if(result_.nodes, [n](const cases::NodeResult& result) { return result.node == n; });
  const std::size_t first = result_.nodes.size();
  skip_from(n, "the reference stopped at '" + graph_.nodes()[n].label + "'");
  for (cases::NodeResult& result : std::span(result_.nodes).subspan(first)) {
    if (result.node != n) break;
    result.verdict = core::Verdict::failed;
    result.why = ir::cat("the candidate ran what the reference refuses: ", error.what());
  }
}

/// Under --validate an output fails whose NaNs or infinities are not the inputs', however right it is.
void CaseRun::validate(cases::NodeResult& result) const {
  if (!options_.settings.validate || !cases::is_made(result.special.of)) return;
  result.verdict = core::Verdict::failed;
  result.why = ir::cat("not finite (", ir::enum_name(result.special.of), ") at element ", result.special.at,
                       result.why.empty() ? "" : "; ", result.why);
}

/// Whether --validate stops behind a node that was judged.
bool CaseRun::is_stopped_by(std::size_t n) const {
  const auto outputs = std::span(result_.nodes).last(graph_.nodes()[n].outputs.size());
  const auto stops = [](const cases::NodeResult& one) { return cases::is_made(one.special.of); };
  return options_.settings.validate && std::ranges::any_of(outputs, stops);
}

/// The verdict of the whole case, and why it proves too little where that is so.
void CaseRun::decide_case(std::span<const core::Verdict> nodes) {
  const auto segment = [this](std::size_t n) -> const core::Segment& { return state_.node(n).segment; };
  result_.min_verified = options_.min_verified;
  const auto is_given = [this](std::size_t n) { return this->is_given(n); };
  result_.coverage = coverage_of(result_, executors_.candidate_is_host, is_given, segment);
  // A group of which somebody else's candidate shows too little costs coverage, and nothing else where others were
  // judged.
  std::vector<core::Verdict> counted(nodes.begin(), nodes.end());
  const auto is_compared = [](core::Verdict one) {
    return one != core::Verdict::unsupported && one != core::Verdict::skipped;
  };
  if (is_foreign() && std::ranges::any_of(counted, is_compared)) std::erase(counted, core::Verdict::unsupported);
  result_.verdict = core::overall(counted, result_.coverage, options_.min_verified);
  const bool is_bad = result_.verdict == core::Verdict::error || result_.verdict == core::Verdict::failed;
  if (!is_bad && result_.plain.plain == cases::Plain::nondeterministic) {
    result_.verdict = core::Verdict::nondeterministic;
    result_.message = "the graph compiled for its results alone: " + result_.plain.why;
  }
}

/// Throws Error where values may be stored in other dtypes than the graph's and something is asked that is not judged
/// in these.
void CaseRun::require_judged_storage() const {
  if (storage() != foreign::Storage::observed) return;
  const char* asked = !subject_.proofs.empty() ? "--fill exact" : options_.metamorphic ? "--metamorphic" : nullptr;
  if (options_.bucket) asked = "--bucket";
  ir::require(asked == nullptr, "--storage observed judges values as they are stored, which ", asked,
              " says nothing of; leave out either");
}

/// Says how many values were judged in another dtype than the graph's.
void CaseRun::note_storage() {
  std::string text;
  for (const auto& [dtype, count] : stored_)
    text += ir::cat(text.empty() ? "judged as stored: " : ", ", core::terminal::counted(count, "value"), " in ", dtype);
  if (!text.empty()) result_.notes.push_back(text);
}

/// Another implementation's tensors are right or wrong by themselves. A candidate that agrees with the truth is not to
/// blame for them, but the case contradicts its file.
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
    checks::expected::Options options = *options_.expected;
    options.lambda = rules_.deviations;
    result_.expected = checks::expected::judge(subject_, executors_.reference, options, rules_.limits_of_elements());
  }
  for (const cases::ExpectedResult& one : result_.expected) {
    // A tensor that left the range on its way proves nothing of the graph.
    const bool is_lost = one.verdict == core::Verdict::out_of_range;
    const core::Verdict said = is_lost ? core::Verdict::mistrusted : one.verdict;
    if (core::is_worse(said, result_.verdict)) result_.verdict = said;
  }
}

void CaseRun::assign_blame() {
  const auto segment = [this](std::size_t n) -> const core::Segment& { return state_.node(n).segment; };
  const auto is_kept = [this](ir::Value v) { return state_.is_captured(v); };
  const auto device = [this](ir::Value v) { return state_.got(v); };
  const auto stops = [](const cases::NodeResult& one) { return cases::is_made(one.special.of); };
  if (options_.settings.validate && std::ranges::any_of(result_.nodes, stops)) return;  // results were not judged
  if (state_.lacks_truth()) return;  // the errors of results are not known
  const std::size_t most = options_.blame.value_or(result_.verdict == core::Verdict::failed ? 4 : 0);
  attribution::assign_blame(result_, {graph_, segment, is_kept, device}, executors_.reference, most);
}

std::vector<std::string> notes_of_free_choices(const std::vector<cases::NodeResult>& results) {
  struct Counted {
    std::string what;
    std::uint64_t free = 0, all = 0;
  };
  std::map<std::string, Counted> by_op;
  for (const cases::NodeResult& result : results) {
    const cases::Decisions& decisions = result.units.decisions;
    Counted& counted = by_op[result.op];
    counted.all += decisions.count;
    counted.free += decisions.free;
    if (decisions.free > 0 && !decisions.differing.empty()) counted.what = decisions.differing.front().what;
  }
  std::vector<std::string> notes;
  for (const auto& [op, counted] : by_op)
    if (counted.free > 0)
      notes.push_back(ir::cat(op, ": ", counted.free, " of ", counted.all, " choices of a",
                              counted.what == "expert" ? "n " : " ", counted.what, " were taken at a near tie"));
  return notes;
}

}  // namespace plumb::parity::verify
