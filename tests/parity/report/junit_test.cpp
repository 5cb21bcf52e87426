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

TEST(Suites, OnlyStrictFailsWhatIsMistrusted) {
  EXPECT_EQ(report::end_of(core::Verdict::mistrusted, false), report::TestEnd::skipped);
  EXPECT_EQ(report::end_of(core::Verdict::mistrusted, true), report::TestEnd::failure);
  EXPECT_EQ(report::end_of(core::Verdict::xpassed, false), report::TestEnd::passed);
  EXPECT_EQ(report::end_of(core::Verdict::xpassed, true), report::TestEnd::failure);
}

TEST(Suites, TheCaseIsATestWhereNothingElseSaysWhatCameOfIt) {
  report::Suite suite{.tests = {{.name = "y", .end = report::TestEnd::failure}}};
  report::add_case(suite, {.name = "(case)", .end = report::TestEnd::failure});
  EXPECT_EQ(suite.tests.size(), 1u);
  report::add_case(suite, {.name = "(case)", .end = report::TestEnd::error});
  EXPECT_EQ(suite.tests.back().name, "(case)");
}

}  // namespace
}  // namespace plumb::parity::report_test
