#include "parity/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_report.hpp"
#include "parity/results/results_schema.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::report_test {
namespace {

using ::testing::HasSubstr;
using testing::make_case;
using ::testing::Not;
using testing::small_graph;
using testing::Suspect;
using testing::verify_on;

cases::CaseResult with_a_wrong_node() {
  auto suspect = testing::spoiler("weights", [](ir::Tensor& y) { y.as<float>()[3] = NAN; });
  suspect.on_host = {"back"};
  return verify_on(suspect, make_case(small_graph, 7), {.flags = " --device 1"});
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

TEST(Report, PutsTheWorstFirstWithItsReasonAndWhatRunsItAgain) {
  const auto text = lines(report::to_table(with_a_wrong_node(), report::Detail::all));
  ASSERT_EQ(text.size(), 13u);
  EXPECT_EQ(with_a_wrong_node().nodes.back().total.max_abs.value, 0);  // so that there is no line of blame
  EXPECT_THAT(text[0], ::testing::MatchesRegex(
                           "node +op +dtype +error +ratio +ulp +allowed +inherited +amp +place +us +verdict"));
  EXPECT_THAT(text[1], ::testing::MatchesRegex("weights +softmax +f32 .* inf .*gpu +1.0 +failed"));
  EXPECT_THAT(text[2], HasSubstr("    1 of 77 elements differ; the worst is element 3: expected 0."));
  EXPECT_THAT(text[2], HasSubstr(", got nan"));
  EXPECT_EQ(text[3], "    repro: plumb verify small.json --seed 7 --device 1 --filter '^weights$'");
  EXPECT_THAT(text[4], ::testing::MatchesRegex("back .*cpu .*fallback"));
  EXPECT_EQ(text[5], "    ran on the host: has no kernel");
  EXPECT_THAT(text[9], HasSubstr("first guilty: weights (softmax): it gives nan where its inputs make 0."));
  EXPECT_THAT(text[10], ::testing::MatchesRegex("oracles: [0-9]+ elements of 5 nodes were evaluated again, 0 bad"));
  EXPECT_THAT(text[11],
              HasSubstr("note: first NaN: node 'weights' (fault), 1 element, 2 nodes inherit; element 3 from "));
  EXPECT_THAT(text.back(),
              HasSubstr("small.json: failed | 5 nodes: 3 passed 1 failed 1 fallback | verified 59 % of FLOPs, 83 % of "
                        "elements | max ratio inf | seed 7 | "));
}

TEST(Report, SaysHowFarF16IsOff) {
  cases::CaseResult result;
  const auto add = [&](const char* label, ir::DType dtype, double largest, cases::Special special) {
    cases::NodeResult node = cases::result_of({.label = label, .type = {dtype, {2}}});
    node.local.n = 2;
    node.local.expected_absmax = largest;
    node.special.of = special;
    result.nodes.push_back(std::move(node));
  };
  const auto said = [&] {
    return lines(report::to_table(result, report::Detail::all, {}, {}, report::Headroom::shown));
  };
  add("zeros", ir::DType::f16, 0, cases::Special::none);
  add("whole", ir::DType::i32, 5, cases::Special::none);
  add("half", ir::DType::f16, 65504.0 / 8, cases::Special::none);
  EXPECT_THAT(said()[3], ::testing::MatchesRegex("half .* 3.0  skipped"));
  EXPECT_THAT(said()[2], ::testing::MatchesRegex("whole .* -  skipped"));
  EXPECT_THAT(said()[1], ::testing::MatchesRegex("zeros .* -  skipped"));
  EXPECT_THAT(said(), ::testing::Contains("least headroom of f16: 3.0 bits, at 'half'"));
  add("wide", ir::DType::f32, 65504.0 * 4, cases::Special::none);
  EXPECT_THAT(said(), ::testing::Contains("least headroom of f16: -2.0 bits, at 'wide'"));
  add("over", ir::DType::f16, 1, cases::Special::overflow);
  EXPECT_THAT(said(), ::testing::Contains("least headroom of f16: none, at 'over'"));
  EXPECT_THAT(report::to_table(result, report::Detail::all), Not(HasSubstr("headroom")));
}

TEST(Report, TotalsAreFoldedBetweenTheirPartsAlone) {
  const auto text = lines(report::to_table(with_a_wrong_node(), report::Detail::verdicts, {.width = 60}));
  for (const std::string& line : text) EXPECT_TRUE(line.size() <= 60 || line.starts_with("    repro: ")) << line;
  EXPECT_THAT(text[text.size() - 2], ::testing::MatchesRegex("    \\| verified 59 % of FLOPs, 83 % of elements"));
  EXPECT_THAT(text.back(), ::testing::MatchesRegex("    \\| max ratio inf \\| seed 7 \\| [0-9.]+ s"));
}

TEST(Report, SaysMoreOrLess) {
  const auto result = with_a_wrong_node();
  EXPECT_THAT(report::to_table(result, report::Detail::verdicts), Not(HasSubstr("scores ")));
  EXPECT_THAT(report::to_table(result, report::Detail::verdicts), HasSubstr("... 3 more passed, with no larger ratio"));
  EXPECT_THAT(report::to_table(result, report::Detail::worst), HasSubstr("scores "));
}

TEST(Report, OfACaseThatDidNotRunIsItsMessage) {
  cases::CaseResult result;
  result.subject.name = "a.json";
  result.verdict = core::Verdict::unsupported;
  result.message = "no Vulkan driver";
  EXPECT_EQ(report::to_table(result, report::Detail::all), "a.json: unsupported: no Vulkan driver\n");
  EXPECT_EQ(report::summary_line(std::vector{result}), "1 case, 0 nodes: 1 unsupported");
}

TEST(Report, NamesTheCommandOfANodeWhoseNameIsAPattern) {
  auto text = std::string(small_graph);
  for (std::size_t at = 0; (at = text.find("\"back\"", at)) != std::string::npos;) text.replace(at, 6, "\"a.b[0]'s\"");
  auto suspect = testing::spoiler("a.b[0]'s", [](ir::Tensor& y) { y.as<float>()[0] += 1; });
  EXPECT_THAT(report::to_table(verify_on(suspect, make_case(text)), report::Detail::worst),
              HasSubstr("--filter '^a\\.b\\[0\\]'\\''s$'"));
}

TEST(ReportJson, SaysNullOfWhatWasNotComputed) {
  const std::vector<cases::CaseResult> cases = {with_a_wrong_node()};
  const auto json = nlohmann::json::parse(report::to_json(cases));
  const auto& one = json.at("cases").at(0);
  EXPECT_EQ(one.at("verdict"), "failed");
  EXPECT_EQ(one.at("exit"), 1);
  EXPECT_EQ(one.at("why"), "a little of everything");
  const auto& weights = one.at("nodes").at(1);
  EXPECT_EQ(weights.at("node"), "weights");
  EXPECT_EQ(weights.at("local").at("nan_got"), 1);
  EXPECT_EQ(weights.at("local").at("ratio"), "inf");
  EXPECT_EQ(weights.at("local").at("worst").at("got"), nullptr);
  EXPECT_FALSE(weights.at("total").contains("ratio"));  // it has no limit
  EXPECT_EQ(one.at("nodes").at(4).at("local").at("max_ulp").at("value"), nullptr);
}

TEST(ResultsReport, ListsRunsAndTheirWorstNodes) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "plumb_results_report.h5";
  {
    results::Recorder recorder(path, {.device = {.uuid = "00ff"}});
    recorder.record(with_a_wrong_node());
    recorder.finish();
  }
  const auto text = results::results_report(path, {.nodes_a_run = 1});
  std::filesystem::remove(path);
  EXPECT_THAT(text, HasSubstr(ir::cat("plumb.results ", results::schema_version, ", plumb ")));
  EXPECT_THAT(text, HasSubstr(", device 00ff, seed 7, 5 outputs, "));
  EXPECT_THAT(text, ::testing::ContainsRegex("weights +softmax .* failed\n"));
  EXPECT_THAT(text, HasSubstr("and 4 more"));
  // Why it failed, and where it is worst.
  EXPECT_THAT(text, HasSubstr("failed\n    1 of 77 elements differ"));
  EXPECT_THAT(text, ::testing::ContainsRegex("    element .[0-9]+, [0-9]+.: truth .*, device .*, off by .*, allowed "));
}

}  // namespace
}  // namespace plumb::parity::report_test
