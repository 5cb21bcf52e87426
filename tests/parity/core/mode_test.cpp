#include "parity/core/mode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "parity/attribution/attribution.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/report/report.hpp"
#include "parity/results/judge.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_schema.hpp"
#include "tests/parity/mixed_graph.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::mode_test {
namespace {

using ::testing::HasSubstr;
using testing::make_case;
using testing::node;
using testing::small_graph;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;
using Labels = std::vector<std::string>;

Labels failed(const cases::CaseResult& result) { return testing::labels_with(result, core::Verdict::failed); }

Suspect wrong_scores() {
  return spoiler("scores", [](ir::Tensor& y) { y.as<float>()[13] += 1e-3f; });
}

TEST(Mode, DecidesWhetherWhatIsInheritedCounts) {
  auto suspect = wrong_scores();
  const cases::Case subject = make_case(small_graph);
  EXPECT_EQ(failed(verify_on(suspect, subject)), Labels{"scores"});
  const auto result = verify_on(suspect, subject, {.mode = core::Mode::propagate});
  EXPECT_EQ(failed(result), (Labels{"scores", "weights", "back"}));  // turned hands weights on
  EXPECT_EQ(cases::first_guilty(result)->name(), "scores");
  EXPECT_EQ(std::ranges::count(result.nodes, true, &cases::NodeResult::is_guilty), 1);
  EXPECT_EQ(failed(verify_on(suspect, subject, {.mode = core::Mode::isolate})), Labels{"scores"});
}

TEST(Mode, AnHonestExecutorPassesInAll) {
  for (const core::Mode mode : {core::Mode::propagate, core::Mode::isolate, core::Mode::attribute}) {
    Suspect honest;
    const auto result = verify_on(honest, make_case(small_graph), {.mode = mode});
    // The last node truncates numbers to integers, of which none is near one.
    EXPECT_EQ(result.verdict, core::Verdict::passed)
        << ir::enum_name(mode) << ": " << report::to_table(result, report::Detail::all);
    EXPECT_EQ(result.mode, mode);
  }
}

/// A hundred nodes one behind the other: what they round adds up to more than any of them may round by itself, and to
/// no more than sign runs along their trees say (verdict.md V46).
TEST(Mode, TotalsAreHeldToWhatRoundingsOnTheWayAddUpTo) {
  const cases::Case subject = make_case(testing::mixed_graph());
  Suspect honest, tilted = spoiler("3/up", [](ir::Tensor&y) {
                    for (float& one : y.as<float>()) one *= 1 + 0x1p-12f;
                  });
  const auto result = verify_on(honest, subject, {.mode = core::Mode::propagate});
  EXPECT_EQ(failed(result), Labels{});
  double more_than_local = 0, largest = 0;
  for (const cases::NodeResult& node : result.nodes) {
    if (!node.gates_total || !(node.local.max_abs.value > 0)) continue;
    more_than_local =
        std::max(more_than_local, node.total.max_abs.value * node.local.ratio() / node.local.max_abs.value);
    largest = std::max(largest, node.total.ratio());
  }
  EXPECT_GT(more_than_local, 1);  // by the node's own limit this would have failed
  EXPECT_GT(largest, 0.02);
  EXPECT_LT(largest, 0.7);
  const Labels wrong = failed(verify_on(tilted, subject, {.mode = core::Mode::propagate}));
  ASSERT_FALSE(wrong.empty());
  EXPECT_EQ(wrong.front(), "3/up");
  EXPECT_GT(wrong.size(), 1u);
}

TEST(Mode, TotalsKnowTheCandidatesOwnTrees) {
  const cases::Case subject = make_case(small_graph);
  const auto limit_of = [&](ir::SumUnit unit) {
    Suspect suspect = wrong_scores();
    suspect.describe = [unit](const ir::Node& node, ir::NodeReport& report) {
      if (node.label == "scores") report.sums = {{.of = ir::SumName::product, .unit = unit, .levels = {{}}}};
    };
    const auto result = verify_on(suspect, subject, {.mode = core::Mode::propagate});
    return node(result, "weights").total.worst.front().allowed;
  };
  EXPECT_GT(limit_of(ir::SumUnit::matrix), 1.2 * limit_of(ir::SumUnit::fma));
}

/// One node of two is wrong only where it gets what the other computes: isolation shows that it is not its fault.
TEST(Mode, IsolationFeedsEachNodeTheTruth) {
  auto suspect = spoiler("scores", [](ir::Tensor& y) {
    for (float& one : y.as<float>()) one += 100;
  });
  std::size_t runs = 0;
  suspect.on_run = [&] { ++runs; };
  const auto result = verify_on(suspect, make_case(small_graph), {.repeat = 2, .mode = core::Mode::isolate});
  EXPECT_EQ(runs, 10u);  // each of five nodes twice
  for (const cases::NodeResult& node : result.nodes) {
    EXPECT_EQ(node.kernel, "kernel_of_" + node.label);
    if (node.label == "scores") continue;
    EXPECT_LT(node.total.max_abs.value, 1e-5) << node.label;                           // scores' error does not arrive
    EXPECT_TRUE(node.inherited.max_abs.value > 0 || node.op == "cast") << node.label;  // but that of rounding does
  }
}

TEST(Mode, IsolationNeedsNoNeighbours) {
  Suspect suspect = wrong_scores();
  const auto result = verify_on(suspect, make_case(small_graph), {.filter = "^back$", .mode = core::Mode::isolate});
  EXPECT_EQ(result.verdict, core::Verdict::passed);
  suspect.fused = {"turned"};  // no neighbour, nothing to fuse it with: it is run, and hands its value back
  EXPECT_EQ(failed(verify_on(suspect, make_case(small_graph), {.filter = "^weights$", .mode = core::Mode::isolate})),
            Labels{});
}

TEST(Mode, IsolationGoesOnWhereANodeIsRefused) {
  int run = 0;
  Suspect suspect = wrong_scores();
  suspect.on_run = [&] {
    if (++run == 2) ir::fail("no room");
    if (run == 3) throw ir::Unsupported("no such kernel");
  };
  const auto result = verify_on(suspect, make_case(small_graph), {.mode = core::Mode::isolate});
  ASSERT_EQ(result.nodes.size(), 5u);
  EXPECT_EQ(failed(result), (Labels{"scores", "weights"}));
  EXPECT_EQ(result.nodes[1].why, "the candidate refuses what the reference runs: no room");
  EXPECT_EQ(result.nodes[2].verdict, core::Verdict::unsupported);
  EXPECT_EQ(result.nodes[2].why, "no such kernel");
  EXPECT_EQ(result.nodes[3].verdict, core::Verdict::passed);
}

TEST(Mode, IsWhatRunsItAgain) {
  auto suspect = wrong_scores();
  EXPECT_EQ(
      verify_on(suspect, make_case(small_graph), {.flags = " --poison", .mode = core::Mode::isolate}).nodes[0].repro,
      "plumb verify small.json --seed 1 --mode isolate --poison --filter '^scores$'");
  const std::vector<cases::CaseResult> cases = {
      verify_on(suspect, make_case(small_graph), {.mode = core::Mode::propagate})};
  const auto json = nlohmann::json::parse(report::to_json(cases)).at("cases").at(0);
  EXPECT_EQ(json.at("mode"), "propagate");
  EXPECT_EQ(json.at("first_guilty").at("node"), "scores");
  EXPECT_EQ(json.at("first_guilty").at("text"), attribution::guilty_text(cases[0]));
  EXPECT_GT(json.at("nodes").at(1).at("total").at("ratio"), 1);
  EXPECT_EQ(json.at("nodes").at(0).at("amplification"), nullptr);
  EXPECT_GT(json.at("nodes").at(1).at("amplification"), 0);
}

/// A run in propagate mode is judged again by what it was judged by.
TEST(Mode, IsRecordedAndKeptByJudge) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "plumb_mode.h5";
  auto suspect = wrong_scores();
  {
    results::Recorder recorder(path, {});
    recorder.record(verify_on(suspect, make_case(small_graph), {.mode = core::Mode::propagate}, recorder));
    recorder.finish();
  }
  EXPECT_THAT(results::check_schema(path), ::testing::IsEmpty());
  const auto run = ir::hdf5::Store::open(path).read<results::Run>("/runs", results::run_type()).rows.at(0);
  EXPECT_EQ(run.mode, core::Mode::propagate);
  EXPECT_EQ(run.first_guilty, 2u);
  const auto policy = policy::parse("schema = \"plumb-policy/1\"\n", "p.toml");
  const auto judged = results::judge_results(path, &policy, policy::today(), "");
  std::filesystem::remove(path);
  EXPECT_EQ(std::ranges::count(judged.at(0).nodes, core::Verdict::failed, &results::JudgedNode::verdict), 3);
}

TEST(Mode, APolicyHoldsTheTotalToItsRulesInPropagate) {
  const policy::Gate gate{.policy = policy::parse(R"(schema = "plumb-policy/1"
[[rule]]
id = "small"
match = {}
require = { max_abs = 1e-5 })",
                                                  "p.toml"),
                          .today = policy::today()};
  auto suspect = wrong_scores();
  const cases::Case subject = make_case(small_graph);
  EXPECT_EQ(failed(verify_on(suspect, subject, {.gate = &gate})), Labels{"scores"});
  EXPECT_EQ(failed(verify_on(suspect, subject, {.gate = &gate, .mode = core::Mode::propagate})),
            (Labels{"scores", "weights", "back"}));
}

}  // namespace
}  // namespace plumb::parity::mode_test
