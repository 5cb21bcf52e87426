// version_1.h5 is what `plumb verify --precision f16acc16 --seeds 20 --policy` recorded before version 2 of the schema:
// of a product that was summed in f16 it says that it was computed in f32, and by which policy, but not how it was
// summed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "parity/policy/policy_file.hpp"
#include "parity/results/judge.hpp"
#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_report.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/studies/fit/fit_policy.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::results::version_1_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
namespace fs = std::filesystem;

fs::path version_1() { return tests::source_dir() / "tests" / "parity" / "results" / "version_1.h5"; }

/// The product of a judged run.
const JudgedNode& product(const JudgedRun& run) { return *std::ranges::find(run.nodes, "matmul", &JudgedNode::op); }

TEST(VersionOne, IsReadAndSaysWhatItDidNotRecord) {
  ResultsFile file(version_1());
  EXPECT_EQ(file.version(), 1);
  ASSERT_EQ(file.runs().size(), 20u);
  const auto& run = file.runs()[7];
  EXPECT_EQ(file.precision(run), "precision not recorded");
  EXPECT_EQ(file.device(run).facts.driver, "llvmpipe");
  EXPECT_TRUE(file.device(run).is_software);
  ASSERT_EQ(file.local_rows(run).size(), 3u);
  const Node& row = file.rows()[file.local_rows(run).back()];
  EXPECT_EQ(file.label(run, row), "scores");
  EXPECT_EQ(file.node_of(run, row).k_reduce, 4u);
  EXPECT_FALSE(file.kernel(row).is_recorded);
  EXPECT_THAT(file.sums(run, row), IsEmpty());
}

TEST(VersionOne, KeepsToWhatVersionTwoKept) { EXPECT_THAT(check_schema(version_1()), IsEmpty()); }

TEST(VersionOne, IsInspected) {
  EXPECT_THAT(results_report(version_1(), {.is_each_run_shown = true}),
              AllOf(HasSubstr("plumb.results 1.7.0"), HasSubstr("seed 20, precision not recorded"),
                    ::testing::ContainsRegex("not recorded +not recorded +- +- +passed")));
}

TEST(VersionOne, IsJudgedByItsOwnPolicyAsItWas) {
  const auto runs = judge_results(version_1(), nullptr, policy::today());
  ASSERT_EQ(runs.size(), 20u);
  for (const JudgedRun& run : runs) {
    EXPECT_EQ(run.verdict, core::Verdict::passed);
    EXPECT_EQ(product(run).rule, 0u);  // match = { op = "matmul", acc = "f32" }
  }
}

TEST(VersionOne, NoRuleKnowsHowItWasSummed) {
  for (const char* match : {"accumulation = \"f16\"", "accumulation = \"f32\"", "kernel = \"?*\"", "tile = \"?*\""}) {
    const auto policy = policy::parse(std::string("schema = \"plumb-policy/1\"\n[[rule]]\nid = \"r\"\nmatch = { ") +
                                          match + " }\nrequire = { max_abs = 0 }\n",
                                      "p.toml");
    for (const JudgedRun& run : judge_results(version_1(), &policy, policy::today(), "scores")) {
      EXPECT_EQ(product(run).rule, std::nullopt) << match;
      EXPECT_THAT(product(run).explanation, HasSubstr("accumulation not recorded"));
    }
  }
}

TEST(VersionOne, IsFittedWithoutAnAccumulation) {
  const studies::fit::Samples read = studies::fit::read_samples(version_1(), 0);
  EXPECT_EQ(read.runs, 20u);
  const studies::fit::Fit found = studies::fit::fit(read.samples, {});
  ASSERT_EQ(found.rules.size(), 1u);
  EXPECT_EQ(found.rules[0].group.op, "matmul");
  EXPECT_THAT(
      studies::fit::policy_text(found, {.options = {}, .at = "2026-11-23", .commit = ""}),
      AllOf(HasSubstr("op = \"matmul\", in = \"f16\", dtype = \"f32\", device"), Not(HasSubstr("accumulation"))));
}

TEST(VersionOne, IsNotAddedTo) {
  const fs::path copy = fs::path(::testing::TempDir()) / "plumb_version_1.h5";
  fs::copy_file(version_1(), copy, fs::copy_options::overwrite_existing);
  try {
    Recorder recorder(copy, {.append = true});
    ADD_FAILURE() << "it was opened";
  } catch (const ir::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is of version 1 and has no room for what version 2 records"));
  }
  EXPECT_THAT(check_schema(copy), IsEmpty());
  fs::remove(copy);
}

}  // namespace
}  // namespace plumb::parity::results::version_1_test
