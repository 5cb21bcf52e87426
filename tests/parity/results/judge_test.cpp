#include "parity/results/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_schema.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::judge_test {
namespace {

using ::testing::HasSubstr;
using testing::make_case;
using testing::node;
using testing::small_graph;
using testing::spoiler;
using testing::Suspect;
using testing::verify_on;
namespace fs = std::filesystem;

policy::Policy policy_of(const std::string& body) {
  return policy::parse("schema = \"plumb-policy/1\"\n" + body, "p.toml");
}

std::string rule(const std::string& match, const std::string& rest) {
  return "[[rule]]\nid = \"r\"\nmatch = {" + match + "}\n" + rest + "\n";
}

policy::Gate gate_of(const std::string& body, const std::string& explain = "") {
  return {.policy = policy_of(body),
          .device = policy::device_facts("a device", "a driver", "Mesa 22.3.6"),
          .today = policy::today(),
          .explain = explain};
}

Suspect wrong_scores() {
  return spoiler("scores", [](ir::Tensor& y) { y.as<float>()[13] += 1e-3f; });
}

class JudgingAgain : public ::testing::Test {
 protected:
  JudgingAgain() {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = fs::path(::testing::TempDir()) / (std::string("plumb_judge_") + test->name() + ".h5");
    fs::remove(file_);
  }
  ~JudgingAgain() override { fs::remove(file_); }

  /// One run that passes on the bound and one in which "scores" is wrong.
  void record_two(const policy::Gate* gate = nullptr) {
    results::RecordOptions options;
    options.device = {.uuid = "00ff", .name = "a device", .driver_name = "a driver", .driver_info = "Mesa 22.3.6"};
    Suspect honest, wrong = wrong_scores();
    results::Recorder recorder(file_, options);
    const verify::VerifyOptions how{.gate = gate};
    recorder.record(verify_on(honest, make_case(small_graph, 1), how, recorder));
    recorder.record(verify_on(wrong, make_case(small_graph, 2), how, recorder));
    recorder.finish();
  }

  std::vector<results::JudgedRun> judged(const std::string& body, const std::string& explain = "") const {
    const auto policy = policy_of(body);
    return results::judge_results(file_, &policy, policy::today(), explain);
  }

  fs::path file_;
};

TEST(VerifyByPolicy, ARuleDecidesInPlaceOfTheBound) {
  Suspect wrong = wrong_scores();
  const auto subject = make_case(small_graph);
  EXPECT_EQ(verify_on(wrong, subject).nodes[0].verdict, core::Verdict::failed);
  const auto loose = gate_of(rule("node = \"scores\"", "require = { max_abs = 1e-2 }"), "scores");
  const cases::CaseResult passes = verify_on(wrong, subject, {.gate = &loose});
  EXPECT_EQ(passes.nodes[0].verdict, core::Verdict::passed);
  EXPECT_EQ(passes.nodes[0].rule, 0u);
  EXPECT_THAT(passes.nodes[0].explanation, HasSubstr("r (p.toml:2): matches"));
  EXPECT_THAT(passes.nodes[0].explanation, HasSubstr("(matmul, f32->f32, accumulation f32, k_reduce 5, kernel "
                                                     "'kernel_of_scores') on 'a device'"));
  EXPECT_EQ(passes.nodes[1].explanation, "");
  EXPECT_FALSE(passes.nodes[1].rule.has_value());
  const auto known = gate_of(rule("op = \"matmul\", driver = \"a driver <22.4\"",
                                  "verdict = \"xfail\"\nratio_max = inf\nreason = \"known\"\nexpires = 9999-12-31"));
  const cases::CaseResult expected = verify_on(wrong, subject, {.gate = &known});
  EXPECT_EQ(expected.nodes[0].verdict, core::Verdict::xfailed);
  EXPECT_EQ(expected.nodes[3].verdict, core::Verdict::xpassed);
  EXPECT_EQ(expected.exit, core::ExitCode::passed);
  EXPECT_EQ(core::exit_code(verify::ends_of(std::vector{expected}), {.strict = true}), core::ExitCode::mistrusted);
}

TEST(VerifyByPolicy, AnExpectedFailureHidesNothingElse) {
  float runs = 0;
  auto fickle = spoiler("scores", [&runs](ir::Tensor& y) { y.as<float>()[3] += 1 + runs++; });
  auto on_host = spoiler("scores", [](ir::Tensor& y) { y.as<float>()[3] += 1; });
  on_host.on_host = {"scores"};
  const auto known = gate_of(
      rule("node = \"scores\"", "verdict = \"xfail\"\nratio_max = inf\nreason = \"known\"\nexpires = 9999-12-31"));
  const auto subject = make_case(small_graph);
  EXPECT_EQ(verify_on(fickle, subject, {.gate = &known}).nodes[0].verdict, core::Verdict::xfailed);
  EXPECT_EQ(verify_on(fickle, subject, {.repeat = 2, .gate = &known}).nodes[0].verdict,
            core::Verdict::nondeterministic);
  EXPECT_EQ(verify_on(on_host, subject, {.gate = &known}).nodes[0].verdict, core::Verdict::fallback);
}

TEST(VerifyByPolicy, AsksEveryElementWhereNumbersDoNotTell) {
  Suspect wrong = wrong_scores();
  const auto subject = make_case(small_graph);
  const auto verdict = [&](const std::string& require) {
    const auto gate = gate_of(rule("node = \"scores\"", "require = {" + require + "}"));
    return verify_on(wrong, subject, {.gate = &gate}).nodes[0].verdict;
  };
  EXPECT_EQ(verdict("allclose = { rtol = 1e-5, atol = 1.1e-3 }"), core::Verdict::passed);
  EXPECT_EQ(verdict("allclose = { rtol = 1e-5, atol = 0.9e-4 }"), core::Verdict::failed);
  EXPECT_EQ(verdict("bitwise = true"), core::Verdict::failed);
}

TEST_F(JudgingAgain, SubnormalsMayBeFlushedWhereThePolicySaysSo) {
  const auto subject = make_case(R"({"format": "plumb.graph/1", "why": "products below the smallest normal",
    "inputs": {"x": {"type": "f32[4]"}},
    "nodes": [{"label": "tiny", "op": "constant", "inputs": [], "dtype": "f32", "shape": [], "values": [1e-39]},
              {"label": "y", "op": "binary", "inputs": ["x", "tiny"], "function": "multiply"}],
    "results": ["y"]})");
  auto flushes = spoiler("y", [](ir::Tensor& y) { std::ranges::fill(y.as<float>(), 0.0f); });
  const std::string keep = "[special]\nsubnormal = \"keep\"\n", flush = "[special]\nsubnormal = \"flush\"\n";
  for (const std::string& asked : {std::string(), keep, flush}) {
    const policy::Gate gate = gate_of(asked);
    fs::remove(file_);
    results::Recorder recorder(file_, {});
    const cases::CaseResult result =
        verify_on(flushes, subject, {.gate = &gate}, recorder);  // this device says it keeps them
    recorder.record(result);
    recorder.finish();
    const bool may = asked == flush;
    EXPECT_EQ(result.may_flush, may);
    EXPECT_EQ(node(result, "y").verdict, may ? core::Verdict::passed : core::Verdict::failed) << asked;
    const auto again = [&](const std::string& policy) { return judged(policy).front().nodes.back().verdict; };
    EXPECT_EQ(again(""), may ? core::Verdict::passed : core::Verdict::failed);
    EXPECT_EQ(again(keep), may ? core::Verdict::error : core::Verdict::failed);
    EXPECT_EQ(again(flush), may ? core::Verdict::passed : core::Verdict::error);
  }
}

TEST_F(JudgingAgain, TheBoundSaysWhatItSaidBefore) {
  record_two();
  for (const results::JudgedRun& run : judged("")) {
    EXPECT_EQ(run.verdict, run.was);
    for (const results::JudgedNode& node : run.nodes) EXPECT_EQ(node.verdict, node.was) << node.name;
  }
  EXPECT_EQ(core::exit_code(results::ends_of(judged("")), {}), core::ExitCode::failed);
}

TEST_F(JudgingAgain, SaysWhatVerifySaysByTheSamePolicy) {
  for (const char* require : {"max_abs = 1e-2", "max_abs = 1e-4", "ratio_max = 1e-3", "rel_l2 = 1e-6", "max_ulp = 3"}) {
    const std::string body =
        rule("op = \"matmul\", driver = \"a driver ==22.3.6\"", "require = {" + std::string(require) + "}");
    const auto gate = gate_of(body);
    record_two(&gate);
    for (const results::JudgedRun& run : judged(body))
      for (const results::JudgedNode& node : run.nodes)
        EXPECT_EQ(node.verdict, node.was) << require << ": " << node.name;
    fs::remove(file_);
  }
}

TEST_F(JudgingAgain, AnotherPolicyChangesOldRuns) {
  record_two();
  const auto loose = judged(rule("node = \"scores\"", "require = { max_abs = 1e-2 }"), "scores");
  EXPECT_EQ(loose[1].was, core::Verdict::failed);
  EXPECT_EQ(loose[1].verdict, core::Verdict::passed);
  EXPECT_FALSE(loose[1].nodes[0].within_bound);
  EXPECT_THAT(results::to_text(loose), HasSubstr("scores (matmul): passed (was failed)"));
  EXPECT_THAT(results::to_text(loose), HasSubstr("r (p.toml:2): matches"));
  EXPECT_THAT(results::to_text(loose), HasSubstr("2 runs: 2 passed; 1 changed"));
  const auto strict = judged("[output]\nback = { max_abs = 0 }\n");
  EXPECT_EQ(strict[0].verdict, core::Verdict::failed);
  EXPECT_THAT(results::to_text(strict), HasSubstr("[output] 'back' (p.toml:3)"));
}

TEST(VerifyByPolicy, AnOutputBudgetIsKeptWhateverIsFilteredOrFused) {
  const auto gate = gate_of("[budget]\nfalse_alarm_per_run = 1e-3\n[output]\n\"back\" = { max_abs = 0 }\n");
  const auto subject = make_case(small_graph);
  Suspect honest, fusing;
  fusing.fused = {"back"};
  const cases::CaseResult filtered = verify_on(honest, subject, {.filter = "^scores$", .gate = &gate});
  EXPECT_EQ(filtered.nodes[3].verdict, core::Verdict::failed);
  EXPECT_EQ(filtered.nodes[1].verdict, core::Verdict::skipped);
  EXPECT_DOUBLE_EQ(filtered.false_alarms.alpha, 1e-3);
  const cases::CaseResult fused = verify_on(fusing, subject, {.gate = &gate});
  EXPECT_EQ(fused.nodes[3].verdict, core::Verdict::error);
  EXPECT_THAT(fused.nodes[3].why, HasSubstr("it was not measured"));
  EXPECT_EQ(fused.exit, core::ExitCode::tool_error);
}

TEST(VerifyByPolicy, NansAreIgnoredWhereThePolicySaysSo) {
  const auto subject = make_case(small_graph);
  auto nans = spoiler("scores", [](ir::Tensor& y) {
    for (std::size_t i = 0; i < 20; ++i) y.as<float>()[3 * i] = std::nanf("");
  });
  const auto verdict = [&](const std::string& require, const char* rule_of_nans) {
    const auto gate = gate_of("[special]\nnan = \"" + std::string(rule_of_nans) + "\"\n" +
                              rule("node = \"scores\"", "require = {" + require + "}"));
    return verify_on(nans, subject, {.gate = &gate}).nodes[0].verdict;
  };
  for (const char* require : {"bound = \"auto\"", "ratio_max = 1", "max_abs = 1e-5", "bitwise = true",
                              "allclose = { rtol = 1e-5, atol = 1e-5 }"})
    EXPECT_EQ(verdict(require, "match"), core::Verdict::failed) << require;
  EXPECT_EQ(verdict("bound = \"auto\"", "ignore"), core::Verdict::passed);
  EXPECT_EQ(verdict("allclose = { rtol = 1e-5, atol = 1e-5 }", "ignore"), core::Verdict::passed);
  EXPECT_EQ(verdict("max_abs = 1e-5", "ignore"), core::Verdict::passed);
  EXPECT_EQ(verdict("ratio_max = 1e-9", "ignore"), core::Verdict::failed);
  nans = spoiler("scores", [](ir::Tensor& y) { y.as<float>()[3] = INFINITY; });
  EXPECT_EQ(verdict("bound = \"auto\"", "ignore"), core::Verdict::failed);
}

TEST_F(JudgingAgain, KnowsOfIgnoredNansFromTheFile) {
  Suspect nans = spoiler("back", [](ir::Tensor& y) { y.as<float>()[3] = std::nanf(""); });
  results::Recorder recorder(file_, {});
  recorder.record(verify_on(nans, make_case(small_graph), {}, recorder));
  recorder.finish();
  EXPECT_EQ(judged("")[0].nodes[3].verdict, core::Verdict::failed);
  EXPECT_EQ(judged("[special]\nnan = \"ignore\"\n")[0].nodes[3].verdict, core::Verdict::passed);
}

TEST_F(JudgingAgain, UsesThePolicyOfTheFile) {
  const auto gate =
      gate_of("[budget]\nfalse_alarm_per_run = 0.01\n" + rule("node = \"scores\"", "require = { max_abs = 1e-2 }"));
  record_two(&gate);
  for (const results::JudgedRun& run : results::judge_results(file_, nullptr, policy::today())) {
    EXPECT_EQ(run.verdict, run.was);
    EXPECT_EQ(run.nodes[0].rule, 0u);
  }
  EXPECT_EQ(judged("")[1].verdict, core::Verdict::failed);
  const auto store = ir::hdf5::Store::open(file_);
  const auto runs = store.read<results::Run>("/runs", results::run_type()).rows;
  EXPECT_DOUBLE_EQ(runs[0].alpha, 0.01);
  EXPECT_EQ(store.children("/policy").size(), 1u);
  EXPECT_THAT(results::check_schema(file_), ::testing::IsEmpty());
}

TEST_F(JudgingAgain, SaysThatABudgetWasNotMeasuredOrNamesNothing) {
  Suspect fusing;
  fusing.fused = {"back"};
  results::Recorder recorder(file_, {});
  recorder.record(verify_on(fusing, make_case(small_graph), {}, recorder));
  recorder.finish();
  const auto policy = policy_of("[output]\n\"back\" = { max_abs = 1 }\n\"logits\" = { max_abs = 1 }\n");
  const auto runs = results::judge_results(file_, &policy, policy::today());
  EXPECT_EQ(runs[0].nodes[3].verdict, core::Verdict::error);
  EXPECT_EQ(core::exit_code(results::ends_of(runs), {}), core::ExitCode::tool_error);
  EXPECT_THAT(results::idle_budgets(policy, runs),
              ::testing::ElementsAre(HasSubstr("p.toml:4: [output] 'logits' unused")));
}

TEST_F(JudgingAgain, RefusesWhatIsNoResultsFile) { EXPECT_THROW(judged(""), ir::Error); }

/// As many runs as a night of seeds leaves: each is judged by its own numbers.
TEST_F(JudgingAgain, KeepsManyRunsApart) {
  Suspect honest, wrong = wrong_scores();
  auto passed = verify_on(honest, make_case(small_graph)), failed = verify_on(wrong, make_case(small_graph));
  results::Recorder recorder(file_, {});
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    cases::CaseResult& result = seed % 10 == 3 ? failed : passed;
    result.subject.seed = seed;
    recorder.record(result);
  }
  recorder.finish();
  const auto runs = results::judge_results(file_, nullptr, policy::today());
  ASSERT_EQ(runs.size(), 200u);
  for (const results::JudgedRun& run : runs) {
    EXPECT_EQ(run.seed, run.run);
    EXPECT_EQ(run.verdict, run.seed % 10 == 3 ? core::Verdict::failed : core::Verdict::passed) << run.seed;
    EXPECT_EQ(run.nodes.size(), 5u);
  }
}

}  // namespace
}  // namespace plumb::parity::judge_test
