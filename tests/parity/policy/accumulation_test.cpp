#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/report/report.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/parity/suspect.hpp"

namespace plumb::parity::policy::accumulation_test {
namespace {

using ::testing::HasSubstr;

constexpr auto two_products = R"({"format": "plumb.graph/1", "why": "products of f16, one of them summed in f16",
  "inputs": {"x": {"type": "f16[4, 8]"}}, "params": {"w": {"type": "f16[8, 4]"}},
  "nodes": [{"label": "narrow", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "wide", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "sum", "op": "binary", "inputs": ["narrow", "wide"], "function": "add"}],
  "results": ["sum"]})";

/// Verifies the graph on a candidate that says how it adds.
cases::CaseResult verified(const Gate& gate) {
  testing::Suspect suspect;
  suspect.describe = [](const ir::Node& node, ir::NodeReport& report) {
    if (node.label == "sum") return;
    report.kernel = node.label == "narrow" ? "coopmat_f16_acc16" : "coopmat_f16";
    report.tile = node.label == "narrow" ? "64x64x16" : "128x128x32";
    report.sums = {{.unit = ir::SumUnit::matrix,
                    .accumulator = node.label == "narrow" ? ir::DType::f16 : ir::DType::f32,
                    .levels = {{16, ir::SumTake::run, ir::SumJoin::unit}, {}}}};
  };
  ref_cpu::CpuExecutor reference;
  cases::Observer observer;
  return verify::verify(testing::make_case(two_products), {.reference = reference, .candidate = &suspect},
                        {.gate = &gate}, observer);
}

/// Which nodes a rule with this `match` decides.
std::vector<std::string> decided(const std::string& match) {
  const Gate gate{.policy = parse("schema = \"plumb-policy/1\"\n[[rule]]\nid = \"r\"\nmatch = { " + match +
                                      " }\nrequire = { ratio_max = 1 }\n",
                                  "p.toml")};
  std::vector<std::string> names;
  for (const cases::NodeResult& node : verified(gate).nodes)
    if (node.rule) names.push_back(node.label);
  return names;
}

TEST(Accumulation, IsThatOfTheKernelWhateverTheOutputIs) {
  EXPECT_THAT(decided("accumulation = \"f16\""), ::testing::ElementsAre("narrow"));
  EXPECT_THAT(decided("accumulation = \"f32\""), ::testing::ElementsAre("wide", "sum"));
}

TEST(Accumulation, KernelAndTileSelectNodesByPatterns) {
  EXPECT_THAT(decided("kernel = \"*acc16\""), ::testing::ElementsAre("narrow"));
  EXPECT_THAT(decided("kernel = \"coopmat*\""), ::testing::ElementsAre("narrow", "wide"));
  EXPECT_THAT(decided("tile = \"128x*\""), ::testing::ElementsAre("wide"));
}

TEST(Accumulation, LimitsCountInItsRoundoff) {
  const ir::Graph graph = testing::make_case(two_products).file->graph;
  const auto nodes = verified({}).nodes;
  EXPECT_EQ(facts_of({}, graph, nodes[0]).u, 0x1p-11);
  EXPECT_EQ(facts_of({}, graph, nodes[1]).u, 0x1p-24);
}

TEST(Accumulation, IsInTheReportWithTileAndSums) {
  Gate gate;
  gate.explain = "narrow";
  const cases::CaseResult result = verified(gate);
  EXPECT_THAT(result.nodes[0].explanation,
              HasSubstr("accumulation f16, k_reduce 8, kernel 'coopmat_f16_acc16', tile '64x64x16'"));
  const auto nodes = nlohmann::json::parse(report::to_json(std::vector{result})).at("cases").at(0).at("nodes");
  EXPECT_EQ(nodes.at(0).at("accumulation"), "f16");
  EXPECT_EQ(nodes.at(0).at("tile"), "64x64x16");
  EXPECT_EQ(nodes.at(0).at("sums").at(0).at("unit").at("kind"), "matrix");
  EXPECT_EQ(nodes.at(0).at("sums").at(0).at("levels").at(0).at("count"), 16);
  EXPECT_EQ(nodes.at(2).at("accumulation"), nullptr);
  EXPECT_TRUE(nodes.at(2).at("sums").empty());
}

}  // namespace
}  // namespace plumb::parity::policy::accumulation_test
