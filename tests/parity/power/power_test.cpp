#include "parity/power/power.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/power/faults/faulty_executor.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::testing::power_test {
namespace {

using parity::power::CaughtBy;
using parity::power::Outcome;
using parity::power::faults::Place;

/// Products, lines, indices, masks, movement: most faults apply somewhere.
constexpr auto mixed_graph = R"({"format": "plumb.graph/1", "why": "somewhere every fault applies",
  "inputs": {"ids": {"type": "i32[2, 20]", "fill": {"distribution": "uniform_int", "low": 0, "high": 50}}},
  "params": {"table": {"type": "f32[50, 24]"}, "up": {"type": "f32[24, 40]"}, "b": {"type": "f32[24]"},
             "w": {"type": "f32[24, 24]", "fill": {"distribution": "normal", "scale": 0.2}}},
  "nodes": [{"label": "rows", "op": "gather", "inputs": ["table", "ids"]},
            {"label": "product", "op": "matmul", "inputs": ["rows", "w"]},
            {"label": "sum", "op": "binary", "function": "add", "inputs": ["product", "b"]},
            {"label": "norm", "op": "layer_norm", "inputs": ["sum"], "has_scale": false, "has_bias": false},
            {"label": "wide", "op": "matmul", "inputs": ["norm", "up"]},
            {"label": "gelu", "op": "unary", "function": "gelu", "inputs": ["wide"]},
            {"label": "weights", "op": "softmax", "inputs": ["gelu"]},
            {"label": "mean", "op": "reduce", "function": "mean", "axes": [1], "inputs": ["gelu"]}],
  "results": ["weights", "mean"]})";

parity::power::Result power_of(std::string_view graph, const parity::power::Options& options = {}) {
  ref_cpu::CpuExecutor cpu;
  parity::cases::Observer nobody;
  return measure(make_case(graph), {.reference = cpu, .candidate = &cpu, .candidate_is_host = true}, options, nobody);
}

/// Every fault in the mixed graph, and the smallest share of each that is caught: measured once for all tests.
const parity::power::Result& all_of_mixed_graph() {
  static const parity::power::Result result = power_of(mixed_graph);
  return result;
}

const parity::power::Result& scaled_in_mixed_graph() {
  static const parity::power::Result result = power_of(mixed_graph, {.faults = "scaled"});
  return result;
}

const parity::power::NodePower& at(const parity::power::Result& result, std::string_view name) {
  for (const auto& node : result.nodes)
    if (node.name == name) return node;
  throw ir::Error("no such node");
}

std::optional<Outcome> outcome(const parity::power::NodePower& node, std::string_view fault) {
  for (const auto& trial : node.trials)
    if (trial.fault->name == fault) return trial.outcome;
  return {};
}

TEST(Power, HasManyKindsOfFaultsEachNamedOnce) {
  std::set<std::string_view> names;
  std::size_t forbidden = 0;
  for (const auto& fault : parity::power::faults::all_faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_FALSE(fault.summary.empty() || fault.where.empty()) << fault.name;
    forbidden += fault.forbidden;
  }
  EXPECT_GE(forbidden, 60u);
}

TEST(Power, CatchesRequiredFaultsOfAMixedGraph) {
  const auto& result = all_of_mixed_graph();
  EXPECT_GE(result.score(), 0.98) << to_table(result);
  EXPECT_EQ(outcome(at(result, "rows"), "index_off_by_one"), Outcome::caught);
  EXPECT_EQ(outcome(at(result, "rows"), "stale_upload"), Outcome::caught);
  EXPECT_EQ(outcome(at(result, "product"), "tf32_inputs"), Outcome::caught);
  EXPECT_EQ(outcome(at(result, "product"), "dropped_term"), Outcome::caught);
  EXPECT_EQ(outcome(at(result, "norm"), "norm_extent"), Outcome::caught);
  EXPECT_EQ(outcome(at(result, "norm"), "wrong_epsilon"), Outcome::caught);
  EXPECT_EQ(outcome(at(result, "gelu"), "wrong_variant"), Outcome::caught);
  EXPECT_EQ(outcome(at(result, "weights"), "softmax_extent"), Outcome::caught);
  EXPECT_EQ(outcome(at(result, "sum"), "missing_barrier"), Outcome::caught);
  EXPECT_EQ(outcome(at(result, "norm"), "dropped_term"), std::nullopt);  // sums no products
}

/// The short cut judges one node without a run; verify() on an executor with the fault must say the same.
TEST(Power, AgreesWithVerifyOnAnExecutorWithTheFault) {
  const parity::cases::Case subject = make_case(mixed_graph);
  ir::Feeds earlier = ir::formats::materialise(*subject.file, subject.seed + 1);
  for (const std::string& param : subject.file->graph.params()) earlier[param] = subject.feeds.at(param);
  ref_cpu::CpuExecutor cpu;
  parity::cases::Observer nobody;
  std::set<CaughtBy> seen;
  std::size_t place = 0;
  for (const auto& node : all_of_mixed_graph().nodes)
    for (const auto& trial : node.trials) {
      if (place++ % 5 != 0) continue;  // a run for each would take long
      parity::power::faults::FaultyExecutor faulty(cpu, cpu, *trial.fault, node.name, earlier, trial.place);
      const auto said =
          parity::verify::verify(subject, {.reference = cpu, .candidate = &faulty, .candidate_is_host = true},
                                 {.filter = "^" + node.name + "$"}, nobody);
      const bool by_numbers = trial.caught_by == CaughtBy::limit || trial.caught_by == CaughtBy::statistics;
      EXPECT_EQ(said.verdict == parity::core::Verdict::failed, by_numbers) << trial.fault->name << " at " << node.name;
      for (const auto& judged : said.nodes)
        if (trial.caught_by == CaughtBy::replay && judged.name() == node.name) {
          EXPECT_TRUE(judged.replays.refutes()) << trial.fault->name << " at " << node.name;
        }
      seen.insert(trial.caught_by);
    }
  EXPECT_EQ(seen, (std::set{CaughtBy::nothing, CaughtBy::limit, CaughtBy::statistics, CaughtBy::replay}));
}

TEST(Power, PlantsFaultsInsideOfWhatWasFused) {
  Suspect honest;
  honest.fused = {"product", "rows"};
  ref_cpu::CpuExecutor cpu;
  parity::cases::Observer nobody;
  const parity::cases::Case subject = make_case(mixed_graph);
  const auto result =
      parity::power::measure(subject, {.reference = cpu, .candidate = &honest}, {.smallest = false}, nobody);
  std::set<std::pair<std::string, std::string_view>> caught;
  for (const auto& trial : at(result, "sum").trials)
    if (trial.outcome == Outcome::caught) caught.emplace(trial.inside, trial.fault->name);
  EXPECT_TRUE(caught.contains({"product", "tf32_inputs"}));
  EXPECT_TRUE(caught.contains({"product", "f16_accumulation"}));
  EXPECT_TRUE(caught.contains({"rows", "index_off_by_one"}));
  EXPECT_FALSE(caught.contains({"product", "element_zero"}));  // nobody stores it
  EXPECT_TRUE(caught.contains({"", "element_zero"}));
  EXPECT_GE(result.score(), 0.98) << to_table(result);
}

TEST(Power, NamesWhatALoosePolicyMisses) {
  const auto loose = parity::policy::parse(R"(schema = "plumb-policy/1"
[[rule]]
id = "loose"
match = {}
require = { cosine = 0.997 })",
                                           "loose.toml");
  const parity::policy::Gate gate{.policy = loose, .device = {}, .today = parity::policy::today()};
  const auto result = power_of(mixed_graph, {.gate = &gate, .smallest = false});
  EXPECT_LT(result.score(), 0.7);
  EXPECT_EQ(outcome(at(result, "product"), "tf32_inputs"), Outcome::missed);
  EXPECT_EQ(outcome(at(result, "product"), "unwritten_tile"), Outcome::caught);
  EXPECT_THAT(to_table(result), ::testing::HasSubstr("missed tf32_inputs at product (matmul)"));
}

TEST(Power, BisectsToTheBound) {
  const auto& result = scaled_in_mixed_graph();
  ASSERT_EQ(at(result, "gelu").trials.size(), 3u);  // all of it, a tile, a line
  for (const auto& trial : at(result, "gelu").trials) {
    if (trial.place != Place::whole) continue;
    ASSERT_TRUE(trial.smallest);
    EXPECT_GT(trial.smallest->ratio, 1);
    EXPECT_LT(trial.smallest->ratio, 1.2);
    EXPECT_LT(trial.smallest->share, 0.1);
    EXPECT_LT(trial.smallest->ulp, trial.size.ulp);
  }
}

/// Where a kernel says how it adds, a sample of its sums is held to what roundings come to by chance, so that a common
/// sign of all errors is seen where each of them is allowed.
TEST(Power, SeesBelowTheBoundWhatSumsHaveInCommon) {
  const auto& result = scaled_in_mixed_graph();
  ASSERT_FALSE(at(result, "product").trials.empty());
  const auto& trial = at(result, "product").trials[0];
  ASSERT_TRUE(trial.smallest);
  EXPECT_LT(trial.smallest->ratio, 1);
  EXPECT_LT(trial.smallest->share, 0.01);
}

TEST(Power, AFaultThatChangesNothingIsNotCounted) {
  const auto result = power_of(R"({"format": "plumb.graph/1", "why": "the last term is 0",
    "inputs": {"x": {"type": "f32[1, 3]", "values": [0.1, 0.7, 0]}, "w": {"type": "f32[3, 2]"}},
    "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]}], "results": ["y"]})");
  EXPECT_EQ(outcome(at(result, "y"), "dropped_term"), Outcome::no_effect);
  EXPECT_EQ(outcome(at(result, "y"), "dropped_tile"), Outcome::caught);
}

constexpr auto exact_graph = R"({"format": "plumb.graph/1", "why": "sums of small integers are exact",
  "inputs": {"x": {"type": "f32[8, 8]", "fill": {"distribution": "uniform_int", "low": 1, "high": 9}},
             "w": {"type": "f32[8, 8]", "fill": {"distribution": "uniform_int", "low": 1, "high": 9}}},
  "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]}], "results": ["y"]})";

TEST(Power, VerifyTakesAPolicysVacuity) {
  const auto verdict = [](std::string_view budget) {
    const parity::policy::Gate gate{
        .policy = parity::policy::parse("schema = \"plumb-policy/1\"\n" + std::string(budget), "p.toml"),
        .device = {},
        .today = parity::policy::today()};
    Suspect honest;
    return verify_on(honest, make_case(exact_graph), {.gate = &gate}).verdict;
  };
  EXPECT_EQ(verdict("[budget]\nmax_vacuity = 0.3\n"), parity::core::Verdict::mistrusted);
  EXPECT_EQ(verdict(""), parity::core::Verdict::passed);
}

TEST(Power, MistrustsWhatSaysLittle) {
  const auto whole = power_of(exact_graph);
  EXPECT_EQ(at(whole, "y").vacuity.exact, 1);
  EXPECT_EQ(at(whole, "y").verdict, parity::core::Verdict::mistrusted);
  EXPECT_EQ(at(all_of_mixed_graph(), "product").verdict, parity::core::Verdict::passed);
  const auto saturated = power_of(R"({"format": "plumb.graph/1", "why": "tanh of large numbers is 1",
    "inputs": {"x": {"type": "f32[64]", "fill": {"distribution": "uniform", "low": 5, "high": 40}}},
    "nodes": [{"label": "y", "op": "unary", "function": "tanh", "inputs": ["x"]}], "results": ["y"]})");
  EXPECT_GT(at(saturated, "y").vacuity.saturated, 0.8);
  EXPECT_EQ(at(saturated, "y").verdict, parity::core::Verdict::mistrusted);
}

TEST(Power, WritesJson) {
  const parity::power::Result results[] = {power_of(mixed_graph, {.faults = "dropped_*"})};
  const auto json = nlohmann::json::parse(to_json(results, 0.9));
  EXPECT_EQ(json.at("format"), "plumb.power/1");
  const auto& one = json.at("cases").at(0);
  EXPECT_EQ(one.at("caught"), results[0].count(Outcome::caught));
  EXPECT_EQ(one.at("nodes_without_verdict"), 0);
  const auto& trial = one.at("nodes").at(1).at("faults").at(0);
  EXPECT_EQ(trial.at("fault"), "dropped_term");
  EXPECT_EQ(trial.at("place"), "whole");
  EXPECT_EQ(trial.at("caught_by"), "limit");
  EXPECT_GT(trial.at("d"), 4);
  EXPECT_EQ(trial.at("required"), true);
}

/// A verdict is asked for what is four times as large as what honest kernels do, and no less (verdict.md V74).
TEST(Power, RequiresFaultsByTheirEffect) {
  const auto result = power_of(mixed_graph, {.faults = "scaled*", .smallest = false});
  const auto& node = at(result, "gelu");
  double before = std::numeric_limits<double>::infinity();
  std::size_t required = 0;
  for (const auto& trial : node.trials) {
    if (trial.place != Place::whole) continue;
    EXPECT_LT(trial.effect, before);
    EXPECT_EQ(trial.is_required(), trial.effect >= 4);
    if (trial.outcome == Outcome::no_effect) {
      EXPECT_LT(trial.effect, 1);
    }
    before = trial.effect;
    required += trial.is_required();
  }
  EXPECT_GT(required, 5u);
  EXPECT_LT(required, 14u);
  ASSERT_TRUE(node.resolution());
  EXPECT_GE(*node.resolution(), 17);
  EXPECT_EQ(power_of(mixed_graph, {.faults = "element_zero"}).nodes[0].resolution(), std::nullopt);
}

TEST(Power, PlantsInOneTileAndInOneLine) {
  const auto result = power_of(mixed_graph, {.faults = "bias_twice", .smallest = false});
  std::map<Place, CaughtBy> by;
  for (const auto& trial : at(result, "sum").trials) by[trial.place] = trial.caught_by;
  EXPECT_EQ(by, (std::map<Place, CaughtBy>{
                    {Place::whole, CaughtBy::limit}, {Place::tile, CaughtBy::limit}, {Place::line, CaughtBy::limit}}));
}

/// Nothing can be overturned where a kernel's record is refuted: such a node is counted by itself.
TEST(Power, CountsNodesThatHaveNoVerdict) {
  Suspect wrong;
  wrong.describe = [](const ir::Node& node, ir::NodeReport& report) {
    if (node.label == "product") report.sums = {{.unit = ir::SumUnit::fma, .levels = {{.count = 2}, {}}}};
  };
  ref_cpu::CpuExecutor cpu;
  parity::cases::Observer nobody;
  const parity::cases::Case subject = make_case(mixed_graph);
  const auto result = parity::power::measure(subject, {.reference = cpu, .candidate = &wrong},
                                             {.faults = "element_zero", .smallest = false}, nobody);
  EXPECT_FALSE(at(result, "product").has_verdict);
  EXPECT_TRUE(at(result, "product").trials.empty());
  EXPECT_EQ(result.without_verdict(), 1u);
  EXPECT_THAT(to_table(result), ::testing::HasSubstr("of 7 nodes that have a verdict"));
  EXPECT_THAT(to_table(result), ::testing::HasSubstr("1 nodes have no verdict"));
}

}  // namespace
}  // namespace plumb::testing::power_test
