// Results files of graphs that ran in another dtype: total errors against the graph as it was written, those against
// the converted one next to them, and older files with these alone, where the others are not known.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "parity/policy/policy_file.hpp"
#include "parity/report/report.hpp"
#include "parity/results/judge.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/results/stored_case.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::converted_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::node;
using testing::Suspect;
using testing::verify_on;
namespace fs = std::filesystem;

constexpr auto tiny_weights = R"({"format": "plumb.graph/1", "why": "weights that f16 keeps few bits of",
  "inputs": {"x": {"type": "f32[4, 64]"}},
  "params": {"w": {"type": "f32[64, 48]", "fill": {"distribution": "normal", "scale": 1e-7}}},
  "nodes": [{"label": "h", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "n", "op": "layer_norm", "inputs": ["h"], "axis": 1, "epsilon": 1e-30, "has_scale": false,
             "has_bias": false},
            {"label": "p", "op": "softmax", "inputs": ["n"]}],
  "results": ["p"]})";

class Converted : public ::testing::Test {
 protected:
  Converted() {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / (std::string("plumb_converted_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ / "g.json") << tiny_weights;
  }
  ~Converted() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / "out.h5"; }
  cases::Case loaded() const { return verify::load_case(folder_ / "g.json", {.dtype = ir::DType::f16}); }

  cases::CaseResult record(const cases::Case& subject, core::Mode mode = core::Mode::attribute) const {
    Suspect honest;
    results::RecordOptions options;
    options.device = {.uuid = "00ff", .name = "a device", .driver_name = "a driver"};
    results::Recorder recorder(file(), options);
    const cases::CaseResult result = verify_on(honest, subject, {.mode = mode}, recorder);
    recorder.record(result);
    recorder.finish();
    return result;
  }

  std::vector<results::JudgedRun> judged(const std::string& body) const {
    const auto policy = policy::parse("schema = \"plumb-policy/1\"\n" + body, "p.toml");
    return results::judge_results(file(), &policy, policy::today());
  }

  /// As plumb 2.8 wrote it: of such a run the error against the converted graph, by the name of total.
  void record_as_before() const {
    cases::Case subject = loaded();
    subject.as_written.reset();
    record(subject);
    ir::hdf5::Store::open_to_append(file()).set("/", "schema_version", std::string("2.8.0"));
  }

  fs::path folder_;
};

TEST_F(Converted, IsARowOfItsOwn) {
  const cases::CaseResult was = record(loaded());
  EXPECT_THAT(results::check_schema(file()), IsEmpty());
  results::ResultsFile file(this->file());
  EXPECT_EQ(file.rows().size(), 4 * was.nodes.size());
  const cases::CaseResult is = results::stored_case(file, file.runs()[0]);
  ASSERT_EQ(is.nodes.size(), was.nodes.size());
  for (std::size_t n = 0; n < was.nodes.size(); ++n) {
    ASSERT_TRUE(is.nodes[n].converted);
    EXPECT_DOUBLE_EQ(is.nodes[n].total.rel_l2, was.nodes[n].total.rel_l2);
    EXPECT_DOUBLE_EQ(is.nodes[n].converted->rel_l2, was.nodes[n].converted->rel_l2);
    EXPECT_FALSE(is.nodes[n].gates_total);
  }
  EXPECT_THAT(report::to_table(is, report::Detail::worst), HasSubstr("total of p: rel_l2 1.57e-01 against the graph"));
}

TEST_F(Converted, IsWhatModePropagateJudges) {
  const cases::CaseResult was = record(loaded(), core::Mode::propagate);
  results::ResultsFile file(this->file());
  const cases::CaseResult is = results::stored_case(file, file.runs()[0]);
  ASSERT_TRUE(node(was, "p").gates_total);
  EXPECT_TRUE(node(is, "p").gates_total);
  EXPECT_EQ(node(is, "p").gated().ratio(), node(was, "p").gated().ratio());
  EXPECT_EQ(node(is, "p").verdict, node(was, "p").verdict);
  for (const results::JudgedRun& run : judged(""))
    for (const results::JudgedNode& one : run.nodes) EXPECT_EQ(one.verdict, one.was) << one.name;
}

TEST_F(Converted, BudgetsOfOutputsAreHeldByTheGraphAsItWas) {
  record(loaded());
  const auto verdict = [&](const std::string& limit) {
    return judged("[output]\np = { rel_l2 = " + limit + " }\n").front().nodes.back().verdict;
  };
  EXPECT_EQ(verdict("3e-2"), core::Verdict::failed);
  EXPECT_EQ(verdict("2e-1"), core::Verdict::passed);
}

TEST_F(Converted, AnEarlierFileDoesNotKnowTotalsAgainstTheGraphAsItWas) {
  record_as_before();
  results::ResultsFile file(this->file());
  const cases::CaseResult is = results::stored_case(file, file.runs()[0]);
  EXPECT_EQ(node(is, "p").total.n, 0u);
  EXPECT_NEAR(node(is, "p").converted->rel_l2, 2.25e-2, 0.005e-2);
  const results::JudgedNode p = judged("[output]\np = { rel_l2 = 3e-2 }\n").front().nodes.back();
  EXPECT_EQ(p.verdict, core::Verdict::error);
  EXPECT_THAT(p.why, HasSubstr("before version 2.9 a file knows errors against the converted graph alone"));
  EXPECT_EQ(judged("").front().verdict, judged("").front().was);
}

}  // namespace
}  // namespace plumb::parity::converted_test
