// How rarely a clean run may fail decides every limit of the run, whatever has it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/power/power.hpp"
#include "parity/results/judge.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_schema.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::budget_test {
namespace {

using testing::make_case;
using testing::Suspect;
using testing::verify_on;

/// Sums of many terms, alone and inside of other ops, so that no limit is that of every order of rounding.
constexpr auto many_sums = R"({"format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[6, 80]"}, "image": {"type": "f32[1, 16, 9, 9]"},
             "q": {"type": "f32[1, 2, 9, 64]"}, "k": {"type": "f32[1, 2, 70, 64]"},
             "u": {"type": "f32[200, 4]"}, "i": {"type": "i32[200]", "values": [)";
constexpr auto many_sums_end = R"(]}},
  "params": {"w": {"type": "f32[80, 7]"}, "filter": {"type": "f32[3, 16, 3, 3]"}, "back": {"type": "f32[16, 3, 5, 5]"}},
  "nodes": [{"label": "matmul", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "gemm", "op": "gemm", "inputs": ["x", "w"], "alpha": 0.3},
            {"label": "dot_general", "op": "dot_general", "inputs": ["x", "w"], "a_batch": [], "b_batch": [],
             "a_contract": [1], "b_contract": [0]},
            {"label": "einsum", "op": "einsum", "inputs": ["x", "w"], "equation": "ij,jk->ki"},
            {"label": "conv", "op": "conv", "inputs": ["image", "filter"]},
            {"label": "conv_transpose", "op": "conv_transpose", "inputs": ["image", "back"]},
            {"label": "sum", "op": "reduce", "inputs": ["x"], "function": "sum", "axes": [1]},
            {"label": "l2", "op": "reduce", "inputs": ["x"], "function": "l2", "axes": [1]},
            {"label": "log_sum_exp", "op": "reduce", "inputs": ["x"], "function": "log_sum_exp", "axes": [1]},
            {"label": "cumulative", "op": "cumulative", "inputs": ["x"], "axis": 1},
            {"label": "average", "op": "pool", "inputs": ["image"], "function": "average", "kernel_shape": [9, 9]},
            {"label": "scatter", "op": "scatter_add", "inputs": ["u", "i"], "size": 2},
            {"label": "softmax", "op": "softmax", "inputs": ["x"]},
            {"label": "log_softmax", "op": "log_softmax", "inputs": ["x"]},
            {"label": "layer_norm", "op": "layer_norm", "inputs": ["x"], "has_scale": false, "has_bias": false},
            {"label": "rms_norm", "op": "rms_norm", "inputs": ["x"], "has_scale": false},
            {"label": "group_norm", "op": "group_norm", "inputs": ["image"], "num_groups": 4, "has_scale": false,
             "has_bias": false},
            {"label": "attention", "op": "attention", "inputs": ["q", "k", "k"]},
            {"label": "turned", "op": "transpose", "inputs": ["matmul"], "permutation": [1, 0]}],
  "results": ["matmul", "gemm", "dot_general", "einsum", "conv", "conv_transpose", "sum", "l2", "log_sum_exp",
              "cumulative", "average", "scatter", "softmax", "log_softmax", "layer_norm", "rms_norm", "group_norm",
              "attention", "turned"]})";

cases::Case many_sums_case() {
  std::string text = many_sums;
  for (int i = 0; i < 200; ++i) text += i == 0 ? "0" : i % 2 == 0 ? ", 0" : ", 1";
  return make_case(text + many_sums_end);
}

policy::Gate gate_of_text(const std::string& alpha) {
  const std::string text = "schema = \"plumb-policy/1\"\n[budget]\nfalse_alarm_per_run = " + alpha + "\n";
  return {.policy = policy::parse(text, "p.toml"), .today = policy::today()};
}

policy::Gate gate_of(double alpha) { return gate_of_text(fmt::format("{:g}", alpha)); }

/// The truth of element 5 of "matmul".
double truth_of_5() {
  const cases::Case subject = many_sums_case();
  const auto x = subject.feeds.at("x").as<float>(), w = subject.feeds.at("w").as<float>();
  double sum = 0;
  for (std::size_t k = 0; k < 80; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(w[7 * k + 5]);
  return sum;
}

/// An executor that is off the truth by so much in element 5 of "matmul"; by 0 it is honest.
Suspect off_by(double error) {
  return testing::spoiler("matmul", [error](ir::Tensor& y) {
    if (error != 0) y.as<float>()[5] = static_cast<float>(truth_of_5() + error);
  });
}

/// The limit of element 5 of "matmul", and its error.
compare::Worst limit_by(const policy::Gate* gate) {
  Suspect wrong = off_by(1);
  return testing::node(verify_on(wrong, many_sums_case(), {.gate = gate}), "matmul").local.worst.front();
}

TEST(Budget, LambdaIsOfTheWholeRun) {
  EXPECT_NEAR((compare::FalseAlarms{1e-6, 10'000}.lambda()), 7.0, 0.02);  // the examples of verdict.md V52
  EXPECT_NEAR((compare::FalseAlarms{1e-6, 40'000'000}.lambda()), 8.1, 0.02);
  EXPECT_NEAR((compare::FalseAlarms{1e-3, 10'000}.lambda()), 5.9, 0.02);
  EXPECT_NEAR((compare::FalseAlarms{1e-3, 40'000'000}.lambda()), 7.2, 0.02);
  // A product of 7 × 11, a softmax of it, and a product of 11 × 5: neither what is moved nor integers.
  Suspect honest;
  const cases::CaseResult whole = verify_on(honest, make_case(testing::small_graph));
  EXPECT_EQ(whole.false_alarms.n_limits, 77u + 77 + 55);
  EXPECT_EQ(whole.false_alarms.alpha, compare::usual_false_alarms);
  for (const cases::NodeResult& node : whole.nodes) EXPECT_EQ(node.lambda, whole.false_alarms.lambda()) << node.name();
  EXPECT_EQ(verify_on(honest, make_case(testing::small_graph), {.filter = "^scores$"}).false_alarms.n_limits, 77u);
  Suspect fusing;
  fusing.fused = {"scores"};
  EXPECT_EQ(verify_on(fusing, make_case(testing::small_graph)).false_alarms.n_limits, 77u + 55);
  EXPECT_EQ(verify_on(honest, make_case(testing::small_graph), {.mode = core::Mode::isolate}).false_alarms.n_limits,
            whole.false_alarms.n_limits);
}

TEST(Budget, AlphaMovesEveryLimit) {
  const cases::Case subject = many_sums_case();
  const policy::Gate often = gate_of(1e-3);
  Suspect honest;
  const cases::CaseResult usual = verify_on(honest, subject), tight = verify_on(honest, subject, {.gate = &often});
  ASSERT_EQ(usual.nodes.size(), 19u);
  EXPECT_EQ(usual.false_alarms.n_limits, tight.false_alarms.n_limits);
  EXPECT_LT(tight.false_alarms.lambda(), usual.false_alarms.lambda());
  const double most = usual.false_alarms.lambda() / tight.false_alarms.lambda();
  for (std::size_t n = 0; n < usual.nodes.size(); ++n) {
    const cases::NodeResult &one = usual.nodes[n], &other = tight.nodes[n];
    EXPECT_EQ(one.verdict, core::Verdict::passed) << one.name() << ": " << one.why;
    EXPECT_EQ(other.verdict, core::Verdict::passed) << other.name() << ": " << other.why;
    if (one.name() == "turned") {
      EXPECT_EQ(one.local.ratio(), other.local.ratio());
      continue;
    }
    EXPECT_GT(other.local.ratio(), one.local.ratio()) << one.name();
    EXPECT_LE(other.local.ratio(), one.local.ratio() * most * (1 + 1e-6)) << one.name();
  }
}

/// The error of an element in σ does not depend on how many σ are allowed: to first order, as norms and the roots of
/// sums have squares of errors as well.
TEST(Budget, SigmaDoesNotDependOnAlpha) {
  const cases::Case subject = many_sums_case();
  const policy::Gate often = gate_of(1e-3);
  Suspect honest;
  const cases::CaseResult usual = verify_on(honest, subject), tight = verify_on(honest, subject, {.gate = &often});
  for (std::size_t n = 0; n < usual.nodes.size(); ++n) {
    const double one = usual.nodes[n].local.sigma_max, other = tight.nodes[n].local.sigma_max;
    if (usual.nodes[n].name() == "turned") {
      EXPECT_TRUE(std::isnan(one));
      continue;
    }
    EXPECT_LT(one, 0.6 * usual.false_alarms.lambda()) << usual.nodes[n].name();
    EXPECT_NEAR(one, other, 1e-5 * std::abs(one)) << usual.nodes[n].name();
  }
}

class BudgetOfAFile : public ::testing::Test {
 protected:
  BudgetOfAFile() { std::filesystem::remove(file_); }
  ~BudgetOfAFile() override { std::filesystem::remove(file_); }

  void record(double error, const policy::Gate* gate, const std::optional<cases::Expectation>& expectation = {}) {
    std::filesystem::remove(file_);
    cases::Case subject = many_sums_case();
    if (expectation) subject.expectation = std::make_shared<const cases::Expectation>(*expectation);
    Suspect suspect = off_by(error);
    results::RecordOptions options;
    results::Recorder recorder(file_, options);
    recorder.record(verify_on(suspect, subject, {.gate = gate, .expected = checks::expected::Options{}}, recorder));
    recorder.finish();
  }
  results::JudgedRun judged(const policy::Policy* policy) const {
    return results::judge_results(file_, policy, policy::today()).at(0);
  }
  const std::filesystem::path file_ = std::filesystem::path(::testing::TempDir()) / "plumb_budget.h5";
};

/// An error between the limits of both budgets passes by the one and fails by the other, recorded under either.
TEST_F(BudgetOfAFile, JudgeAgainByAnotherAlpha) {
  const policy::Gate often = gate_of(1e-3), usual = gate_of(1e-6);
  const double least = limit_by(&often).allowed, most = limit_by(&usual).allowed;
  ASSERT_LT(least, most);
  record(least + 0.85 * (most - least), nullptr);
  EXPECT_EQ(judged(nullptr).verdict, core::Verdict::passed);
  EXPECT_EQ(judged(&usual.policy).verdict, core::Verdict::passed);
  const results::JudgedRun strict = judged(&often.policy);
  EXPECT_EQ(strict.verdict, core::Verdict::failed);
  for (const results::JudgedNode& node : strict.nodes)
    EXPECT_EQ(node.verdict, node.name == "matmul" ? core::Verdict::failed : core::Verdict::passed) << node.name;
  record(least + 0.85 * (most - least), &often);
  EXPECT_EQ(judged(nullptr).verdict, core::Verdict::failed);
  EXPECT_EQ(judged(&often.policy).verdict, core::Verdict::failed);
  EXPECT_EQ(judged(&usual.policy).verdict, core::Verdict::passed);
  record(1.2 * most, &often);
  EXPECT_EQ(judged(&usual.policy).verdict, core::Verdict::failed);
  // An error beyond every order of rounding fails by any budget.
  const policy::Gate hardly_ever = gate_of_text("1e-290");
  record(1.2 * most, nullptr);
  EXPECT_EQ(judged(&hardly_ever.policy).verdict, core::Verdict::passed);
  record(1, nullptr);
  EXPECT_EQ(judged(&hardly_ever.policy).verdict, core::Verdict::failed);
  EXPECT_TRUE(results::check_schema(file_).empty());
}

TEST_F(BudgetOfAFile, RulesOnRatiosSayWhatTheyCannotTell) {
  const policy::Gate often = gate_of(1e-3);
  record(0.5 * limit_by(&often).allowed, nullptr);
  const auto verdict = [&](const std::string& require) {
    const auto policy = policy::parse("schema = \"plumb-policy/1\"\n[budget]\nfalse_alarm_per_run = 1e-3\n[[rule]]\n" +
                                          ("id = \"r\"\nmatch = {}\nrequire = {" + require + "}\n"),
                                      "p.toml");
    const results::JudgedRun run = judged(&policy);
    return std::ranges::find(run.nodes, "matmul", &results::JudgedNode::name)->verdict;
  };
  EXPECT_EQ(verdict("ratio_max = 0.6"), core::Verdict::passed);
  EXPECT_EQ(verdict("ratio_max = 0.3"), core::Verdict::failed);
  EXPECT_EQ(verdict("ratio_max = 0.46"), core::Verdict::error);
  EXPECT_EQ(verdict("sigma_max = 5"), core::Verdict::passed);
  EXPECT_EQ(verdict("sigma_max = 1"), core::Verdict::failed);
}

/// Another implementation's tensors are held to the same λ.
TEST_F(BudgetOfAFile, OthersResultsAreJudgedAgain) {
  const cases::Case subject = many_sums_case();
  const policy::Gate often = gate_of(1e-3);
  ref_cpu::CpuExecutor cpu;
  const ir::Value matmul = *subject.file->graph.find("matmul");
  const ir::Tensor honest = cpu.run(subject.file->graph, subject.feeds, {matmul}).at(matmul);
  const auto with = [&](double error) {
    cases::Expectation expectation;
    ir::Tensor given = honest;
    given.as<float>()[5] += static_cast<float>(error);
    expectation.tensors.emplace("matmul", std::move(given));
    return expectation;
  };
  const auto limit_of = [&](const policy::Gate* gate) {
    cases::Case one = subject;
    one.expectation = std::make_shared<const cases::Expectation>(with(1));
    Suspect suspect;
    return verify_on(suspect, one, {.gate = gate, .expected = checks::expected::Options{}})
        .expected.at(0)
        .comparison.worst.front()
        .allowed;
  };
  const double least = limit_of(&often), most = limit_of(nullptr);
  ASSERT_LT(least, most);
  record(0, nullptr, with((least + most) / 2));
  EXPECT_EQ(judged(nullptr).verdict, core::Verdict::passed);
  EXPECT_EQ(judged(&often.policy).verdict, core::Verdict::failed);
  record(0, &often, with((least + most) / 2));
  EXPECT_EQ(judged(nullptr).verdict, core::Verdict::failed);
}

TEST(Budget, AlphaMovesWhatIsExpectedAndRelations) {
  cases::Case subject = many_sums_case();
  const ir::Graph& graph = subject.file->graph;
  ref_cpu::CpuExecutor cpu;
  cases::Expectation expectation;
  const auto results = cpu.run(graph, subject.feeds, graph.results());
  const ir::Value softmax = *graph.find("softmax");
  expectation.tensors.emplace("softmax", results.at(softmax));
  subject.expectation = std::make_shared<const cases::Expectation>(std::move(expectation));
  const policy::Gate often = gate_of(1e-3);
  const auto run = [&](const policy::Gate* gate) {
    Suspect honest;
    return verify_on(honest, subject, {.gate = gate, .expected = checks::expected::Options{}, .metamorphic = true});
  };
  Suspect honest;
  const cases::CaseResult usual = run(nullptr), tight = run(&often);
  EXPECT_EQ(usual.false_alarms.n_limits, verify_on(honest, subject).false_alarms.n_limits + 6 * 80);
  EXPECT_GT(tight.expected.at(0).comparison.ratio(), usual.expected.at(0).comparison.ratio());
  ASSERT_EQ(tight.relations.size(), usual.relations.size());
  std::size_t moved = 0;
  for (std::size_t r = 0; r < usual.relations.size(); ++r) {
    if (usual.relations[r].bitwise || !(usual.relations[r].ratio > 0)) continue;
    EXPECT_GE(tight.relations[r].ratio, usual.relations[r].ratio) << usual.relations[r].label;
    moved += tight.relations[r].ratio > usual.relations[r].ratio;
  }
  EXPECT_GT(moved, 5u);
}

TEST(Budget, AlphaMovesWhatPowerSees) {
  const cases::Case subject = make_case(testing::small_graph);
  ref_cpu::CpuExecutor reference, candidate;
  const auto least = [&](const policy::Gate* gate) {
    cases::Observer nobody;
    const power::Options options{.faults = "scaled*", .filter = "^back$", .gate = gate};
    const power::Result result = power::measure(
        subject, {.reference = reference, .candidate = &candidate, .candidate_is_host = true}, options, nobody);
    double smallest = 1;
    for (const power::NodePower& node : result.nodes)
      for (const power::Trial& trial : node.trials)
        if (trial.smallest) smallest = std::min(smallest, trial.smallest->share);
    return smallest;
  };
  const policy::Gate often = gate_of(0.9);
  EXPECT_LT(least(&often), least(nullptr));
}

}  // namespace
}  // namespace plumb::parity::budget_test
