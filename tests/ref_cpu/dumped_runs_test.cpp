// Files that the CPU executor writes of its runs, where it is asked to.
#include "tests/support/dumped_runs.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "ir/formats/dumps/run_list.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ref_cpu::dumped_runs_test {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<ir::Executor> dumping(const ir::DumpOptions& options) {
  return std::make_unique<CpuExecutor>(CpuOptions{.dumps = options});
}

TEST(NobodyDumps, WhereFilesAreAskedFor) {
  const std::string problem = tests::message_of([] { ir::require_dumpable({.dump = "y"}); });
  EXPECT_THAT(problem, HasSubstr("nobody writes files in this program"));
  EXPECT_EQ(tests::message_of([] { ir::require_dumpable({}); }), "");
}

TEST(DumpedRuns, AreThoseThatWereAskedForWithTheirBits) { plumb::testing::expect_runs_are_dumped(dumping, "cpu"); }

TEST(DumpedRuns, MayBeStatistics) { plumb::testing::expect_statistics_are_dumped(dumping, "cpu"); }

TEST(DumpedRuns, AreAskedForByTheEnvironmentOfWhoReadsIt) {
  ir::formats::dump_runs();
  ASSERT_EQ(setenv("PLUMB_DUMP", "a|b:1:out.npz", 1), 0);
  ASSERT_EQ(setenv("PLUMB_DUMP_RUNS", "0,3-5", 1), 0);
  ASSERT_EQ(setenv("PLUMB_DUMP_STATS", "0", 1), 0);
  const CpuOptions options = options_from_environment();
  EXPECT_EQ(options.dumps.dump, "a|b:1:out.npz");
  EXPECT_EQ(options.dumps.dump_runs, "0,3-5");
  EXPECT_FALSE(options.dumps.dump_stats);
  EXPECT_EQ(CpuOptions().dumps.dump, "") << "who does not read it is left alone";
  ASSERT_EQ(setenv("PLUMB_DUMP_STATS", "yes", 1), 0);
  EXPECT_EQ(tests::message_of([] { options_from_environment(); }), "PLUMB_DUMP_STATS must be true or false, got 'yes'");
  for (const char* const name : {"PLUMB_DUMP", "PLUMB_DUMP_RUNS", "PLUMB_DUMP_STATS"}) ASSERT_EQ(unsetenv(name), 0);
  EXPECT_EQ(options_from_environment().dumps.dump, "");
}

TEST(DumpedRuns, RefuseWhatCannotBeFollowed) {
  ir::formats::dump_runs();
  const auto refused = [](const ir::DumpOptions& options) {
    return tests::message_of([&] { ir::require_dumpable(options); });
  };
  EXPECT_THAT(refused({.dump = "("}), HasSubstr("PLUMB_DUMP '(' is not a regular expression"));
  EXPECT_THAT(refused({.dump = "y:y.txt"}), HasSubstr("y.txt"));
  EXPECT_THAT(refused({.dump = "y:y.npy"}), HasSubstr("a .npy file holds one tensor"));
  EXPECT_THAT(refused({.dump = "y:y.h5", .dump_stats = true}), HasSubstr("it is JSON that is written"));
  for (const char* const runs : {"", "x", "-1", "3-1", "1,", "0-", "1 "})
    EXPECT_THAT(refused({.dump = "y", .dump_runs = runs}), HasSubstr("PLUMB_DUMP_RUNS")) << runs;
  for (const char* const dump : {"", "y", "(?:y|split:1)", "split:1", "[[:alpha:]].*", "y:some/folder/y.h5", ":y.npz"})
    EXPECT_EQ(refused({.dump = dump}), "") << dump;
}

TEST(RunList, HasRangesAndSingleRuns) {
  const ir::formats::RunList runs("2-4,7", "--runs");
  for (const std::uint64_t run : {2, 3, 4, 7}) EXPECT_TRUE(runs.contains(run)) << run;
  for (const std::uint64_t run : {0, 1, 5, 6, 8}) EXPECT_FALSE(runs.contains(run)) << run;
  EXPECT_EQ(runs.last(), 7u);
  EXPECT_FALSE(runs.is_one());
  EXPECT_TRUE(ir::formats::RunList("5", "--runs").is_one());
}

}  // namespace
}  // namespace plumb::ref_cpu::dumped_runs_test
