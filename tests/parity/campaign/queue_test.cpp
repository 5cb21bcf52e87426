// Claims on tasks: each is one worker's alone, and comes back when that worker is gone.
#include "parity/campaign/queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "ir/files/output_file.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::campaign_queue_test {
namespace {

using namespace std::chrono_literals;
using parity::campaign::Queue;
using parity::campaign::Task;
using ::testing::SizeIs;

Task task_named(const std::string& path) {
  Task task{.path = path};
  task.id = id_of(task);
  return task;
}

struct Campaign : ::testing::Test {
  tests::TemporaryFolder folder;
  const Task task = task_named("a.json");

  Queue queue(const std::string& worker, std::chrono::milliseconds lost_after = 60s) const {
    Queue made(folder.path, worker, lost_after);
    made.make_folders();
    return made;
  }

  std::filesystem::path claim_file() const { return folder.path / "claims" / task.id; }
  /// A claim of a worker that was killed.
  void leave_claim() const { ir::files::write_text(claim_file(), "00000000000000000007 dead\n"); }
  static std::filesystem::path make_results(const Queue& queue, const Task& task) {
    const auto path = queue.making(task, ".h5");
    std::ofstream(path) << "results";
    return path;
  }
};

TEST_F(Campaign, AClaimIsOnesAloneAndGivenBack) {
  Queue one = queue("one"), other = queue("other");
  auto claim = one.claim(task);
  ASSERT_NE(claim, nullptr);
  EXPECT_TRUE(claim->is_ours());
  EXPECT_EQ(other.claim(task), nullptr);
  EXPECT_NE(other.claim(task_named("b.json")), nullptr);
  claim.reset();
  EXPECT_NE(other.claim(task), nullptr);
}

TEST_F(Campaign, ATaskThatIsDoneIsNotClaimed) {
  Queue one = queue("one"), other = queue("other");
  {
    const auto claim = one.claim(task);
    EXPECT_FALSE(one.is_over(task));
    EXPECT_TRUE(one.finish(task, make_results(one, task)));
  }
  EXPECT_TRUE(other.is_over(task));
  EXPECT_EQ(other.claim(task), nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path / "claims"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path / "making"));
}

TEST_F(Campaign, WhatIsDoneStaysTheFirstsResult) {
  const Queue one = queue("one");
  Queue first = queue("first"), second = queue("second");
  EXPECT_TRUE(first.finish(task, make_results(first, task)));
  EXPECT_FALSE(second.finish(task, make_results(second, task)));
  EXPECT_FALSE(second.finish(task, second.making(task, ".h5")));  // gone, as a worker cleans up that took it over
  EXPECT_TRUE(std::filesystem::is_empty(folder.path / "making"));
}

TEST_F(Campaign, AClaimThatStandsStillIsTakenOver) {
  Queue one = queue("one", 40ms);
  leave_claim();
  std::ofstream(folder.path / "making" / (task.id + ".dead.h5.part")) << "half";
  EXPECT_EQ(one.claim(task), nullptr);  // seen for the first time
  std::this_thread::sleep_for(60ms);
  const auto claim = one.claim(task);
  ASSERT_NE(claim, nullptr);
  EXPECT_TRUE(claim->is_ours());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path / "making"));
}

TEST_F(Campaign, AClaimWhoseCounterGrowsIsNot) {
  Queue one = queue("one", 120ms), other = queue("other", 120ms);
  const auto claim = one.claim(task);
  ASSERT_NE(claim, nullptr);
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(other.claim(task), nullptr);
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(claim->is_ours());
}

TEST_F(Campaign, WhoLostAClaimLeavesTheNewOneAlone) {
  Queue one = queue("one"), other = queue("other");
  auto lost = one.claim(task);
  std::filesystem::rename(claim_file(), folder.path / "claims" / "elsewhere");  // as one that takes it over does
  const auto claim = other.claim(task);
  ASSERT_NE(claim, nullptr);
  EXPECT_FALSE(lost->is_ours());
  lost.reset();
  EXPECT_TRUE(claim->is_ours());
}

TEST_F(Campaign, ATaskIsOverWhenItFailedOftenEnough) {
  Queue one = queue("one"), other = queue("other");
  Task twice = task;
  twice.retries = 1;
  EXPECT_EQ(one.fail(twice, {.worker = "one", .device = "gpu", .how = "lost", .output = "a\"b"}), 1u);
  EXPECT_TRUE(one.has_failed_here(twice));
  EXPECT_FALSE(other.has_failed_here(twice));
  EXPECT_FALSE(other.is_over(twice));
  EXPECT_EQ(other.fail(twice, {.worker = "other", .how = "lost"}), 2u);
  EXPECT_TRUE(one.is_over(twice));
  ASSERT_THAT(one.failures(twice), SizeIs(2));
  EXPECT_EQ(one.failures(twice)[0].output, "a\"b");
}

TEST_F(Campaign, ADeviceIsRetiredForAll) {
  Queue one = queue("one");
  const Queue other = queue("other");
  EXPECT_FALSE(other.is_retired("host.0"));
  one.retire("host.0", "failed");
  one.retire("host.0", "failed once more");
  EXPECT_TRUE(other.is_retired("host.0"));
  EXPECT_FALSE(other.is_retired("host.1"));
}

TEST_F(Campaign, AFolderThatCannotBeWrittenToIsAnError) {
  Queue one(folder.path, "one", 60s);
  EXPECT_THAT(tests::message_of([&] { one.claim(task); }), ::testing::HasSubstr("claims"));
}

}  // namespace
}  // namespace plumb::campaign_queue_test
