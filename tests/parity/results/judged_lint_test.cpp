#include "parity/results/judged_lint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "parity/results/idle_quarantines.hpp"
#include "parity/results/record_hdf5.hpp"
#include "tests/parity/policy/policy_text.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::results::judged_lint_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(JudgedLint, FindsUnusedRulesAndWhatPassesBeyondTheBound) {
  const policy::Policy policy = policy::of(policy::rule("used", "op = \"matmul\"", "require = { max_abs = 1 }") +
                                           policy::rule("idle", "op = \"conv\"", "require = { max_abs = 1 }") +
                                           "[output]\nlogits = { max_abs = 1 }\ny = { max_abs = 1 }\n");
  JudgedRun run;
  run.nodes.push_back({.name = "y",
                       .op = "matmul",
                       .verdict = core::Verdict::passed,
                       .rule = 0,
                       .within_bound = false,
                       .was_compared = true});
  EXPECT_THAT(lint(policy, policy::day, std::vector{run}),
              ElementsAre("p.toml:2: rule used: looser than the bound: 1 outputs pass that the bound fails",
                          "p.toml:6: rule idle: unused: it decides no output",
                          "p.toml:11: [output] 'logits' unused: there is no such output"));
  run.nodes[0].within_bound = true;
  const policy::Policy clean = policy::of(policy::rule("used", "op = \"matmul\"", "require = { max_abs = 1 }"));
  EXPECT_THAT(lint(clean, policy::day, std::vector{run}), IsEmpty());
}

/// Limits that are larger than the data: only results tell.
TEST(JudgedLint, FindsLimitsThatZerosPass) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "plumb_judged_lint.h5";
  std::filesystem::remove(path);
  {
    testing::Suspect honest;
    Recorder recorder(path, {.device = {.uuid = "00ff", .name = "a device"}});
    recorder.record(testing::verify_on(honest, testing::make_case(testing::small_graph), {}, recorder));
    recorder.finish();
  }
  const auto findings = [&](const std::string& body) {
    const policy::Policy policy = policy::of(body);
    return lint(policy, policy::day, judge_results(path, &policy, policy::day));
  };
  const std::string wide = "require = { max_abs = 1000 }", narrow = "require = { max_abs = 1e-3 }";
  EXPECT_THAT(findings(policy::rule("scores", "node = \"scores\"", wide) + policy::rule("rest", "", narrow)),
              ElementsAre("p.toml:2: rule scores: gates nothing: 1 output that passes would do so as zeros"));
  EXPECT_THAT(findings(policy::rule("scores", "node = \"scores\"", narrow) + policy::rule("rest", "", wide)),
              ElementsAre("p.toml:6: rule rest: gates nothing: 4 outputs that pass would do so as zeros"));
  EXPECT_THAT(findings("[output]\nscores = { max_abs = 1000 }\nback = { max_abs = 1e-3 }\n"),
              ElementsAre("p.toml:3: [output] 'scores' gates nothing: 1 output that passes would do so as zeros"));
  EXPECT_THAT(findings(policy::rule("rest", "", narrow)), IsEmpty());
  std::filesystem::remove(path);
}

/// Runs of one record, said over and over: what counts is that they are 300 in a row without an incident.
TEST(JudgedLint, FindsQuarantinesThatNothingNeeds) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "plumb_idle_quarantines.h5";
  std::filesystem::remove(path);
  {
    testing::Suspect honest;
    Recorder recorder(path, {.device = {.uuid = "00ff", .name = "a device"}});
    recorder.record(testing::verify_on(honest, testing::make_case(testing::small_graph), {}, recorder));
    recorder.finish();
  }
  const auto quarantine = [](const std::string& node, const std::string& kind) {
    return policy::of(
        "[[quarantine]]\nid = \"q\"\nowner = \"o\"\nissue = \"i\"\nsince = 2026-06-01\n"
        "expires = 2026-08-20\nmatch = { node = \"" +
        node + "\" }\nkind = \"" + kind + "\"\n");
  };
  const std::chrono::sys_days today = std::chrono::year(2026) / 7 / 1;
  const auto findings = [&](const policy::Policy& policy, std::span<const JudgedRun> runs) {
    return lint(policy, today, runs);
  };
  const policy::Policy scores = quarantine("scores", "nondeterministic");
  std::vector<JudgedRun> runs(299, judge_results(path, &scores, today).at(0));
  EXPECT_THAT(findings(scores, runs), IsEmpty());
  EXPECT_THAT(findings(quarantine("scoers", "nondeterministic"), runs),
              ElementsAre("p.toml:2: quarantine q: unused: it matches nothing in these runs"));
  runs.push_back(runs[0]);
  const std::string idle = "p.toml:2: quarantine q: no incident in the last 300 runs that it matches";
  EXPECT_THAT(findings(scores, runs), ElementsAre(idle));
  EXPECT_THAT(findings(quarantine("scores", "device_fault"), runs), ElementsAre(idle));
  // An incident at another node, or of another kind, is not one of this quarantine.
  const auto node = std::ranges::find(runs[150].nodes, "scores", &JudgedNode::name);
  ASSERT_NE(node, runs[150].nodes.end());
  node->verdict = core::Verdict::failed;
  EXPECT_THAT(findings(scores, runs), ElementsAre(idle));
  EXPECT_THAT(findings(quarantine("scores", "failed"), runs), IsEmpty());
  node->verdict = core::Verdict::nondeterministic;
  EXPECT_THAT(findings(scores, runs), IsEmpty());
  EXPECT_THAT(findings(quarantine("back", "nondeterministic"), runs), ElementsAre(idle));
  std::filesystem::remove(path);
}

/// More incidents than max_rate allows in 200 runs, of the last 200.
TEST(JudgedLint, WearsOutQuarantinesThatAreNeededTooOften) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "plumb_worn_out_quarantines.h5";
  std::filesystem::remove(path);
  {
    testing::Suspect honest;
    Recorder recorder(path, {.device = {.uuid = "00ff", .name = "a device"}});
    recorder.record(testing::verify_on(honest, testing::make_case(testing::small_graph), {}, recorder));
    recorder.finish();
  }
  const std::chrono::sys_days today = std::chrono::year(2026) / 7 / 1;
  const policy::Policy policy = policy::of(
      "[[quarantine]]\nid = \"q\"\nowner = \"o\"\nissue = \"i\"\nsince = 2026-06-01\nexpires = 2026-08-20\n"
      "match = { node = \"scores\" }\nkind = \"nondeterministic\"\nmax_rate = 0.01\n");
  std::vector<JudgedRun> runs(10, judge_results(path, &policy, today).at(0));
  const auto worn_out = [&] {
    policy::Policy now = policy;
    const std::vector<std::string> said = wear_out(now, runs);
    EXPECT_EQ(said.empty(), now.quarantines[0].worn_out.empty());
    return said;
  };
  const auto happen = [&](std::size_t first, std::size_t count) {
    for (std::size_t k = first; k < first + count; ++k)
      std::ranges::find(runs[k].nodes, "scores", &JudgedNode::name)->verdict = core::Verdict::quarantined;
  };
  EXPECT_THAT(worn_out(), IsEmpty());
  happen(0, 2);
  EXPECT_THAT(worn_out(), IsEmpty());
  happen(2, 1);
  EXPECT_THAT(worn_out(), ElementsAre("p.toml:2: quarantine q excuses nothing: 3 of the last 10 runs had an incident, "
                                      "more than its max_rate, 0.01 of 200"));
  runs.resize(203, runs.back());  // the first three are no longer among the last 200
  EXPECT_THAT(worn_out(), IsEmpty());
  std::filesystem::remove(path);
}

TEST(JudgedLint, FindsALimitOfVacuityThatNoRunSays) {
  const policy::Policy policy = policy::of("[budget]\nmin_power = 0.9\nmax_vacuity = 0.3\n");
  JudgedRun run;
  run.nodes.push_back({.name = "y", .op = "matmul", .was_compared = true});
  EXPECT_THAT(lint(policy, policy::day, std::vector{run}),
              ElementsAre("p.toml:2: [budget] max_vacuity unused: no run says the vacuity of an output"));
  run.nodes[0].vacuity = 0;
  EXPECT_THAT(lint(policy, policy::day, std::vector{run}), IsEmpty());
}

}  // namespace
}  // namespace plumb::parity::results::judged_lint_test
