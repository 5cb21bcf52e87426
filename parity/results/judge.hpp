#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/cases/pair_result.hpp"
#include "parity/core/demands.hpp"
#include "parity/core/terminal/style.hpp"
#include "parity/policy/policy.hpp"
#include "parity/report/suites.hpp"

namespace plumb::parity::results {

/// One output of one node of a results file, judged again.
struct JudgedNode {
  std::string name, op;
  core::Verdict was = core::Verdict::skipped, verdict = core::Verdict::skipped;
  std::string why = {}, explanation = {};
  std::optional<std::size_t> rule = {};
  bool ends_soon = false;    ///< its failure is excused for a few days more
  bool within_bound = true;  ///< its measurements keep to the bound
  bool was_compared = false;
  bool lacks_truth = false;  ///< skipped, since the op has no truth
  double vacuity = compare::not_computed;
  double ratio = compare::not_computed;
  std::optional<std::uint64_t> reference_ns = {}, device_ns = {};
};

class ResultsFile;

struct JudgedRun {
  std::shared_ptr<ResultsFile> source = {};  ///< where the rest of it is
  std::uint32_t run = 0;
  std::string graph = {}, file = {};  ///< the graph's hash, and its file as it was named; "" where not recorded
  std::string subject = {};           ///< both, for people
  std::string who = {};               ///< its device, or its candidate, for people
  std::uint64_t seed = 0;
  std::string precision = {};
  core::Verdict was = core::Verdict::error, verdict = core::Verdict::error;
  ir::formats::Must must = ir::formats::Must::pass;  ///< the outcome that its file demands
  bool met_must = false;                             ///< and whether it did, when it ran
  std::vector<JudgedNode> nodes = {};
  bool is_by_its_policy = true;                ///< judged by the policy that the file holds for it
  std::vector<std::size_t> rules_ending = {};  ///< rules of that which judged it that excuse failures for days
};

/// The runs of a results file, and what is wrong with them as a whole: that they were cut off, or that a rule of a
/// policy that judged them has expired.
struct JudgedFile {
  std::vector<JudgedRun> runs = {};
  std::vector<core::RunFinding> findings = {};
  std::vector<cases::PairResult> pairs = {};  ///< results of several candidates beside one another
};

/// Judges every run of a results file by a policy, from the numbers it holds: no device and no
/// tensor. What a policy cannot change stays: other bits in another run, the host in place of the
/// device, a case that proves nothing, a node that failed for a reason beside its numbers. Throws Error
/// when the file is no results file. `explain` is a glob over nodes; "" for none. Without a policy
/// each run is judged by the one that the file holds for it or, where it holds none, by the bound.
JudgedFile judge_file(const std::filesystem::path& path, const policy::Policy* policy, std::chrono::sys_days today,
                      const std::string& explain = "");

/// Those runs alone.
inline std::vector<JudgedRun> judge_results(const std::filesystem::path& path, const policy::Policy* policy,
                                            std::chrono::sys_days today, const std::string& explain = "") {
  return judge_file(path, policy, today, explain).runs;
}

/// Output budgets that name nothing in any of the runs.
std::vector<std::string> idle_budgets(const policy::Policy& policy, std::span<const JudgedRun> runs);

/// The runs for people: nodes that did not pass or whose verdict changed, then totals. Runs of one file that passed as
/// before and differ in their seed alone take one line. Of several files each line names its own.
std::string to_text(const std::vector<JudgedRun>& runs, const core::terminal::Style& style = {});

/// The runs as suites of tests: those of verify, where the verdicts are still the same.
std::vector<report::Suite> suites_of(const std::vector<JudgedRun>& runs, const core::Outcome& outcome);

/// The runs as the JSON of verify, without what a results file does not keep (docs/results.md).
std::string to_json(const std::vector<JudgedRun>& runs, const core::Outcome& outcome,
                    std::span<const cases::PairResult> pairs = {});

/// A run as verify would report it.
cases::CaseResult case_of(const JudgedRun& run);

/// Facts that hold for all of these runs, for a summary: their device, where they have one.
report::RunFacts facts_of(const std::vector<JudgedRun>& runs);

/// The end of each run: its exit code, its verdict and those of its nodes.
std::vector<core::CaseEnd> ends_of(const std::vector<JudgedRun>& runs);

}  // namespace plumb::parity::results
