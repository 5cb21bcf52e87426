// Reports to GitHub Actions: ten annotations of a kind, names that are no commands, a summary that is kept short.

#include "parity/report/github.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace plumb::parity::github_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto hostile = "a</script>\"'&::error::%0A]]>|x`@y\n::warning::z";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);) lines.push_back(line);
  return lines;
}

report::Test failed(const std::string& name, double ratio) {
  return {.group = "g.json",
          .name = name,
          .node = name,
          .op = "softmax",
          .end = report::TestEnd::failure,
          .type = "failed",
          .message = "ratio 7.4",
          .details = "ratio 7.4\nrepro: plumb verify g.json --filter '^" + name + "$'\n",
          .ratio = ratio};
}

report::Suite suite_of(std::vector<report::Test> tests) {
  return {.name = "g.json", .file = "g.json", .verdict = "failed", .tests = std::move(tests)};
}

TEST(GitHub, OfThirtyFailuresTheNineWorstAreShownAndThatThereAreMore) {
  report::Suite suite = suite_of({});
  for (int k = 0; k < 30; ++k) suite.tests.push_back(failed("n" + std::to_string(k), k));
  const auto lines = lines_of(report::to_annotations({{suite}}, ""));
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_EQ(lines[0], "::error title=softmax failed%3A n29::ratio 7.4%0Arepro: plumb verify g.json --filter '^n29$'");
  EXPECT_THAT(lines[8], HasSubstr(" n21::"));
  EXPECT_EQ(lines[9], "::error title=plumb::and 21 more");
}

TEST(GitHub, OfTenFailuresAllAreShown) {
  report::Suite suite = suite_of({});
  for (int k = 0; k < 10; ++k) suite.tests.push_back(failed("n" + std::to_string(k), k));
  EXPECT_THAT(lines_of(report::to_annotations({{suite}}, ""))[9], HasSubstr(" n0::"));
}

TEST(GitHub, WarnsOfWhatIsMistrustedOfWhatPassedAgainstExpectationAndOfExcusesThatEnd) {
  const report::Suite suite =
      suite_of({{.name = "a", .end = report::TestEnd::skipped, .type = "mistrusted"},
                {.name = "b", .end = report::TestEnd::passed, .type = "xpassed"},
                {.name = "c", .end = report::TestEnd::skipped, .type = "xfailed"},
                {.name = "d", .end = report::TestEnd::skipped, .type = "xfailed", .ends_soon = true},
                {.name = "e", .end = report::TestEnd::passed, .type = "passed"},
                {.name = "f", .end = report::TestEnd::failure, .type = "mistrusted"}});
  const auto text = report::to_annotations({{suite}}, "");
  EXPECT_EQ(lines_of(text).size(), 4u);
  EXPECT_THAT(text, StartsWith("::error title=mistrusted%3A f::"));  // --strict fails it
  EXPECT_THAT(text, HasSubstr("\n::warning title=mistrusted%3A a::"));
  EXPECT_THAT(text, HasSubstr("\n::warning title=xpassed%3A b::"));
  EXPECT_THAT(text, HasSubstr("\n::warning title=xfailed%3A d::"));
}

TEST(GitHub, NoNameOfANodeBecomesACommandOrMarkup) {
  const report::Suite suite = suite_of({failed(hostile, 2)});
  const auto lines = lines_of(report::to_annotations({{suite}}, ""));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("%3A%3Aerror%3A%3A%250A]]>|x`@y%0A%3A%3Awarning%3A%3Az::ratio 7.4%0A"));
  const auto page = report::to_markdown({{suite}}, {.device = "<b>", .driver = "d"}, 1 << 20);
  EXPECT_THAT(page, HasSubstr("a\\<\\/script\\>\\\"\\'\\&\\:\\:error"));
  for (const std::string& line : lines_of(page))  // but in a block of code
    EXPECT_TRUE(line.starts_with("    plumb verify ") || line.find("</script>") == line.npos) << line;
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  for (const std::string& line : lines_of(page)) EXPECT_THAT(line, Not(MatchesRegex(" ? ? ?::.*")));
}

TEST(GitHub, AFileOfTheWorkspaceIsNamedWithTheLineOfTheLabel) {
  const fs::path folder = fs::path(::testing::TempDir()) / "plumb_github";
  fs::create_directories(folder / "graphs");
  const fs::path file = folder / "graphs" / "g.json";
  std::ofstream(file) << "{\n \"inputs\": {\"p\": 1},\n \"nodes\": [\n  {\"op\": \"p\", \"label\" : \"p\"}]}";
  report::Suite suite = suite_of({failed("p", 2), failed("p:1", 1), failed("gone", 0)});
  suite.file = file.string();
  const auto lines = lines_of(report::to_annotations({{suite}}, folder));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], StartsWith("::error file=graphs/g.json,line=4,title="));
  EXPECT_THAT(lines[1], StartsWith("::error file=graphs/g.json,line=4,title="));
  EXPECT_THAT(lines[2], StartsWith("::error file=graphs/g.json,title="));
  EXPECT_THAT(report::to_annotations({{suite}}, folder / "elsewhere"), StartsWith("::error title="));
  fs::remove_all(folder);
}

TEST(GitHub, TheSummaryNamesWhatFailedAndHowToRepeatIt) {
  const auto page = report::to_markdown({{suite_of({failed("p", 7.4)})}}, {.device = "dev", .driver = "drv"}, 1 << 20);
  EXPECT_THAT(page, StartsWith("### plumb: 1 test failed\n"));
  EXPECT_THAT(page, HasSubstr("| failed | 1 |"));
  EXPECT_THAT(page, HasSubstr("| g\\.json p | softmax |  |  | 7.4 |  |"));
  EXPECT_THAT(page, HasSubstr("<details>"));
  EXPECT_THAT(page, HasSubstr("\n    plumb verify g.json --filter '^p$'\n"));
}

TEST(GitHub, TheHeadlineSaysWhatWasNotVerifiedOrCutOff) {
  report::Test missed = {.group = "g.json", .name = "(case)", .end = report::TestEnd::failure, .is_unmet = true};
  missed.message = "not verified: no driver: vkCreateInstance; install one";
  const auto head = [](const std::vector<report::Suite>& suites, const report::RunFacts& facts) {
    return lines_of(report::to_markdown(suites, facts, 1 << 20)).at(0);
  };
  EXPECT_EQ(head({suite_of({missed})}, {}), "### plumb: not verified: no driver");
  EXPECT_EQ(head({suite_of({missed}), suite_of({missed})}, {}), "### plumb: not verified: no driver");
  EXPECT_EQ(head({suite_of({missed})}, {.device = "d"}),
            "### plumb: not verified: no driver\\: vkCreateInstance");  // with a device, a colon is part of the reason
  report::Test other = missed;
  other.message = "not verified: it is skipped";
  EXPECT_EQ(head({suite_of({missed, other})}, {}), "### plumb: not verified: 2 tests");
  EXPECT_EQ(head({suite_of({missed, failed("p", 2)})}, {}), "### plumb: 1 test failed; not verified: no driver");
  const report::RunFacts cut{.outcome = {.findings = {core::cut_off(1, 2)}}};
  std::vector<report::Suite> suites = {suite_of({failed("p", 2)})};
  for (report::Suite& suite : report::suites_of_run(cut.outcome)) suites.push_back(std::move(suite));
  EXPECT_EQ(head(suites, cut), "### plumb: cut off\\: 1 of 2 cases; 1 test failed");
  report::RunFacts of_file = cut;
  of_file.outcome.findings[0].text = "<b>.h5: " + of_file.outcome.findings[0].text;
  EXPECT_EQ(head(suites, of_file), "### plumb: \\<b\\>\\.h5\\: cut off\\: 1 of 2 cases; 1 test failed");
  EXPECT_THAT(report::to_markdown(suites, cut, 1 << 20), HasSubstr("| failed | 1 |\n"));
  EXPECT_THAT(report::to_annotations(suites, ""), HasSubstr("::error title=cut_off%3A (run)::cut off: 1 of 2 cases\n"));
}

TEST(GitHub, TheSummaryOfAStepStaysShortAndKeepsWhatOthersWrote) {
  const fs::path file = fs::path(::testing::TempDir()) / "plumb_github_summary.md";
  const std::string others(800 * 1024, 'x');
  report::Suite suite = suite_of({});
  for (int k = 0; k < 30; ++k) suite.tests.push_back(failed(std::string(10'000, 'y') + std::to_string(k), k));
  std::ofstream(file) << others;
  report::append_summary(file, {{suite}}, {});
  std::ifstream from(file);
  const std::string text((std::istreambuf_iterator<char>(from)), {});
  EXPECT_TRUE(text.starts_with(others));
  EXPECT_GT(text.size(), others.size());
  EXPECT_LE(text.size(), 900u * 1024);
  EXPECT_THAT(text.substr(others.size()), HasSubstr(" more, which are left out here\n"));
  fs::remove(file);
}

TEST(GitHub, WhatPeopleReadStandsBetweenCommandsThatNobodyCanGuess) {
  std::ostringstream out;
  report::stop_workflow_commands(out);
  out << "::error::a name\n";
  report::resume_workflow_commands();
  report::resume_workflow_commands();  // once is enough
  EXPECT_THAT(out.str(), MatchesRegex("::stop-commands::plumb-[0-9a-f]+\n::error::a name\n::plumb-[0-9a-f]+::\n"));
}

TEST(GitHub, ATestThatIsWithinItsLimitsHasItsReasonInTheSummary) {
  report::Test stated = failed("p", 0);
  stated.message = "the truth is not what the file expects: 1 of 3 elements are stated wrong";
  EXPECT_THAT(report::to_markdown({{suite_of({stated})}}, {}, 1 << 20),
              HasSubstr("| 0 | the truth is not what the file expects\\: 1 of 3 elements are stated wrong |"));
}

}  // namespace
}  // namespace plumb::parity::github_test
