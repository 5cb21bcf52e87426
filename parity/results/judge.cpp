#include "parity/results/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "ir/attribute.hpp"
#include "ir/raw/glob.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/policy/policy_lint.hpp"
#include "parity/report/report.hpp"
#include "parity/results/judged_excuse.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/stored_case.hpp"
#include "parity/results/stored_facts.hpp"

namespace plumb::parity::results {
namespace {
using core::terminal::counted;

/// How a run's bound compares to the one that a policy wants.
policy::BoundWas bound_of(const policy::Policy& policy, const Run& run) {
  if (policy.subnormal == policy::SubnormalRule::profile) return policy::BoundWas::as_wanted;
  const bool flushes = policy.subnormal == policy::SubnormalRule::flush;
  const profile::Subnormals were = known(run.subnormals, profile::Subnormals::unknown);
  if (were == profile::Subnormals::unknown) return policy::BoundWas::unknown;
  if ((were == profile::Subnormals::flushed) == flushes) return policy::BoundWas::as_wanted;
  return flushes ? policy::BoundWas::tighter : policy::BoundWas::looser;
}

/// The standard deviations that a run's limits allow for under another budget of false alarms (verdict.md V52); nothing
/// where the run does not say how many limits it had.
std::optional<double> lambda_of(const policy::Policy& policy, const Run& run) {
  if (run.n_limits == no_number || std::isnan(run.lambda)) return std::nullopt;
  return compare::FalseAlarms{policy.false_alarms(), run.n_limits}.lambda();
}

/// A results file, judged run by run.
class Judge {
 public:
  Judge(const std::filesystem::path& path, const policy::Policy* policy, std::chrono::sys_days today,
        const std::string& explain)
      : source_(std::make_shared<ResultsFile>(path)),
        file_(*source_),
        given_(policy),
        today_(today),
        explain_(explain) {}
  JudgedFile all();

 private:
  JudgedRun judge(const Run& run);
  JudgedNode judge(const Run& run, std::size_t row);
  void judge_numbers(JudgedNode& node, const Run& run, std::size_t row, const policy::Facts& facts);
  void decide(JudgedNode& node, const policy::Judgement& judgement, const Node& gated) const;
  policy::Measured measured(const Run& run, const Node& part);
  const policy::Policy& policy(const Run& run);
  std::string policy_text(const Run& run);

  const std::shared_ptr<ResultsFile> source_;
  ResultsFile& file_;
  const policy::Policy* const given_;
  const std::chrono::sys_days today_;
  const std::string& explain_;
  std::map<std::uint32_t, policy::Policy> policies_;
};

/// The one that was given or, without, the file's own.
const policy::Policy& Judge::policy(const Run& run) {
  if (given_ != nullptr) return *given_;
  const auto [found, is_new] = policies_.try_emplace(run.policy_id);
  const std::string path = file_.policy_path(run);
  const auto acc = file_.version() < 2 ? policy::AccKey::known : policy::AccKey::refused;
  if (is_new && !path.empty())
    found->second = policy::parse(file_.store().read_text(path), file_.path().string() + ":" + path, acc);
  return found->second;
}

std::string Judge::policy_text(const Run& run) {
  const std::string path = file_.policy_path(run);
  return path.empty() ? "" : file_.text_of(path);
}

/// The measurements of a row. For several outputs the graph's table holds the first one's dtype; ratios and ulps were
/// taken with the right one.
policy::Measured Judge::measured(const Run& run, const Node& part) {
  const auto row = static_cast<std::size_t>(&part - file_.rows().data());
  const auto dtype = dtype_of(file_.node_of(run, part).dtype_out).value_or(ir::DType::f64);
  return results::measured(part, file_.worst(row).front(), dtype);
}

void Judge::decide(JudgedNode& node, const policy::Judgement& judgement, const Node& gated) const {
  if (gated.rounds_off != 0 && node.was == core::Verdict::failed && judgement.verdict == core::Verdict::passed) {
    node.why = "rounds off more than it says";
    return;
  }
  const bool gate_fails = judgement.verdict == core::Verdict::failed || judgement.verdict == core::Verdict::error;
  const bool was_gate = node.was == core::Verdict::passed || node.was == core::Verdict::xfailed ||
                        node.was == core::Verdict::xpassed ||
                        (node.was == core::Verdict::failed && (gated.n_bad > 0 || gated.rule >= 0));
  node.verdict = judgement.verdict;
  node.why = judgement.why;
  if (gate_fails || was_gate) return;
  node.verdict = node.was;
  node.why = node.was == core::Verdict::failed ? "failed for a reason that is not in its numbers"
                                               : "as it was: no policy changes that";
}

JudgedNode Judge::judge(const Run& run, std::size_t r) {
  const Node& row = file_.rows()[r];
  const policy::Facts facts = facts_of(file_, run, row);
  JudgedNode node;
  node.name = facts.node;
  node.op = facts.op;
  node.was = node.verdict = known(row.verdict, core::Verdict::error);
  node.was_compared = row.out_hash != no_number;
  node.vacuity = row.vacuity;
  node.lacks_truth = row.no_truth != 0;
  if (row.t_ref_ns != no_number) node.reference_ns = row.t_ref_ns;
  if (row.t_dev_ns != no_number) node.device_ns = row.t_dev_ns;
  if (node.was_compared) {
    judge_numbers(node, run, r, facts);
  } else if (node.was == core::Verdict::skipped && policy::has_budget(policy(run), node.name)) {
    node.verdict = core::Verdict::error;
    node.why = "[output] holds its total error to a limit, and it was not measured";
  }
  return node;
}

void Judge::judge_numbers(JudgedNode& node, const Run& run, std::size_t r, const policy::Facts& facts) {
  const Node* const total = file_.total_of(r);
  const Node& gated = file_.gated_of(r);
  node.within_bound = gated.n_bad == 0;
  node.ratio = gated.ratio_max;
  if (file_.rows()[r].n_oracle_bad > 0 && node.was == core::Verdict::error) {
    node.why = "its truth is not what the definition of the op gives";
    return;
  }
  const policy::Policy& policy = this->policy(run);
  policy::Parts parts{measured(run, gated), {}};
  parts.local.bound = bound_of(policy, run);
  if (const auto lambda = lambda_of(policy, run); lambda && std::abs(*lambda - parts.local.lambda) > 1e-9)
    parts.local.wanted_lambda = *lambda;
  if (total != nullptr) parts.total = measured(run, *total);
  const policy::Judgement judgement = policy::judge(policy, facts, parts, today_);
  node.rule = judgement.rule;
  const auto ending = policy::rules_ending(policy, today_);
  node.ends_soon =
      judgement.verdict == core::Verdict::xfailed && node.rule && std::ranges::find(ending, *node.rule) != ending.end();
  if (node.was == core::Verdict::failed && was_stopped_by(file_, run, file_.rows()[r]))
    node.why = "not finite, under --validate";
  else
    decide(node, judgement, gated);
  excuse_again(node, policy, facts, today_);
  const bool asks_total = total == nullptr && node.verdict == core::Verdict::error && node.verdict != node.was;
  if (asks_total && file_.lacks_totals_as_written(run))
    node.why += "; before version 2.9 a file knows errors against the converted graph alone";
  if (!explain_.empty() && ir::raw::glob_matches(explain_, node.name))
    node.explanation = policy::explain(policy, facts, parts, today_);
}

JudgedRun Judge::judge(const Run& run) {
  JudgedRun judged{.source = source_,
                   .run = run.run,
                   .graph = file_.name(run.graph_id),
                   .file = file_.name(run.file_id),
                   .subject = file_.subject(run),
                   .who = file_.who(run),
                   .seed = run.seed,
                   .precision = file_.precision(run)};
  judged.is_by_its_policy = given_ == nullptr || given_->text == policy_text(run);
  judged.rules_ending = policy::rules_ending(policy(run), today_);
  judged.was = judged.verdict = known(run.verdict, core::Verdict::error);
  judged.must = known(run.must, ir::formats::Must::pass);
  judged.met_must = run.must_met != 0;
  std::vector<core::Verdict> verdicts;
  bool none_was_bad = true;
  for (const std::size_t row : file_.local_rows(run)) {
    judged.nodes.push_back(judge(run, row));
    verdicts.push_back(judged.nodes.back().verdict);
    none_was_bad &=
        judged.nodes.back().was != core::Verdict::failed && judged.nodes.back().was != core::Verdict::quarantined &&
        judged.nodes.back().was != core::Verdict::error && judged.nodes.back().was != core::Verdict::nondeterministic;
  }
  // A run that failed or broke off by no node of its own stays as it was.
  const bool was_bad = judged.was == core::Verdict::failed || judged.was == core::Verdict::error ||
                       judged.was == core::Verdict::nondeterministic || judged.was == core::Verdict::unsupported;
  if (!verdicts.empty() && !(was_bad && none_was_bad))
    judged.verdict = core::overall(verdicts, coverage_of(run), least_coverage_of(run));
  if (judged.nodes.empty()) excuse_again(judged, run, policy(run), today_);
  // A policy decides nothing but λ of what another implementation gave.
  const bool is_passing = core::exit_code(judged.verdict) == core::ExitCode::passed;
  if (is_passing && file_.refutes_expected(run, lambda_of(policy(run), run))) judged.verdict = core::Verdict::failed;
  return judged;
}

JudgedFile Judge::all() {
  JudgedFile judged;
  std::vector<std::string> retried;
  for (const Run& run : file_.runs()) {
    if (run.retried != 0) continue;
    judged.runs.push_back(judge(run));
    if (run.attempts_id != 0) retried.push_back(file_.name(run.case_id));
  }
  if (!retried.empty()) judged.findings.push_back(core::tried_again(retried));
  judged.pairs = file_.pairs();
  if (const auto cut_off = file_.cut_off()) judged.findings.push_back(*cut_off);
  const auto add = [&](const policy::Policy& policy) {
    for (core::RunFinding& one : policy::expired_rules(policy, today_)) judged.findings.push_back(std::move(one));
  };
  if (given_ != nullptr) add(*given_);
  for (const auto& [id, policy] : policies_) add(policy);
  return judged;
}

}  // namespace

JudgedFile judge_file(const std::filesystem::path& path, const policy::Policy* policy, std::chrono::sys_days today,
                      const std::string& explain) {
  return Judge(path, policy, today, explain).all();
}

std::vector<std::string> idle_budgets(const policy::Policy& policy, std::span<const JudgedRun> runs) {
  std::vector<std::string> names;
  for (const JudgedRun& run : runs)
    for (const JudgedNode& node : run.nodes) names.push_back(node.name);
  return policy::idle_budgets(policy, names);
}

namespace {

bool is_quiet(const JudgedNode& node) {
  return core::is_fine(node.verdict) && node.was == node.verdict && node.explanation.empty();
}

/// Whether there is nothing to say of a run but that it passed, as before.
bool is_quiet(const JudgedRun& run) {
  return run.verdict == core::Verdict::passed && run.was == run.verdict &&
         std::ranges::all_of(run.nodes, [](const JudgedNode& node) { return is_quiet(node); });
}

/// The quiet runs from this one on that differ from it in their seed alone; at least this one.
std::size_t quiet_runs_at(const std::vector<JudgedRun>& runs, std::size_t first) {
  const auto key = [](const JudgedRun& run) {
    return std::tuple(run.source, run.subject, run.who, run.precision, run.nodes.size());
  };
  std::size_t end = first;
  while (end < runs.size() && is_quiet(runs[end]) && key(runs[end]) == key(runs[first])) ++end;
  return std::max<std::size_t>(end - first, 1);
}

bool are_of_several_files(const std::vector<JudgedRun>& runs) {
  return std::ranges::any_of(runs, [&](const JudgedRun& run) { return run.source != runs.front().source; });
}

std::string text_of(const JudgedRun& run) {
  std::string text = fmt::format("run {}: {}, {}, seed {}, {}: {}{}\n", run.run, run.subject, run.who, run.seed,
                                 counted(run.nodes.size(), "output"), ir::enum_name(run.verdict),
                                 run.was == run.verdict ? "" : fmt::format(" (was {})", ir::enum_name(run.was)));
  for (const JudgedNode& node : run.nodes) {
    if (!core::is_fine(node.verdict) || node.was != node.verdict)
      text += fmt::format("  {} ({}): {}{}{}{}\n", node.name, node.op, ir::enum_name(node.verdict),
                          node.was == node.verdict ? "" : fmt::format(" (was {})", ir::enum_name(node.was)),
                          node.why.empty() ? "" : ": ", node.why);
    text += node.explanation;
  }
  return text;
}

}  // namespace

std::string to_text(const std::vector<JudgedRun>& runs, const core::terminal::Style& style) {
  std::string text;
  std::map<core::Verdict, std::size_t> counts;
  std::size_t changed = 0;
  for (const JudgedRun& run : runs) {
    ++counts[run.verdict];
    changed += run.was != run.verdict;
  }
  const bool is_of_several = are_of_several_files(runs);
  for (std::size_t first = 0; first < runs.size();) {
    const std::size_t count = quiet_runs_at(runs, first);
    const JudgedRun &one = runs[first], &last = runs[first + count - 1];
    if (is_of_several) text += one.source->path().string() + ": ";
    if (count == 1)
      text += text_of(one);
    else
      text += fmt::format("runs {} to {}: {}, {}, seeds {} to {}, {} each: passed\n", one.run, last.run, one.subject,
                          one.who, one.seed, last.seed, counted(one.nodes.size(), "output"));
    first += count;
  }
  text += counted(runs.size(), "run") + (runs.empty() ? "" : ":");
  for (const auto& [verdict, count] : counts) text += fmt::format(" {} {}", count, ir::enum_name(verdict));
  text += fmt::format("; {} changed\n", changed);
  return core::terminal::folded(core::terminal::printable(text), style.width, "    ");
}

namespace {

/// A run that failed as its file says that it must ends like one that passed, and one that did not like one that
/// failed. A device that was lost is more than another error.
core::ExitCode exit_code_of(const JudgedRun& run) {
  constexpr auto lost = core::ExitCode::device_error;
  const bool was_lost = run.source && run.source->runs()[run.run].exit == static_cast<std::uint8_t>(lost);
  const bool was_excused = run.was == core::Verdict::quarantined && run.nodes.empty();
  if (run.verdict == core::Verdict::error && ((was_lost && run.was == run.verdict) || was_excused)) return lost;
  const core::ExitCode code = core::exit_code(run.verdict);
  if (run.must == ir::formats::Must::refuse && run.met_must) return core::ExitCode::passed;
  const bool is_judged = code == core::ExitCode::passed || code == core::ExitCode::failed;
  if (run.must == ir::formats::Must::pass || !is_judged) return code;
  return run.met_must && run.verdict == run.was ? core::ExitCode::passed : core::ExitCode::failed;
}

/// Replaces the judgement made when the node ran by the one made now, where they differ.
void judge_again(cases::NodeResult& node, const JudgedNode& judged, bool is_by_its_policy) {
  const bool is_same = judged.verdict == judged.was && judged.rule == node.rule && is_by_its_policy;
  if (!is_same || node.why.empty()) node.why = judged.why;
  node.verdict = judged.verdict;
  node.rule = judged.rule;
  node.explanation = judged.explanation;
}

report::RunFacts facts_of(const JudgedRun& run) { return facts_of_run(*run.source, run.source->runs()[run.run]); }

/// `code` is what the run comes to by what was demanded.
report::Suite suite_of(const JudgedRun& run, const core::Demands& demands, core::ExitCode code) {
  report::RunFacts facts = facts_of(run);
  facts.outcome = {.demands = demands, .cases = {code}};
  const bool strict = demands.strict;
  const std::array result = {case_of(run)};
  report::Suite suite = std::move(report::suites_of(result, facts).front());
  auto test = suite.tests.begin();
  for (const JudgedNode& node : run.nodes) {
    if (core::Verdict::skipped == (strict ? core::as_counted_by_strict(node.verdict, node.lacks_truth) : node.verdict))
      continue;
    if (node.was != node.verdict) test->properties.emplace_back("was", ir::enum_name(node.was));
    ++test;
  }
  return suite;
}

}  // namespace

cases::CaseResult case_of(const JudgedRun& run) {
  cases::CaseResult result = stored_case(*run.source, run.source->runs()[run.run]);
  result.judged_by.rules_ending = run.rules_ending;
  for (std::size_t n = 0; n < run.nodes.size(); ++n) judge_again(result.nodes[n], run.nodes[n], run.is_by_its_policy);
  if (run.verdict == run.was && run.source->runs()[run.run].is_named()) return result;
  result.verdict = run.verdict;
  result.exit = exit_code_of(run);
  result.message = run.verdict == run.was ? "the run as a whole" : ir::cat("it was ", ir::enum_name(run.was));
  result.meets_must = run.must != ir::formats::Must::pass && run.met_must && result.exit == core::ExitCode::passed;
  return result;
}

std::vector<report::Suite> suites_of(const std::vector<JudgedRun>& runs, const core::Outcome& outcome) {
  std::vector<report::Suite> suites;
  const bool is_of_several = are_of_several_files(runs);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    suites.push_back(suite_of(runs[r], outcome.demands, outcome.cases.at(r)));
    if (is_of_several) suites.back().properties.emplace_back("results", runs[r].source->path().string());
  }
  for (report::Suite& suite : report::suites_of_run(outcome)) suites.push_back(std::move(suite));
  return suites;
}

std::string to_json(const std::vector<JudgedRun>& runs, const core::Outcome& outcome,
                    std::span<const cases::PairResult> pairs) {
  const auto case_at = [&](std::size_t r) { return case_of(runs[r]); };
  return report::to_json_of_record(runs.size(), case_at, outcome, pairs);
}

report::RunFacts facts_of(const std::vector<JudgedRun>& runs) {
  for (const JudgedRun& run : runs)
    if (report::RunFacts facts = facts_of(run); !facts.device.empty()) return facts;
  return {};
}

std::vector<core::CaseEnd> ends_of(const std::vector<JudgedRun>& runs) {
  std::vector<core::CaseEnd> ends;
  for (const JudgedRun& run : runs) {
    core::CaseEnd end{.usual = exit_code_of(run), .verdict = run.verdict, .name = run.subject};
    for (const JudgedNode& node : run.nodes) {
      end.nodes.push_back(core::as_counted_by_strict(node.verdict, node.lacks_truth));
      end.labels.push_back(node.name);
    }
    ends.push_back(std::move(end));
  }
  return ends;
}

}  // namespace plumb::parity::results
