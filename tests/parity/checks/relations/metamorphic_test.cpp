#include "parity/checks/relations/metamorphic.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "parity/report/report.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::checks::relations::metamorphic_test {
namespace {

using testing::Suspect;

constexpr auto three_nodes = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[6, 5]"}, "b": {"type": "f32[6, 11]"}},
  "params": {"w": {"type": "f32[5, 11]"}},
  "nodes": [{"label": "scores", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "sum", "op": "binary", "inputs": ["scores", "b"], "function": "add"},
            {"label": "weights", "op": "softmax", "inputs": ["sum"], "axis": -1}],
  "results": ["weights"]})";

/// A graph with relations that no product has.
constexpr auto with_lines_and_steps = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[6, 5]"}, "steps": {"type": "f32[5, 2, 3]"}},
  "params": {"w": {"type": "f32[1, 4, 3]"}, "r": {"type": "f32[1, 4, 4]"}},
  "nodes": [{"label": "spectra", "op": "rfft", "inputs": ["x"]},
            {"label": "states", "op": "rnn", "inputs": ["steps", "w", "r"]}],
  "results": ["spectra", "states"]})";

using Names = std::set<std::string>;

std::vector<cases::RelationResult> check_with(ir::Executor& candidate, const cases::Case& subject,
                                              const std::string& filter = "") {
  ref_cpu::CpuExecutor reference;
  return check(subject, {.reference = reference, .candidate = &candidate}, filter);
}

/// "scores permutation" and so on, of everything that does not hold.
Names broken(const std::vector<cases::RelationResult>& results) {
  Names names;
  for (const cases::RelationResult& one : results)
    if (one.verdict == core::Verdict::failed) names.insert(one.label + " " + std::string(ir::enum_name(one.relation)));
  return names;
}

Names broken(ir::Executor& candidate, const std::string& filter = "") {
  return broken(check_with(candidate, testing::make_case(three_nodes), filter));
}

/// Each value of a node's results through a function.
Suspect spoiler_of_values(const std::string& label, std::function<float(float)> function) {
  return testing::spoiler(label, [function](ir::Tensor& y) {
    for (float& value : y.as<float>()) value = function(value);
  });
}

TEST(Metamorphic, AllRelationsHoldOfAnHonestExecutor) {
  Suspect honest;
  ref_cpu::CpuExecutor with_contexts;
  std::set<cases::Relation> asked;
  for (ir::Executor* executor : std::initializer_list<ir::Executor*>{&honest, &with_contexts})
    for (const auto* graph : {three_nodes, with_lines_and_steps})
      for (const cases::RelationResult& one : check_with(*executor, testing::make_case(graph))) {
        EXPECT_EQ(one.verdict, core::Verdict::passed)
            << one.label << ' ' << ir::enum_name(one.relation) << ' ' << one.how << ": " << one.why;
        EXPECT_GT(one.n, 0u);
        asked.insert(one.relation);
      }
  asked.insert(cases::Relation::bucket);    // which nobody asks without larger extents
  asked.insert(cases::Relation::decoding);  // nor without steps of a decoder
  EXPECT_EQ(asked.size(), enum_names(cases::Relation{}).size());
}

TEST(Metamorphic, APlaceThatIsComputedOtherwiseBreaksPermutation) {
  auto suspect = testing::spoiler("weights", [](ir::Tensor& y) { y.as<float>()[0] *= 1 + 0x1p-20f; });
  EXPECT_EQ(broken(suspect), Names{"weights permutation"});
}

TEST(Metamorphic, ABatchSizeThatIsComputedOtherwiseBreaksSlices) {
  auto suspect = testing::spoiler("weights", [](ir::Tensor& y) {
    for (float& value : y.as<float>()) value *= y.shape()[0] == 3 ? 1 + 0x1p-20f : 1;
  });
  EXPECT_EQ(broken(suspect), Names{"weights batch_slice"});
}

TEST(Metamorphic, SlicesThatAddInAnotherOrderAreHeldToLimits) {
  bool is_slice = false;
  auto suspect = testing::spoiler("weights", [&](ir::Tensor& y) {
    is_slice = y.shape()[0] == 3;
    for (float& value : y.as<float>()) value *= is_slice ? 1 + 0x1p-22f : 1;
  });
  EXPECT_EQ(broken(suspect), Names{"weights batch_slice"});
  suspect.describe = [&](const ir::Node&, ir::NodeReport& report) {
    report.sums = {{.of = ir::SumName::row_sum, .order = is_slice ? "reversed" : "contract"}};
  };
  const auto results = check_with(suspect, testing::make_case(three_nodes), "weights");
  EXPECT_EQ(broken(results), Names{});
  const auto slice = std::ranges::find(results, cases::Relation::batch_slice, &cases::RelationResult::relation);
  ASSERT_NE(slice, results.end());
  EXPECT_GT(slice->n_differ, 0u);
}

TEST(Metamorphic, ADroppedTermBreaksTheOrderOfSummation) {
  Suspect suspect;
  suspect.misread = [](const ir::Node& at, std::size_t operand, ir::Tensor& x) {
    if (at.label != "scores" || operand != 0 || x.shape()[1] != 5) return;  // the last of K terms, of any rows
    for (std::int64_t row = 0; row < x.shape()[0]; ++row) x.as<float>()[static_cast<std::size_t>(row * 5 + 4)] = 0;
  };
  EXPECT_TRUE(broken(suspect, "scores").contains("scores summation_order"));
}

TEST(Metamorphic, AnEpsilonThatIsNotScaledBreaksScaling) {
  auto suspect = spoiler_of_values("sum", [](float y) { return y + 1e-6f; });
  EXPECT_TRUE(broken(suspect).contains("sum scaling"));
}

TEST(Metamorphic, ScalingProvesNothingWhereSumsMayLeaveTheRange) {
  const auto case_of = [](std::string_view values) {
    return testing::make_case(fmt::format(R"({{"format": "plumb.graph/1",
      "inputs": {{"x": {{"type": "f32[2, 8]", "values": [1, 2, 3, 4, 5, 6, 7, 8, {}]}}}},
      "nodes": [{{"label": "y", "op": "reduce", "inputs": ["x"], "function": "sum", "axes": [1]}}],
      "results": ["y"]}})",
                                          values));
  };
  // The sum of another order, whose terms of one sign leave the range when they are four times as large.
  auto overflows =
      spoiler_of_values("y", [](float y) { return y > 1e37f ? std::numeric_limits<float>::infinity() : y; });
  const auto large = check_with(overflows, case_of("4e37, 4e37, 4e37, 4e37, -4e37, -4e37, -4e37, -3.5e37"));
  EXPECT_EQ(broken(large), Names{});
  EXPECT_TRUE(std::ranges::any_of(large, [](const auto& one) { return one.relation == cases::Relation::scaling; }));
  EXPECT_EQ(broken(check_with(overflows, case_of("5e36, 1e36, -5e35, -5e35, 1e35, -1e35, 2e35, -2e35"))),
            Names{"y scaling"});
}

TEST(Metamorphic, AThresholdBreaksLinearity) {
  auto suspect = spoiler_of_values("scores", [](float y) { return y > 0 ? y : y * (1 + 0x1p-12f); });
  EXPECT_EQ(broken(suspect), Names{"scores linearity"});  // it scales, and knows no place
}

TEST(Metamorphic, ResultsThatAreRoundedOnceAreAddedUpInF64) {
  // Truth and result of f64 have the same digits, and so has the sum of the parts: all three roundings count.
  const cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"a": {"type": "f64[31, 31]"}, "b": {"type": "f64[31, 31]"}, "c": {"type": "f64[1, 31]"}},
    "nodes": [{"label": "y", "op": "fma", "inputs": ["a", "b", "c"]}], "results": ["y"]})");
  Suspect honest;
  const auto held = check_with(honest, subject);
  EXPECT_EQ(broken(held), Names{});
  const auto is_linearity = [](const auto& one) { return one.relation == cases::Relation::linearity; };
  EXPECT_EQ(std::ranges::count_if(held, is_linearity), 2);
  // The first a b lies half way between two numbers, and c decides: both are within half a last place, and one apart.
  // The sum of the parts of the last one comes to lie where the spacing is twice as wide, and is rounded as much.
  const auto ties = check_with(honest, testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"a": {"type": "f64[4]", "values": [1, 1.000000007450580596923828125, 1, 1.9999999850988388]},
               "b": {"type": "f64[4]", "values": [1, 1.00000001490116119384765625, 1, 1.0000000074505804]},
               "c": {"type": "f64[4]", "values": [1, 8.271806125530277e-25, 1, 6.661338147759017e-16]}},
    "nodes": [{"label": "y", "op": "fma", "inputs": ["a", "b", "c"]}], "results": ["y"]})"));
  EXPECT_EQ(broken(ties), Names{});
  EXPECT_EQ(std::ranges::find_if(ties, is_linearity)->n_differ, 2u);
  auto suspect = testing::spoiler("y", [](ir::Tensor& y) {
    for (double& value : y.as<double>()) value *= value > 0 ? 1 + 0x1p-50 : 1;
  });
  EXPECT_TRUE(broken(check_with(suspect, subject)).contains("y linearity"));
}

TEST(Metamorphic, ChoicesAtANearTieMayDiffer) {
  // The frames of bins 1 and 2 are the same numbers in other orders; in f32 either bin is the larger one.
  const cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[6, 3]", "values": [1, 7.3, 0.9, 1, 9.8, 3.3, 1, 0.9, 1.6, 1, 3.3, 1.8,
                                                     1, 1.6, 7.3, 1, 1.8, 9.8]}},
    "nodes": [{"label": "y", "op": "welch_peaks", "inputs": ["x"], "k": 3, "fft_length": 5}],
    "results": ["y", "y:1"]})");
  Suspect honest;
  const auto held = check_with(honest, subject);
  EXPECT_EQ(broken(held), Names{});
  const auto order = std::ranges::find(held, cases::Relation::summation_order, &cases::RelationResult::relation);
  ASSERT_NE(order, held.end());
  EXPECT_EQ(order->n_differ, 2u);
  EXPECT_FALSE(order->bitwise);
  Suspect suspect;
  suspect.misread = [](const ir::Node& at, std::size_t, ir::Tensor& x) {
    if (at.label == "y" && x.as<float>()[1] != 1.8f) return;  // turned round
    for (std::size_t i = 1; i < 18; i += 3) x.as<float>()[i] *= 1.001f;
  };
  const auto wrong = check_with(suspect, subject);
  EXPECT_EQ(broken(wrong), Names{"y summation_order"});
}

TEST(Metamorphic, BandsOfF64MayLeaveTheRangeOfTheTruth) {
  // Squares of the first frame leave the range, and sizes of the terms of the last one; neither is a limit of 0.
  const cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f64[3, 4]", "values": [1.1e200, 3.7e200, 2.3e200, 5.9e200, 1, 2, 3, 4.1,
                                                     1.5e308, 1.3e308, -1.4e308, -1.3e308]},
               "w": {"type": "f64[2, 4]", "values": [0.7, 0.3, 0.9, 0.1, 1, 1, 1, 1]}},
    "nodes": [{"label": "y", "op": "log_mel", "inputs": ["x", "w"], "maximum": "frame"}], "results": ["y"]})");
  Suspect honest;
  EXPECT_EQ(broken(check_with(honest, subject)), Names{});
  EXPECT_NE(testing::verify_on(honest, subject).verdict, core::Verdict::error);
  auto suspect = testing::spoiler("y", [](ir::Tensor& y) { y.as<double>()[0] *= 1 + 0x1p-44; });
  EXPECT_EQ(testing::verify_on(suspect, subject).verdict, core::Verdict::failed);
}

TEST(Metamorphic, AnOperandThatLosesBitsBreaksCommutativity) {
  Suspect suspect;
  suspect.misread = [](const ir::Node& at, std::size_t operand, ir::Tensor& x) {
    if (at.label != "sum" || operand != 0) return;
    for (float& value : x.as<float>()) value = static_cast<float>(ir::bf16(value));
  };
  EXPECT_EQ(broken(suspect), Names{"sum commutativity"});
}

TEST(Metamorphic, ALayoutThatIsComputedOtherwiseBreaksTransposition) {
  auto suspect = testing::spoiler("scores", [](ir::Tensor& y) {
    if (y.shape() == ir::Shape{11, 6}) y.as<float>()[7] += 1e-3f;
  });
  EXPECT_EQ(broken(suspect), Names{"scores transposition"});
}

TEST(Metamorphic, AnotherRunWithOtherBitsBreaksRunToRun) {
  int runs = 0;
  Suspect suspect;
  suspect.on_run = [&] { ++runs; };
  suspect.tamper = [&](const ir::Node& at, ir::Tensor& y) {
    if (at.label == "sum" && runs == 2) y.as<float>()[0] += 1;
  };
  EXPECT_EQ(broken(suspect, "none of them"), (Names{"sum run_to_run", "weights run_to_run"}));
  EXPECT_EQ(runs, 3);
}

/// Computes something else when fewer values are kept.
class Shy final : public ir::Executor {
 public:
  std::string_view name() const override { return "shy"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    suspect_.tamper = [](const ir::Node&, ir::Tensor&) {};
    if (!capture.surviving && graph.nodes().size() > 1)
      suspect_.tamper = [](const ir::Node&, ir::Tensor& y) { y.as<float>()[0] += 1; };
    return suspect_.compile(graph, params, capture);
  }

 private:
  Suspect suspect_;
};

TEST(Metamorphic, ATapThatChangesResultsIsFound) {
  Shy shy;
  EXPECT_TRUE(broken(shy).contains("weights tap"));
}

TEST(Metamorphic, WhatAPassDidAwayWithIsAskedOfTheNodeAlone) {
  Suspect suspect = testing::spoiler("sum", [](ir::Tensor& y) { y.as<float>()[0] *= 1 + 0x1p-20f; });
  suspect.fused = {"scores", "sum"};
  const Names found = broken(suspect);
  EXPECT_TRUE(found.contains("sum permutation"));
}

TEST(Metamorphic, NodesOnTheHostAreLeftOut) {
  Suspect suspect;
  suspect.on_host = {"weights"};
  for (const cases::RelationResult& one : check_with(suspect, testing::make_case(three_nodes), "weights"))
    EXPECT_TRUE(one.relation == cases::Relation::run_to_run || one.relation == cases::Relation::tap) << one.how;
}

TEST(Metamorphic, LimitsThatProveNothingSaySo) {
  const cases::Case subject = testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[4, 64]", "fill": {"distribution": "uniform", "low": 1e6, "high": 1.000001e6}}},
    "nodes": [{"label": "norm", "op": "layer_norm", "inputs": ["x"], "has_scale": false, "has_bias": false}],
    "results": ["norm"]})");
  Suspect honest;
  std::size_t vague = 0;
  for (const cases::RelationResult& one : check_with(honest, subject)) {
    vague += one.verdict == core::Verdict::mistrusted;
    EXPECT_EQ(one.verdict == core::Verdict::mistrusted, !one.bitwise) << one.how;
  }
  EXPECT_EQ(vague, 1u);  // lines in another order
}

TEST(Metamorphic, ABrokenRelationFailsTheCaseAndIsReported) {
  auto suspect = testing::spoiler("weights", [](ir::Tensor& y) { y.as<float>()[0] *= 1 + 0x1p-22f; });
  const cases::Case subject = testing::make_case(three_nodes);
  EXPECT_EQ(testing::verify_on(suspect, subject).verdict, core::Verdict::passed);  // well within its bound
  const cases::CaseResult result = testing::verify_on(suspect, subject, {.metamorphic = true});
  EXPECT_EQ(result.verdict, core::Verdict::failed);
  EXPECT_EQ(result.exit, core::ExitCode::failed);
  const std::string table = report::to_table(result, report::Detail::worst),
                    json = report::to_json(std::span(&result, 1));
  EXPECT_NE(table.find("weights: permutation (axis 0 of operand 0) broken: 2 of 66 elements differ"), std::string::npos)
      << table;
  EXPECT_NE(json.find("\"relation\": \"permutation\""), std::string::npos);
}

TEST(Metamorphic, HoldsOfTheGraphsOnTheCpu) {
  for (const auto* name : {"bert_tiny.json", "residual_block.json", "conv_norm_relu.json"}) {
    Suspect honest;
    const auto results = check_with(honest, verify::load_case(tests::source_dir() / "fixtures/graphs" / name, {}));
    EXPECT_GT(results.size(), 40u);
    EXPECT_EQ(broken(results), Names{}) << name;
  }
}

}  // namespace
}  // namespace plumb::parity::checks::relations::metamorphic_test
