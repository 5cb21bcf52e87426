#include "parity/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parity/policy_file.hpp"
#include "parity/policy_gate.hpp"
#include "parity/record_hdf5.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity {
namespace {

using ::testing::HasSubstr;
using testing::make_case;
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

class Judge : public ::testing::Test {
 protected:
  Judge() {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    file_ = fs::path(::testing::TempDir()) / (std::string("plumb_judge_") + test->name() + ".h5");
    fs::remove(file_);
  }
  ~Judge() override { fs::remove(file_); }

  /// One run that passes on the bound and one in which "scores" is wrong.
  void record_two(const policy::Gate* gate = nullptr) {
    RecordOptions options;
    options.device = {.uuid = "00ff", .name = "a device", .driver_name = "a driver", .driver_info = "Mesa 22.3.6"};
    Suspect honest, wrong = wrong_scores();
    Recorder recorder(file_, options);
    const VerifyOptions how{.gate = gate};
    recorder.record(verify_on(honest, make_case(small_graph, 1), how, recorder));
    recorder.record(verify_on(wrong, make_case(small_graph, 2), how, recorder));
    recorder.finish();
  }

  std::vector<JudgedRun> judged(const std::string& body, const std::string& explain = "") const {
    return judge_results(file_, policy_of(body), policy::today(), explain);
  }

  fs::path file_;
};

TEST(VerifyByPolicy, ARuleDecidesInPlaceOfTheBound) {
  Suspect wrong = wrong_scores();
  const auto subject = make_case(small_graph);
  EXPECT_EQ(verify_on(wrong, subject).nodes[0].verdict, Verdict::failed);
  const auto loose = gate_of(rule("node = \"scores\"", "require = { max_abs = 1e-2 }"), "scores");
  const CaseResult passes = verify_on(wrong, subject, {.gate = &loose});
  EXPECT_EQ(passes.nodes[0].verdict, Verdict::passed);
  EXPECT_EQ(passes.nodes[0].rule, 0u);
  EXPECT_THAT(passes.nodes[0].explanation, HasSubstr("r (p.toml:2): matches"));
  EXPECT_THAT(passes.nodes[0].explanation, HasSubstr("(matmul, f32->f32, acc f32, k_reduce 5) on 'a device'"));
  EXPECT_EQ(passes.nodes[1].explanation, "");
  EXPECT_FALSE(passes.nodes[1].rule.has_value());
  const auto known = gate_of(rule("op = \"matmul\", driver = \"a driver <22.4\"",
                                  "verdict = \"xfail\"\nreason = \"known\"\nexpires = 9999-12-31"));
  const CaseResult expected = verify_on(wrong, subject, {.gate = &known});
  EXPECT_EQ(expected.nodes[0].verdict, Verdict::xfailed);
  EXPECT_EQ(expected.nodes[3].verdict, Verdict::xpassed);
  EXPECT_EQ(expected.exit, ExitCode::passed);
  EXPECT_EQ(exit_code(std::vector{expected}, true), ExitCode::failed);
}

TEST(VerifyByPolicy, AnExpectedFailureHidesNothingElse) {
  float runs = 0;
  auto fickle = spoiler("scores", [&runs](ir::Tensor& y) { y.as<float>()[3] += 1 + runs++; });
  auto on_host = spoiler("scores", [](ir::Tensor& y) { y.as<float>()[3] += 1; });
  on_host.on_host = {"scores"};
  const auto known =
      gate_of(rule("node = \"scores\"", "verdict = \"xfail\"\nreason = \"known\"\nexpires = 9999-12-31"));
  const auto subject = make_case(small_graph);
  EXPECT_EQ(verify_on(fickle, subject, {.gate = &known}).nodes[0].verdict, Verdict::xfailed);
  EXPECT_EQ(verify_on(fickle, subject, {.repeat = 2, .gate = &known}).nodes[0].verdict, Verdict::nondeterministic);
  EXPECT_EQ(verify_on(on_host, subject, {.gate = &known}).nodes[0].verdict, Verdict::fallback);
}

TEST(VerifyByPolicy, AsksEveryElementWhereNumbersDoNotTell) {
  Suspect wrong = wrong_scores();
  const auto subject = make_case(small_graph);
  const auto verdict = [&](const std::string& require) {
    const auto gate = gate_of(rule("node = \"scores\"", "require = {" + require + "}"));
    return verify_on(wrong, subject, {.gate = &gate}).nodes[0].verdict;
  };
  EXPECT_EQ(verdict("allclose = { rtol = 1e-5, atol = 1.1e-3 }"), Verdict::passed);
  EXPECT_EQ(verdict("allclose = { rtol = 1e-5, atol = 0.9e-4 }"), Verdict::failed);
  EXPECT_EQ(verdict("bitwise = true"), Verdict::failed);
}

TEST_F(Judge, TheBoundSaysWhatItSaidBefore) {
  record_two();
  for (const JudgedRun& run : judged("")) {
    EXPECT_EQ(run.verdict, run.was);
    for (const JudgedNode& node : run.nodes) EXPECT_EQ(node.verdict, node.was) << node.name;
  }
  EXPECT_EQ(exit_code(judged(""), false), ExitCode::failed);
}

TEST_F(Judge, SaysWhatVerifySaysByTheSamePolicy) {
  for (const char* require : {"max_abs = 1e-2", "max_abs = 1e-4", "ratio_max = 1e-3", "rel_l2 = 1e-6", "max_ulp = 3"}) {
    const std::string body =
        rule("op = \"matmul\", driver = \"a driver ==22.3.6\"", "require = {" + std::string(require) + "}");
    const auto gate = gate_of(body);
    record_two(&gate);
    for (const JudgedRun& run : judged(body))
      for (const JudgedNode& node : run.nodes) EXPECT_EQ(node.verdict, node.was) << require << ": " << node.name;
    fs::remove(file_);
  }
}

TEST_F(Judge, AnotherPolicyChangesOldRuns) {
  record_two();
  const auto loose = judged(rule("node = \"scores\"", "require = { max_abs = 1e-2 }"), "scores");
  EXPECT_EQ(loose[1].was, Verdict::failed);
  EXPECT_EQ(loose[1].verdict, Verdict::passed);
  EXPECT_FALSE(loose[1].nodes[0].within_bound);
  EXPECT_THAT(to_text(loose), HasSubstr("scores (matmul): passed (was failed)"));
  EXPECT_THAT(to_text(loose), HasSubstr("r (p.toml:2): matches"));
  EXPECT_THAT(to_text(loose), HasSubstr("2 runs: 2 passed; 1 changed"));
  const auto strict = judged("[output]\nback = { max_abs = 0 }\n");
  EXPECT_EQ(strict[0].verdict, Verdict::failed);
  EXPECT_THAT(to_text(strict), HasSubstr("[output] 'back' (p.toml:3)"));
}

TEST_F(Judge, RefusesWhatIsNoResultsFile) { EXPECT_THROW(judged(""), ir::Error); }

}  // namespace
}  // namespace plumb::parity
