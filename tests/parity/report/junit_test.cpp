// JUnit XML whatever names and messages hold, and which verdict passes, fails or is skipped.

#include "parity/report/junit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb::parity::report_test {
namespace {

using ::testing::HasSubstr;

TEST(Junit, NamesThatBecomeTheSameAreToldApart) {
  const report::Suite suite{.name = "s", .tests = {{.group = "g", .name = "a\x01"}, {.group = "g", .name = "a\x02"}}};
  const auto xml = report::to_junit({{suite}});
  EXPECT_THAT(xml, HasSubstr("name=\"a\uFFFD\""));
  EXPECT_THAT(xml, HasSubstr("name=\"a\uFFFD #2\""));
}

TEST(Junit, OfTooManyTestsThoseThatPassedAreLeftOutAndCounted) {
  report::Suite suite{.name = "s"};
  for (int k = 0; k < 20'001; ++k) suite.tests.push_back({.group = "g", .name = std::to_string(k)});
  suite.tests[7].end = report::TestEnd::failure;
  const auto xml = report::to_junit({{suite}});
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("name=\"left_out\" value=\"20000\""));
  EXPECT_THAT(xml, HasSubstr("name=\"7\""));
}

TEST(Junit, TheFileStaysBelowWhatReadersTakeAlsoWhereEverythingFails) {
  report::Suite suite{.name = "s"};
  for (int k = 0; k < 30; ++k)
    suite.tests.push_back({.group = "g",
                           .name = std::to_string(k),
                           .end = report::TestEnd::failure,
                           .details = std::string(1'000'000, 'x')});
  const auto xml = report::to_junit({{suite}});
  EXPECT_LT(xml.size(), 25'010'000u);
  EXPECT_THAT(xml.substr(0, 1000), HasSubstr("tests=\"24\" failures=\"24\""));
  EXPECT_THAT(xml.substr(0, 1000), HasSubstr("name=\"left_out\" value=\"6\""));
}

TEST(Suites, OnlyStrictFailsWhatWasNotVerified) {
  for (const core::Verdict one :
       {core::Verdict::mistrusted, core::Verdict::fallback, core::Verdict::unsupported, core::Verdict::out_of_range}) {
    EXPECT_EQ(report::end_of(one, false), report::TestEnd::skipped);
    EXPECT_EQ(report::end_of(one, true), report::TestEnd::failure);
  }
  EXPECT_EQ(report::end_of(core::Verdict::xpassed, false), report::TestEnd::passed);
  EXPECT_EQ(report::end_of(core::Verdict::xpassed, true), report::TestEnd::failure);
}

/// The suite of one case that came to that, by what was demanded.
report::Suite suite_of(cases::CaseResult result, const core::Demands& demands) {
  core::CaseEnd end{.usual = result.exit, .verdict = result.verdict};
  for (const cases::NodeResult& node : result.nodes) end.nodes.push_back(node.verdict);
  result.subject.name = "g.json";
  const report::RunFacts facts{.outcome = core::outcome_of({&end, 1}, demands)};
  return report::suites_of({&result, 1}, facts).at(0);
}

TEST(Suites, WhatIsDemandedAndNotThereIsAFailure) {
  const cases::CaseResult unread{.subject = {},
                                 .verdict = core::Verdict::unsupported,
                                 .exit = core::ExitCode::nothing_ran,
                                 .meets_must = false,
                                 .message = "no driver: none",
                                 .notes = {},
                                 .nodes = {},
                                 .repro = {}};
  const report::Suite missed = suite_of(unread, {.verified = true});
  ASSERT_EQ(missed.tests.size(), 1u);
  EXPECT_EQ(missed.tests[0].end, report::TestEnd::failure);
  EXPECT_EQ(missed.tests[0].message, "not verified: no driver: none");
  EXPECT_TRUE(missed.tests[0].is_unmet);
  EXPECT_EQ(suite_of(unread, {}).tests.at(0).end, report::TestEnd::skipped);
  // Nothing ran that anybody could be strict about: the run ends with 77.
  EXPECT_EQ(suite_of(unread, {.strict = true}).tests.at(0).end, report::TestEnd::skipped);
}

TEST(Suites, ANodeOnTheHostFailsUnderStrictAndTheCaseBesideItWhereOnlyThatWasAskedFor) {
  cases::CaseResult result{.subject = {},
                           .verdict = core::Verdict::mistrusted,
                           .exit = core::ExitCode::passed,
                           .meets_must = false,
                           .message = "",
                           .notes = {},
                           .nodes = {},
                           .repro = {}};
  result.nodes = {cases::result_of({.label = "y", .op = "softmax"})};
  result.nodes.front().verdict = core::Verdict::fallback;
  result.coverage = {0.5, 0.25};
  const report::Suite strict = suite_of(result, {.strict = true});
  ASSERT_EQ(strict.tests.size(), 1u);
  EXPECT_EQ(strict.tests[0].name, "y");
  EXPECT_EQ(strict.tests[0].end, report::TestEnd::failure);
  const report::Suite verified = suite_of(result, {.verified = true});
  ASSERT_EQ(verified.tests.size(), 2u);
  EXPECT_EQ(verified.tests[0].end, report::TestEnd::skipped);
  EXPECT_EQ(verified.tests[1].name, "(case)");
  EXPECT_EQ(verified.tests[1].end, report::TestEnd::failure);
  EXPECT_EQ(verified.tests[1].message,
            "not verified: 50 % of FLOPs and 25 % of elements, of which 90 % and 50 % are asked for");
}

TEST(Suites, WhatIsWrongWithTheRunIsATestOfItsOwn) {
  core::Outcome outcome{.findings = {core::cut_off(1, 2), {.kind = "expired_rule", .text = "rule r expired"}}};
  const auto ends = [&] {
    std::vector<report::TestEnd> found;
    const auto suites = report::suites_of_run(outcome);
    for (const report::Test& test : suites.at(0).tests) found.push_back(test.end);
    return found;
  };
  EXPECT_EQ(ends(), (std::vector{report::TestEnd::failure, report::TestEnd::skipped}));
  outcome.demands.strict = true;
  EXPECT_EQ(ends(), (std::vector{report::TestEnd::error, report::TestEnd::failure}));
  outcome.findings.clear();
  EXPECT_TRUE(report::suites_of_run(outcome).empty());
}

TEST(Suites, TheCaseIsATestWhereNothingElseSaysWhatCameOfIt) {
  report::Suite suite{.tests = {{.name = "y", .end = report::TestEnd::failure}}};
  report::add_case(suite, {.name = "(case)", .end = report::TestEnd::failure});
  EXPECT_EQ(suite.tests.size(), 1u);
  report::add_case(suite, {.name = "(case)", .end = report::TestEnd::error});
  EXPECT_EQ(suite.tests.back().name, "(case)");
}

TEST(Suites, WhatARuleRefusesWithinTheLimitsHasNoElementsBeyondThem) {
  cases::CaseResult result;
  result.subject.name = "g.json";
  cases::NodeResult& node = result.nodes.emplace_back();
  node.label = "y";
  node.op = "relu";
  node.verdict = core::Verdict::failed;
  node.why = "max_abs is 1e-9: rule r";
  node.local.n = 6192;
  node.local.worst = {{.index = 4316, .expected = 1, .got = 1, .allowed = 1, .ratio = 0.5}};
  EXPECT_THAT(report::suites_of({&result, 1}, {}).at(0).tests.at(0).details,
              HasSubstr("none of 6192 elements is beyond its limit; nearest [4316]: expected 1, got 1, allowed 1\n"));
  node.local.n_bad = 2;
  EXPECT_THAT(report::suites_of({&result, 1}, {}).at(0).tests.at(0).details,
              HasSubstr("2 of 6192 elements; worst [4316]: expected 1, got 1, allowed 1\n"));
}

}  // namespace
}  // namespace plumb::parity::report_test
