// Counts of a campaign: comparisons by op, dtype, kernel and fill, alarms in full, and how near to its limits it
// came.
#include "parity/report/counts.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/parity/small_case.hpp"

namespace plumb::parity::report_test {
namespace {

using Json = nlohmann::ordered_json;
using testing::make_case;
using testing::small_graph;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;

/// The count of an op, summed over everything else.
std::uint64_t total(const nlohmann::ordered_json& counts, std::string_view op, const char* what) {
  std::uint64_t sum = 0;
  for (const auto& one : counts["counts"])
    if (one["op"] == op) sum += one[what].get<std::uint64_t>();
  return sum;
}

TEST(Counts, AreOfComparisonsByWhatWasCompared) {
  report::Counts counts;
  Suspect honest;
  for (const std::uint64_t seed : {1, 2, 3}) {
    auto result = verify_on(honest, make_case(small_graph, seed));
    if (seed == 3) result.subject.adversarial = ir::AdversarialKind::wave;
    counts.add(result);
  }
  const auto json = Json::parse(counts.to_json());
  EXPECT_EQ(json["format"], "plumb.counts/1");
  EXPECT_EQ(total(json, "matmul", "compared"), 6u) << "two nodes of three cases";
  EXPECT_EQ(total(json, "softmax", "compared"), 3u);
  EXPECT_EQ(total(json, "matmul", "elements"), 3u * (7 * 11 + 11 * 5));
  EXPECT_EQ(total(json, "matmul", "alarms"), 0u);
  EXPECT_TRUE(json["alarms"].empty());
  std::set<std::string> of_wave;
  for (const auto& one : json["counts"]) {
    if (one["fill"] == "wave") of_wave.insert(one["op"]);
    EXPECT_LE(one["within"], 1.0);
  }
  EXPECT_EQ(of_wave, (std::set<std::string>{"cast", "matmul", "softmax", "transpose"}));
}

TEST(Counts, KeepEveryAlarmWithTheCommandThatRepeatsIt) {
  report::Counts counts;
  Suspect suspect = spoiler("weights", [](ir::Tensor& y) { y.as<float>()[3] += 1; });
  counts.add(verify_on(suspect, make_case(small_graph)));
  const auto json = Json::parse(counts.to_json());
  EXPECT_EQ(total(json, "softmax", "alarms"), 1u);
  ASSERT_EQ(json["alarms"].size(), 1u);
  EXPECT_EQ(json["alarms"][0]["op"], "softmax");
  EXPECT_EQ(json["alarms"][0]["verdict"], "failed");
  EXPECT_NE(json["alarms"][0]["repro"].get<std::string>().find("--filter '^weights$'"), std::string::npos);
  EXPECT_EQ(json["cases"]["failed"], 1u);
}

TEST(Counts, SayWhatCouldNotBeRun) {
  report::Counts counts;
  cases::CaseResult result;
  result.message = "no such file";
  counts.add(result);
  EXPECT_EQ(Json::parse(counts.to_json())["not_run"]["no such file"], 1u);
  EXPECT_TRUE(Json::parse(counts.to_json())["counts"].empty());
}

}  // namespace
}  // namespace plumb::parity::report_test
