#include "parity/studies/fit/fit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "ir/error.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/results/judge.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/studies/fit/fit_policy.hpp"
#include "parity/studies/fit/repeats.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::studies::fit::fit_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Provenance from{.at = "2026-09-01", .commit = "abc1234"};

struct Node {
  std::string label, op;
  Gumbel truth;
};

/// Runs of a graph whose nodes' ratios are distributed as told.
std::vector<Sample> runs_of(const std::vector<Node>& nodes, std::uint64_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<Sample> samples;
  for (std::uint64_t run = 0; run < count; ++run)
    for (const Node& node : nodes) {
      const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
      const double ratio = node.truth.location - node.truth.scale * std::log(-std::log(u));
      samples.push_back({.group = {node.op, "f32", "f32", "f32", "a device"},
                         .node = node.label,
                         .run = run,
                         .seed = run + 1,
                         .ratio = ratio});
    }
  return samples;
}

const Gumbel low{0.2, 0.01}, high{0.5, 0.03};

TEST(Fit, PoolsNodesOfOneDistributionAndNoOthers) {
  const Fit one = fit(runs_of({{"a", "matmul", low}, {"b", "matmul", low}, {"c", "softmax", high}}, 100), {});
  ASSERT_THAT(one.rules, SizeIs(2));
  EXPECT_EQ(one.rules[0].group.op, "matmul");
  EXPECT_EQ(one.rules[0].node, "");
  EXPECT_EQ(one.rules[0].n_nodes, 2u);
  EXPECT_EQ(one.rules[0].n_samples, 200u);
  EXPECT_EQ(one.rules[0].n_seeds, 100u);
  EXPECT_EQ(one.comparisons, 3u);
  EXPECT_DOUBLE_EQ(one.rules[0].false_alarm, 1e-3 / 3);
  const Fit two = fit(runs_of({{"a", "matmul", low}, {"b", "matmul", high}}, 100), {});
  ASSERT_THAT(two.rules, SizeIs(2));
  EXPECT_EQ(two.rules[0].node, "a");
  EXPECT_EQ(two.rules[1].node, "b");
}

TEST(Fit, PoolsNothingThatIsSummedInDifferentTypes) {
  auto samples = runs_of({{"a", "matmul", low}, {"b", "matmul", low}}, 100);
  for (Sample& one : samples)
    if (one.node == "b") one.group.accumulation = "f16";
  const Fit found = fit(samples, {});
  ASSERT_THAT(found.rules, SizeIs(2));
  EXPECT_NE(found.rules[0].id(), found.rules[1].id());
  EXPECT_THAT(policy_text(found, from),
              AllOf(HasSubstr("accumulation = \"f16\""), HasSubstr("accumulation = \"f32\"")));
}

TEST(Fit, TheLimitIsAboveTheQuantileThatWasPromised) {
  const Fit found = fit(runs_of({{"a", "matmul", low}}, 400), {.false_alarm_per_run = 0.01});
  ASSERT_THAT(found.rules, SizeIs(1));
  EXPECT_GE(found.rules[0].limit, low.exceeded_with(0.01));
  EXPECT_LE(found.rules[0].limit, low.exceeded_with(0.01 / 3));
  const Fit surer = fit(runs_of({{"a", "matmul", low}}, 400), {.false_alarm_per_run = 0.01, .confidence = 0.99});
  EXPECT_GT(surer.rules[0].limit, found.rules[0].limit);
}

/// The statistical heart: of 20000 runs that it has not seen, as many fail as was promised, within a factor of two.
TEST(Fit, HeldOutRunsFailAsOftenAsPromised) {
  const std::vector<Node> nodes = {{"a", "matmul", low}, {"b", "matmul", low}, {"c", "softmax", high}};
  const Fit found = fit(runs_of(nodes, 3000), {.false_alarm_per_run = 0.01});
  ASSERT_THAT(found.rules, SizeIs(2));
  std::set<std::uint64_t> failed;
  for (const Sample& one : runs_of(nodes, 20000, 2))
    for (const FittedRule& rule : found.rules)
      if (rule.group == one.group && one.ratio > rule.limit) failed.insert(one.run);
  EXPECT_GT(failed.size(), 100u);
  EXPECT_LT(failed.size(), 400u);
}

/// The bound is then as tight as it may be, and nothing is wrong.
TEST(Fit, ALimitAboveTheBoundIsANoteAndNoRule) {
  const Fit found = fit(runs_of({{"a", "matmul", {0.8, 0.1}}, {"b", "softmax", low}}, 50), {});
  ASSERT_THAT(found.rules, SizeIs(1));
  EXPECT_EQ(found.rules[0].group.op, "softmax");
  EXPECT_THAT(found.findings, IsEmpty());
  EXPECT_EQ(found.at_bound, 1u);
  EXPECT_THAT(found.notes,
              ElementsAre(HasSubstr("matmul f32->f32, accumulation f32, on 'a device': nothing to tighten, "
                                    "the fitted ratio_max is")));
}

std::vector<Sample> joined(std::vector<Sample> one, const std::vector<Sample>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

/// Those runs, of which "y" is a result that was off by `scale` times the ratio.
std::vector<Sample> with_totals(double scale, const std::string& graph = "g", std::uint64_t seed = 1) {
  auto samples = runs_of({{"x", "matmul", low}, {"y", "matmul", low}}, 100, seed);
  for (Sample& one : samples) {
    one.graph = graph;
    if (one.node == "y") one.total = Total{.rel_l2 = scale * one.ratio, .max_abs = 10 * scale * one.ratio};
  }
  return samples;
}

TEST(Fit, ResultsGetLimitsOnTheirTotals) {
  const Fit found = fit(with_totals(1e-3), {});
  ASSERT_THAT(found.outputs, SizeIs(1));
  const FittedOutput& y = found.outputs[0];
  EXPECT_EQ(y.output, "y");
  EXPECT_EQ(y.n_seeds, 100u);
  EXPECT_DOUBLE_EQ(y.false_alarm, 1e-3 / 4);  // two nodes, and two measures of one total
  ASSERT_THAT(y.limits, SizeIs(2));
  EXPECT_EQ(y.limits[0].measure, policy::Measure::max_abs);
  EXPECT_EQ(y.limits[1].measure, policy::Measure::rel_l2);
  const double limit = y.limits[1].limit.number;
  EXPECT_GT(limit, 1e-3 * low.exceeded_with(y.false_alarm));
  EXPECT_LT(limit, 1e-3 * low.exceeded_with(y.false_alarm / 10));
  EXPECT_NEAR(y.limits[0].limit.number, 10 * limit, 1e-9);
  // Another graph whose result has that name: one budget that suits both.
  const Fit both = fit(joined(with_totals(1e-3), with_totals(3e-3, "h", 2)), {});
  ASSERT_THAT(both.outputs, SizeIs(1));
  EXPECT_NEAR(both.outputs[0].limits[1].limit.number, 3 * limit, limit / 5);
}

TEST(FitPolicy, TotalsOnlyTightenUnlessAReasonIsGiven) {
  const Fit loose = fit(with_totals(1e-2), {}), tight = fit(with_totals(1e-3), {});
  const auto old = policy::parse(policy_text(loose, from), "p.toml");
  ASSERT_THAT(old.outputs, SizeIs(1));
  EXPECT_TRUE(old.outputs[0].is_fitted);
  EXPECT_EQ(old.outputs[0].require[1].limit.number, loose.outputs[0].limits[1].limit.number);
  const auto now = policy::parse(updated_policy(old, tight, from, "").text, "p.toml");
  ASSERT_THAT(now.outputs, SizeIs(1));
  EXPECT_EQ(now.outputs[0].require[1].limit.number, tight.outputs[0].limits[1].limit.number);
  const Updated kept = updated_policy(now, loose, from, "");
  EXPECT_EQ(kept.text, now.text);
  EXPECT_THAT(kept.notes, ElementsAre(HasSubstr("[output] 'y' stays as it is")));
  const auto looser = policy::parse(updated_policy(now, loose, from, "f16 now").text, "p.toml");
  EXPECT_EQ(looser.outputs[0].reason, "f16 now");
  EXPECT_EQ(looser.outputs[0].require[1].limit.number, loose.outputs[0].limits[1].limit.number);
  // Lines written by hand stay; new ones are put below the head that there is.
  const std::string by_hand = "schema = \"plumb-policy/1\"\n[output]\n\"y\" = { max_abs = 1 }  # ours\n";
  const Updated ours = updated_policy(policy::parse(by_hand, "p.toml"), tight, from, "");
  EXPECT_THAT(ours.text, HasSubstr("\"y\" = { max_abs = 1 }  # ours\n"));
  EXPECT_THAT(ours.notes, ElementsAre(HasSubstr("[output] 'y' stays as it is: it was not fitted")));
  const std::string other = "schema = \"plumb-policy/1\"\n[output]\nz = { max_abs = 1 }\n";
  EXPECT_THAT(policy::parse(updated_policy(policy::parse(other, "p.toml"), tight, from, "").text, "p.toml").outputs,
              SizeIs(2));
}

TEST(Fit, ANodeThatFailedIsAFinding) {
  auto samples = runs_of({{"a", "matmul", low}}, 50);
  samples[7].is_clean = false;
  EXPECT_THAT(fit(samples, {}).findings,
              ElementsAre(HasSubstr("a (matmul f32->f32, accumulation f32, on 'a device'): did not "
                                    "pass in 1 of 50 runs")));
}

TEST(Fit, FewSeedsAndWhatDoesNotVaryGiveNoRule) {
  const Fit few = fit(runs_of({{"a", "matmul", low}}, fewest_seeds - 1), {});
  EXPECT_THAT(few.rules, IsEmpty());
  EXPECT_THAT(few.notes, ElementsAre(HasSubstr("are too few")));
  EXPECT_THAT(fit(runs_of({{"a", "transpose", {0, 0}}}, 100), {}).rules, IsEmpty());
}

TEST(Fit, SoftwareDevicesSayNothingOfRealOnes) {
  auto software = runs_of({{"a", "matmul", high}}, 60), both = runs_of({{"a", "matmul", low}}, 60);
  for (Sample& one : software) one.is_software = true;
  both.insert(both.end(), software.begin(), software.end());
  const Fit mixed = fit(both, {}), alone = fit(software, {});
  ASSERT_THAT(mixed.rules, SizeIs(1));
  EXPECT_FALSE(mixed.rules[0].is_software);
  EXPECT_LT(mixed.rules[0].limit, 0.4);
  EXPECT_THAT(mixed.notes, ElementsAre(HasSubstr("60 comparisons of software devices are left out")));
  ASSERT_THAT(alone.rules, SizeIs(1));
  EXPECT_TRUE(alone.rules[0].is_software);
  const auto real = policy::parse(policy_text(mixed, from), "p.toml");
  EXPECT_THROW(updated_policy(real, alone, from, "a reason"), ir::Error);
  const auto soft = policy::parse(policy_text(alone, from), "p.toml");
  EXPECT_THAT(soft.text, HasSubstr("software = true"));
  EXPECT_NO_THROW(updated_policy(soft, alone, from, ""));
}

/// Samples as a file has them: of each output a hash of its bits.
std::vector<Sample> recorded(std::vector<Sample> samples, std::uint64_t first_run = 0) {
  for (Sample& one : samples) {
    one.graph = "a graph";
    one.out_hash = 1000 * one.seed + one.node[0];
    one.run += first_run;
  }
  return samples;
}

TEST(Fit, WhatWasRunTwiceCountsOnce) {
  const auto runs = runs_of({{"a", "matmul", low}, {"c", "softmax", high}}, 50);
  const Fit once = fit(recorded(runs), {}), twice = fit(joined(recorded(runs), recorded(runs, 50)), {});
  ASSERT_THAT(once.rules, SizeIs(2));
  EXPECT_EQ(once.repeats, 0u);
  EXPECT_THAT(once.notes, IsEmpty());
  EXPECT_EQ(twice.repeats, 50u);
  EXPECT_THAT(twice.notes,
              ElementsAre("50 runs are equal to earlier ones (graph, device, bits of all outputs), and not "
                          "counted again"));
  ASSERT_THAT(twice.rules, SizeIs(2));
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(twice.rules[r].limit, once.rules[r].limit);
    EXPECT_EQ(twice.rules[r].n_samples, once.rules[r].n_samples);
  }
}

TEST(Fit, WhatOneRunHasInCommonWithAnotherCountsOnce) {
  const auto runs = recorded(runs_of({{"a", "matmul", low}, {"c", "softmax", high}}, 50));
  // Seeds 41 to 50 again, by other limits and only in one node, and inputs that no seed changes.
  std::vector<Sample> again;
  for (Sample one : runs)
    if (one.seed > 40 && one.node == "a") {
      one.run += 100;
      one.ratio *= 0.9;
      again.push_back(one);
    }
  for (Sample one : runs)
    if (one.run == 7) {
      one.run = 200;
      one.seed = 999;
      again.push_back(one);
    }
  EXPECT_EQ(fit(joined(runs, again), {}).repeats, 11u);
  // A run that differs in anything is another run.
  for (const auto& change : std::vector<std::function<void(Sample&)>>{
           [](Sample& one) { one.graph = "another"; }, [](Sample& one) { one.group.device = "another"; },
           [](Sample& one) { one.out_hash = *one.out_hash + 1; }, [](Sample& one) { one.out_hash.reset(); },
           [](Sample& one) { one.group.accumulation = "f16"; }}) {
    auto others = runs;
    for (Sample& one : others) {
      one.run += 50;
      change(one);
    }
    EXPECT_EQ(fit(joined(runs, others), {}).repeats, 0u);
  }
  auto half = runs;
  for (Sample& one : half)
    if (one.run += 50; one.node == "c") one.out_hash = *one.out_hash + 1;
  const Fit found = fit(joined(runs, half), {});
  EXPECT_EQ(found.repeats, 0u);
  EXPECT_THAT(found.notes, ElementsAre("50 comparisons of other runs are there already, and not counted again"));
}

TEST(FitPolicy, SaysWhereItsRulesComeFrom) {
  const Fit found = fit(runs_of({{"a \"quoted\\\"", "matmul", low}, {"b", "matmul", high}}, 60), {});
  const auto policy = policy::parse(policy_text(found, from), "p.toml");
  ASSERT_THAT(policy.rules, SizeIs(2));
  EXPECT_TRUE(policy.rules[0].is_fitted);
  EXPECT_EQ(policy.rules[0].require[0].limit.number, found.rules[0].limit);
  EXPECT_EQ(policy.budget.false_alarm_per_run, 1e-3);
  for (const char* part :
       {"n_seeds = 60", "method = \"gumbel-lmoments\"", "false_alarm = 0.0005", "confidence = 0.95",
        "at = \"2026-09-01\"", "commit = \"abc1234\"", "software = false", "node = \"a \\\"quoted\\\\\\\"\""})
    EXPECT_THAT(policy.text, HasSubstr(part));
}

TEST(FitPolicy, AnUpdateOnlyTightensUnlessAReasonIsGiven) {
  const Fit loose = fit(runs_of({{"a", "matmul", high}}, 60), {}), tight = fit(runs_of({{"a", "matmul", low}}, 60), {});
  const std::string by_hand =
      "\n# by hand\n[[rule]]\nid = \"rest\"\nmatch = {}\nrequire = { bound = \"auto\" }\n\n[output]\ny = { max_abs = 1 "
      "}\n";
  const auto old = policy::parse(policy_text(loose, from) + by_hand, "p.toml");
  const Updated tighter = updated_policy(old, tight, from, "");
  const auto now = policy::parse(tighter.text, "p.toml");
  ASSERT_THAT(now.rules, SizeIs(2));
  EXPECT_EQ(now.rules[0].require[0].limit.number, tight.rules[0].limit);
  EXPECT_THAT(tighter.text, HasSubstr(by_hand));
  const Updated kept = updated_policy(now, loose, from, "");
  EXPECT_EQ(kept.text, now.text);
  EXPECT_THAT(kept.notes, ElementsAre(HasSubstr("would be looser")));
  const auto looser = policy::parse(updated_policy(now, loose, from, "new shader").text, "p.toml");
  EXPECT_EQ(looser.rules[0].require[0].limit.number, loose.rules[0].limit);
  EXPECT_EQ(looser.rules[0].reason, "new shader");
  EXPECT_THROW(updated_policy(looser, fit(runs_of({{"a", "matmul", {0.6, 0.03}}}, 60), {}), from, "new shader"),
               ir::Error);
}

TEST(FitPolicy, NewRulesGoWhereTheyAreReached) {
  const auto old = policy::parse(
      "schema = \"plumb-policy/1\"\n[[rule]]\nid = \"rest\"\nmatch = {}\nrequire = { bound = \"auto\" }\n", "p.toml");
  const Fit found = fit(runs_of({{"a", "matmul", low}}, 60), {});
  const auto now = policy::parse(updated_policy(old, found, from, "").text, "p.toml");
  ASSERT_THAT(now.rules, SizeIs(2));
  EXPECT_TRUE(now.rules[0].is_fitted);
  const auto strict = policy::parse(
      "schema = \"plumb-policy/1\"\n[[rule]]\nid = \"all\"\nmatch = {}\nrequire = { ratio_max = 0.1 }\n", "p.toml");
  EXPECT_THROW(updated_policy(strict, found, from, ""), ir::Error);
}

/// σ does not depend on how many of them the limits of a run allow for, ratios do (verdict.md V53).
TEST(Fit, SigmaIsFittedWhereItIsKnownAndMisroundingIn16Bits) {
  auto samples = runs_of({{"a", "matmul", low}}, 60);
  for (Sample& one : samples) {
    one.lambda = one.run % 2 == 0 ? 7 : 8;
    one.sigma = 7 * one.ratio;
    one.ratio = one.sigma / one.lambda;
  }
  const Fit by_sigma = fit(samples, {});
  ASSERT_THAT(by_sigma.rules, SizeIs(1));
  EXPECT_EQ(by_sigma.rules[0].measure, policy::Measure::sigma_max);
  EXPECT_NEAR(by_sigma.rules[0].gumbel.location, 7 * low.location, 0.05);
  const auto policy = policy::parse(policy_text(by_sigma, from), "p.toml");
  ASSERT_THAT(policy.rules.at(0).require, SizeIs(2));  // and the bound
  EXPECT_EQ(policy.rules[0].require[0].measure, policy::Measure::sigma_max);
  EXPECT_EQ(policy.rules[0].require[0].limit.number, by_sigma.rules[0].limit);
  // A rule on ratios is not replaced by one on σ unless somebody says why.
  auto by_ratio = by_sigma;
  by_ratio.rules[0].measure = policy::Measure::ratio_max;
  by_ratio.rules[0].limit = 0.3;
  const auto old = policy::parse(policy_text(by_ratio, from), "p.toml");
  const Updated kept = updated_policy(old, by_sigma, from, "");
  EXPECT_EQ(kept.text, old.text);
  EXPECT_THAT(kept.notes, ElementsAre(HasSubstr("cannot be told")));
  EXPECT_THAT(updated_policy(old, by_sigma, from, "by sigma now").text, HasSubstr("sigma_max = "));
  // A limit above what a run allowed for is needless.
  for (Sample& one : samples) one.sigma *= 4;
  EXPECT_THAT(fit(samples, {}).notes, ElementsAre(HasSubstr("nothing to tighten, the fitted sigma_max is")));
  for (Sample& one : samples) {
    one.group.dtype = "f16";
    one.misrounded = 0.1 * one.ratio;
  }
  const Fit of_halves = fit(samples, {});
  ASSERT_THAT(of_halves.rules, SizeIs(1));
  EXPECT_EQ(of_halves.rules[0].measure, policy::Measure::misrounded);
  samples.back().misrounded = compare::not_computed;
  for (Sample& one : samples) one.sigma /= 4;
  EXPECT_EQ(fit(samples, {}).rules.at(0).measure, policy::Measure::sigma_max);
}

/// From verify to fit to judge, through files.
TEST(Fit, WhatVerifyRecordsCanBeFittedAndJudged) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "plumb_fit.h5";
  std::filesystem::remove(path);
  {
    testing::Suspect honest;
    results::Recorder recorder(path, {.device = {.uuid = "00ff", .name = "a device"}});
    for (std::uint64_t seed = 1; seed <= 30; ++seed)
      recorder.record(testing::verify_on(honest, testing::make_case(testing::small_graph, seed), {}, recorder));
    recorder.finish();
  }
  const Samples read = read_samples(path, 100);
  EXPECT_EQ(read.runs, 30u);
  EXPECT_EQ(read.samples.front().run, 100u);
  EXPECT_EQ(read.samples.front().group, (Group{"matmul", "f32", "f32", "f32", "a device"}));
  EXPECT_FALSE(read.samples.front().is_software);
  EXPECT_EQ(count_once(read.samples).runs, 0u);
  EXPECT_EQ(count_once(joined(read.samples, read_samples(path, 200).samples)).runs, 30u);
  const Fit found = fit(read.samples, {});
  EXPECT_THAT(found.findings, IsEmpty());
  ASSERT_FALSE(found.rules.empty());
  const auto policy = policy::parse(policy_text(found, from), "p.toml");
  for (const results::JudgedRun& run : results::judge_results(path, &policy, policy::today())) {
    EXPECT_EQ(run.verdict, run.was);
    EXPECT_TRUE(run.nodes[0].rule.has_value());
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace plumb::parity::studies::fit::fit_test
