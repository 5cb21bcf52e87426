// Files that the Vulkan executor writes of its runs, where it is asked to.
#include "tests/support/dumped_runs.hpp"

#include "gpu_vulkan/run/run_times.hpp"
#include "tests/gpu_vulkan/device.hpp"

namespace plumb::gpu_vulkan::dumped_runs_test {
namespace {

class DumpedRuns : public testing::OnDevice {
 protected:
  static std::unique_ptr<ir::Executor> dumping(const ir::DumpOptions& options) {
    return testing::executor_with([&](device::VulkanOptions& by) {
      by.dump = options.dump;
      by.dump_stats = options.dump_stats;
      by.dump_runs = options.dump_runs;
    });
  }
};

TEST_F(DumpedRuns, AreThoseThatWereAskedForWithTheirBits) { plumb::testing::expect_runs_are_dumped(dumping, "gpu"); }

TEST_F(DumpedRuns, MayBeStatistics) { plumb::testing::expect_statistics_are_dumped(dumping, "gpu"); }

TEST_F(DumpedRuns, LeaveTimesOfOthersAsTheyAre) {
  ir::formats::dump_runs();
  const tests::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path);
  const plumb::testing::DumpedGraph of;
  const auto executor = dumping({.dump = "y:" + (folder.path / "y.npz").string()});
  const auto executable = executor->compile(of.graph, of.feeds(0), {{of.y}});
  for (int run = 0; run < 2; ++run) executable->run(of.feeds(0));
  const auto times = run::run_times(*executable);
  ASSERT_TRUE(times.has_value());
  EXPECT_GT(times->wait, 0u);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::dumped_runs_test
