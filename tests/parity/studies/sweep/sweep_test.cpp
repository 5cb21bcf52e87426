#include "parity/studies/sweep/sweep.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "parity/cases/precision_plan.hpp"
#include "parity/studies/sweep/precision_savings.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::sweep_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_case;
using testing::Suspect;
using ::testing::ThrowsMessage;

ir::Tensor row_of(std::vector<float> values) {
  return ir::Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

TEST(Oscillation, IsTheMeanStepOverTheMeanSize) {
  EXPECT_DOUBLE_EQ(studies::sweep::oscillation(row_of({1, -1, 1, -1})), 2);
  EXPECT_DOUBLE_EQ(studies::sweep::oscillation(row_of({1, 2, 3, 4})), 1 / 2.5);
  EXPECT_DOUBLE_EQ(studies::sweep::oscillation(row_of({3, 3, 3})), 0);
  EXPECT_TRUE(std::isnan(studies::sweep::oscillation(row_of({3}))));
  EXPECT_TRUE(std::isnan(studies::sweep::oscillation(row_of({0, 0}))));
}

TEST(Oscillation, RefusesFromItsThresholdOnAndWideNodes) {
  const auto refusal = [](std::optional<double> value, std::int64_t columns) {
    return studies::sweep::refusal_by_oscillation({.columns = columns, .oscillation = value});
  };
  EXPECT_EQ(refusal(0.349, 768), "");
  EXPECT_EQ(refusal(0.35, 8), "its weight oscillates by 0.35, at least 0.35");
  EXPECT_EQ(refusal(0.1, 769), "it has 769 columns, over 768");
  EXPECT_EQ(refusal(std::nullopt, 8), "its second operand is no weight");
  EXPECT_NE(refusal(std::nan(""), 8), "");
}

TEST(Oscillation, ItsThresholdIsTheCallers) {
  const studies::sweep::Candidate node{.columns = 8, .oscillation = 0.5};
  EXPECT_EQ(studies::sweep::refusal_by_oscillation(node, 0.6), "");
  EXPECT_EQ(studies::sweep::refusal_by_oscillation(node, 0.5), "its weight oscillates by 0.5, at least 0.5");
}

TEST(Oscillation, IsOfParamsAndConstants) {
  const cases::Case subject = make_case(R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2, 2]"}},
    "params": {"w": {"type": "f32[2, 2]", "fill": {"distribution": "constant", "value": 3}}},
    "nodes": [{"label": "c", "op": "constant", "dtype": "f32", "shape": [2, 2], "values": [1, -1, 1, -1]},
              {"label": "a", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "b", "op": "matmul", "inputs": ["a", "c"]},
              {"label": "y", "op": "matmul", "inputs": ["b", "x"]}],
    "results": ["y"]})");
  const auto found = studies::sweep::candidates_of(subject.file->graph, subject.feeds, ir::passes::Precision::f16acc32);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].oscillation, 0);
  EXPECT_EQ(found[1].oscillation, 2);
  EXPECT_FALSE(found[2].oscillation);  // an input
}

TEST(WithinBudget, TakesWhatCostsLeastForItsWorkAndAddsSquares) {
  const std::vector<studies::sweep::Candidate> candidates = {
      {.flops = 1, .errors = {3}}, {.flops = 100, .errors = {4}}, {.flops = 1, .errors = {12}}};
  EXPECT_THAT(studies::sweep::candidates_within_budget(candidates, {0}, 5), ElementsAre(1, 0));  // 3² + 4² = 5²
  EXPECT_THAT(studies::sweep::candidates_within_budget(candidates, {0}, 4.9), ElementsAre(1));
  EXPECT_THAT(studies::sweep::candidates_within_budget(candidates, {1}, 5),
              ElementsAre(1));  // something is spent before
  EXPECT_THAT(studies::sweep::candidates_within_budget(candidates, {0}, 13), ElementsAre(1, 0, 2));
  EXPECT_THAT(studies::sweep::candidates_within_budget(candidates, {14}, 13), IsEmpty());
}

TEST(WithinBudget, KeepsEveryOutput) {
  const std::vector<studies::sweep::Candidate> candidates = {{.flops = 1, .errors = {0, 2}},
                                                             {.flops = 1, .errors = {3, 0}}};
  EXPECT_THAT(studies::sweep::candidates_within_budget(candidates, {0, 0}, 2.5), ElementsAre(0));
}

TEST(WithinBudget, TakesWhatSavesTimeWhereThatIsKnown) {
  const std::vector<studies::sweep::Candidate> candidates = {{.flops = 1, .errors = {3}, .saved_ns = 100},
                                                             {.flops = 100, .errors = {3}, .saved_ns = 10},
                                                             {.flops = 1000, .errors = {1}, .saved_ns = -5},
                                                             {.flops = 1000, .errors = {1}, .saved_ns = 0}};
  EXPECT_THAT(studies::sweep::candidates_within_budget(candidates, {0}, 100), ElementsAre(0, 1));
  EXPECT_THAT(studies::sweep::candidates_within_budget(candidates, {0}, 3.5), ElementsAre(0));
}

/// x·w, then a relu that is fused into it, and another product of x; times by label, and what is fused into what.
struct Clock {
  ir::Graph graph;
  std::map<std::string, std::uint64_t> times = {};
  std::map<std::string, std::string> fused = {};

  studies::sweep::Timed timed() const {
    studies::sweep::Timed all{graph, {}};
    for (const ir::Node& node : graph.nodes()) {
      ir::NodeReport& report = all.reports.emplace_back();
      if (const auto into = fused.find(node.label); into != fused.end())
        report.kernel = into->second;
      else
        report.nanoseconds = times.at(node.label);
    }
    return all;
  }
};

TEST(Savings, CountWhatAPlanBringsAndWhatItCutsOff) {
  const cases::Case subject = make_case(R"({"format": "plumb.graph/1", "why": "two products of x, one with a relu",
    "inputs": {"x": {"type": "f32[4, 4]"}}, "params": {"w": {"type": "f32[4, 4]"}},
    "nodes": [{"label": "a", "op": "matmul", "inputs": ["x", "w"]},
              {"label": "r", "op": "unary", "inputs": ["a"], "function": "relu"},
              {"label": "b", "op": "matmul", "inputs": ["r", "x"]},
              {"label": "s", "op": "softmax", "inputs": ["b"], "axis": -1}],
    "results": ["s"]})");
  const ir::passes::PrecisionPlan both = {{"a", ir::passes::Precision::f16acc32},
                                          {"b", ir::passes::Precision::f16acc32}};
  const Clock before{subject.file->graph, {{"r", 100}, {"b", 60}, {"s", 7}}, {{"a", "r"}}};
  Clock after{ir::passes::at_precision(subject.file->graph, both),
              {{"x.f16", 10}, {"w.f16", 4}, {"a", 30}, {"r", 20}, {"r.f16", 6}, {"b", 25}, {"s", 900}}};
  const auto saved = studies::sweep::savings(before.timed(), after.timed(), both);
  ASSERT_EQ(saved.size(), 2u);
  EXPECT_EQ(saved.at("a"), 100 - 30 - 20 - 4 - 5);  // half of x's cast
  EXPECT_EQ(saved.at("b"), 60 - 25 - 6 - 5);        // and nothing of the softmax, which has other reasons
  after.fused = {{"r", "r.f16"}};  // one kernel for the relu and the cast that b reads: both have part in it
  const auto shared = studies::sweep::savings(before.timed(), after.timed(), both);
  EXPECT_EQ(shared.at("a") + shared.at("b"), 160 - 30 - 25 - 4 - 10 - 6);
  for (auto& [label, time] : after.times) time = 0;
  EXPECT_THAT(studies::sweep::savings({subject.file->graph, std::vector<ir::NodeReport>(4)}, after.timed(), both),
              IsEmpty());
}

TEST(PrecisionPlan, IsAFileThatSaysTheSameWhenReadAgain) {
  const ir::passes::PrecisionPlan plan = {{"layer/0 \"q\"", ir::passes::Precision::f16acc32},
                                          {"b.c", ir::passes::Precision::f32}};
  const std::string text = cases::to_toml(plan, "plumb sweep 'a\\b'");
  EXPECT_EQ(cases::parse_plan(text, "p.toml"), plan) << text;
}

TEST(PrecisionPlan, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const std::string& text, const char* why) {
    EXPECT_THAT([&] { cases::parse_plan(text, "p.toml"); }, ThrowsMessage<ir::Error>(HasSubstr(why)));
  };
  const std::string schema = "schema = \"plumb-precision/1\"\n";
  refused("", "p.toml: wanted schema");
  refused(schema + "nods = {}", "p.toml:2: wanted schema, source or [nodes], found 'nods'");
  refused(schema + "[nodes]\na = \"f8\"", "p.toml:3: node 'a': wanted \"f32\"");
  refused(schema + "[nodes]\na = 16", "p.toml:3: node 'a'");
  refused(schema + "nodes = 1", "nodes must be a table");
}

constexpr auto two_layers = R"({"format": "plumb.graph/1", "why": "one weight that oscillates, one that does not",
  "inputs": {"x": {"type": "f32[9, 40]"}},
  "params": {"w": {"type": "f32[40, 64]"},
             "v": {"type": "f32[64, 6]", "fill": {"distribution": "uniform", "low": 0.99, "high": 1}}},
  "nodes": [{"label": "h", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "p", "op": "softmax", "inputs": ["h"], "axis": -1},
            {"label": "y", "op": "matmul", "inputs": ["p", "v"]}],
  "results": ["y"]})";

studies::sweep::SweepResult sweep_of(double budget, double oscillation = studies::sweep::default_oscillation) {
  ref_cpu::CpuExecutor reference;
  Suspect suspect;
  cases::Observer nobody;
  studies::sweep::SweepOptions options{
      .choices = {studies::sweep::Choice::always, studies::sweep::Choice::oscillation, studies::sweep::Choice::bound},
      .budgets = {budget},
      .oscillation = oscillation};
  return studies::sweep::sweep({make_case(two_layers)}, {.reference = reference, .candidate = &suspect}, options,
                               nobody);
}

double rel_l2_of(const studies::sweep::SweepRow& row) {
  return row.outputs[0].largest(&studies::sweep::OutputError::rel_l2);
}

TEST(Sweep, MeasuresAgainstTheTruthOfTheGraphInF32) {
  const studies::sweep::SweepResult result = sweep_of(1e-2);
  ASSERT_EQ(result.rows.size(), 5u);  // f32, three choices, f16acc16
  EXPECT_LT(rel_l2_of(result.rows[0]), 1e-6);
  const studies::sweep::SweepRow& always = result.rows[1];
  EXPECT_EQ(always.plan.size(), 2u);
  EXPECT_EQ(always.share, 1);
  EXPECT_GT(rel_l2_of(always), 1e-5);  // a rounding to f16 is up to 2^-11
  EXPECT_LT(rel_l2_of(always), 1e-3);
  EXPECT_LE(always.max_ratio, 1);  // yet no node is off: each is judged on what it was given
  EXPECT_EQ(always.verdict, core::Verdict::passed);
  EXPECT_EQ(result.rows[4].precision, ir::passes::Precision::f16acc16);
  EXPECT_EQ(result.rows[4].plan.size(), 2u);
  EXPECT_EQ(rel_l2_of(result.rows[4]), rel_l2_of(always));  // this candidate sums in f32 all the same
}

TEST(Sweep, TheHeuristicLooksAtWeightsTheBoundAtErrors) {
  const auto in_f16 = [](const studies::sweep::SweepRow& row) {
    std::vector<std::string> labels;
    for (const auto& [label, precision] : row.plan) labels.push_back(label);
    return labels;
  };
  const studies::sweep::SweepResult loose = sweep_of(1e-2);
  EXPECT_THAT(in_f16(loose.rows[2]), ElementsAre("y"));
  EXPECT_THAT(in_f16(loose.rows[3]), ElementsAre("h", "y"));
  const auto& alone = loose.candidates;
  ASSERT_GT(alone[0].errors[0], 0);
  ASSERT_GT(alone[1].errors[0], 0);
  const double smaller = std::min(alone[0].errors[0], alone[1].errors[0]);
  EXPECT_THAT(in_f16(sweep_of(smaller / 2).rows[3]), IsEmpty());
  const studies::sweep::SweepResult tight = sweep_of(1.2 * smaller);
  EXPECT_EQ(tight.rows[3].plan.size(), 1u);
  EXPECT_LE(rel_l2_of(tight.rows[3]), 1.2 * smaller);
}

TEST(Sweep, TheHeuristicTakesWhatOscillatesLessThanItIsTold) {
  const auto taken = [](double threshold) { return sweep_of(1e-2, threshold).rows[2].plan.size(); };
  EXPECT_EQ(taken(1e-6), 0u);
  EXPECT_EQ(taken(studies::sweep::default_oscillation), 1u);
  EXPECT_EQ(taken(3), 2u);
}

TEST(Sweep, AReportHasARowForEachAndTheReasonForNone) {
  const std::string text = studies::sweep::to_text(sweep_of(1e-2));
  EXPECT_THAT(text, HasSubstr("f16acc32   oscillation  y         1/2"));
  EXPECT_THAT(text, HasSubstr("f16acc16   always       y         2/2"));
  EXPECT_THAT(studies::sweep::nodes_text(sweep_of(1e-2)), HasSubstr("by oscillation"));
}

constexpr auto packed_layers = R"({"format": "plumb.graph/1", "why": "two products with packed weights and one without",
  "inputs": {"x": {"type": "f32[3, 64]"}},
  "params": {"w": {"type": "u8[64, 68]", "fill": {"distribution": "packed", "format": "q8_0"}},
             "v": {"type": "u8[5, 40]", "fill": {"distribution": "packed", "format": "q4_1"}},
             "u": {"type": "f32[5, 2]"}},
  "nodes": [{"label": "blk.0", "op": "dequant_matmul", "inputs": ["x", "w"], "format": "q8_0"},
            {"label": "blk.1", "op": "dequant_matmul", "inputs": ["blk.0", "v"], "format": "q4_1"},
            {"label": "y", "op": "matmul", "inputs": ["blk.1", "u"]}],
  "results": ["y"]})";

/// Codes of 8 bits are off by up to 1/254 of the largest of their block, bf16 by 1/256 of each number.
TEST(Sweep, PackedProductsAreRunOnCodes) {
  ref_cpu::CpuExecutor reference;
  Suspect suspect;
  cases::Observer nobody;
  const studies::sweep::SweepOptions options{
      .precisions = {ir::passes::Precision::q8acc32, ir::passes::Precision::bf16acc32}};
  const auto result = studies::sweep::sweep({make_case(packed_layers)}, {.reference = reference, .candidate = &suspect},
                                            options, nobody);
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[0].plan.size(), 2u);
  EXPECT_EQ(result.rows[1].plan.size(), 3u);
  for (const studies::sweep::SweepRow& row : result.rows) {
    EXPECT_EQ(row.verdict, core::Verdict::passed);
    EXPECT_GT(rel_l2_of(row), 1e-4);
    EXPECT_LT(rel_l2_of(row), 0.1);  // minima of weights cancel, which makes errors larger
  }
}

TEST(Verify, APlanNamesNodesByGlobs) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  const auto graph = folder / "packed_graph.json", plan = folder / "packed_plan.toml";
  std::ofstream(graph) << packed_layers;
  const auto planned = [&](const ir::passes::PrecisionPlan& nodes) {
    std::ofstream(plan) << cases::to_toml(nodes, "a test");
    return cases::plan_of(verify::load_case(graph, {}).file->graph, plan.string());
  };
  using ir::passes::Precision;
  EXPECT_EQ(planned({{"*", Precision::q8acc32}, {"blk.1", Precision::f32}}),
            (ir::passes::PrecisionPlan{{"blk.0", Precision::q8acc32}, {"blk.1", Precision::f32}}));
  const auto refused = [&](const ir::passes::PrecisionPlan& nodes, const char* why) {
    EXPECT_THAT([&] { planned(nodes); }, ThrowsMessage<ir::Error>(HasSubstr(why)));
  };
  refused({{"y*", Precision::q8acc32}}, "'y*' matches no node that can compute in q8acc32");
  refused({{"blk.*", Precision::q8acc32}, {"b*", Precision::f16acc32}}, "two globs match 'blk.0'");
  refused({{"blk.2", Precision::q8acc32}}, "names 'blk.2', which is no node of the graph");
}

TEST(Verify, APlanSaysWhichNodesMultiplyInF16) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  const auto graph = folder / "sweep_graph.json", plan = folder / "sweep_plan.toml";
  std::ofstream(graph) << two_layers;
  std::ofstream(plan) << cases::to_toml({{"y", ir::passes::Precision::f16acc32}}, "a test");
  const cases::Case subject = verify::load_case(graph, {.precision = plan.string()});
  EXPECT_TRUE(subject.file->graph.find("v.f16"));
  EXPECT_FALSE(subject.file->graph.find("w.f16"));
  Suspect suspect;
  const cases::CaseResult result = verify_on(suspect, subject);
  EXPECT_EQ(result.verdict, core::Verdict::passed);
  EXPECT_THAT(result.repro, HasSubstr("--precision '" + plan.string() + "' --seed 1"));
  EXPECT_GT(result.nodes.back().total.rel_l2, 1e-5);

  EXPECT_TRUE(verify::load_case(graph, {.precision = "f16acc32"}).file->graph.find("w.f16"));
  EXPECT_TRUE(verify::load_case(graph, {.precision = "f16acc16"}).file->graph.find("w.f16"));
  EXPECT_THROW(verify::load_case(graph, {.dtype = ir::DType::f16, .precision = "f16acc32"}), ir::Error);
}

}  // namespace
}  // namespace plumb::parity::sweep_test
