// Workers: together they do each task once, whatever happens to one of them.
#include "parity/campaign/worker.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "ir/error.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::campaign_worker_test {
namespace {

using namespace std::chrono_literals;
using parity::campaign::Attempt;
using parity::campaign::Queue;
using parity::campaign::Rates;
using parity::campaign::Task;
using parity::campaign::Worked;
using parity::campaign::WorkerOptions;
using ::testing::ElementsAre;
using ::testing::SizeIs;

struct Workers : ::testing::Test {
  tests::TemporaryFolder folder;
  std::vector<std::string> order;  ///< paths of tasks as they were run
  std::mutex mutex;

  void plan(std::size_t count, const std::vector<std::string>& devices = {}, unsigned retries = 2) const {
    parity::campaign::TaskList list{.folder = ".", .plan = "plan.toml"};
    for (std::size_t i = 0; i < count; ++i) {
      Task task{.path = fmt::format("{}.json", i), .devices = devices, .retries = retries};
      task.cost = static_cast<double>(i + 1);
      task.id = id_of(task);
      list.tasks.push_back(task);
    }
    std::filesystem::create_directories(folder.path);
    write_tasks(folder.path, list);
  }

  Queue queue(const std::string& worker) const {
    Queue made(folder.path, worker, 60s);
    made.make_folders();
    return made;
  }

  /// A task that does nothing but leave results.
  Attempt done(const Queue& queue, const Task& task) {
    const Attempt attempt{.end = Attempt::End::done, .made = queue.making(task, ".h5")};
    std::ofstream(attempt.made) << task.path;
    const std::scoped_lock lock(mutex);
    order.push_back(task.path);
    return attempt;
  }

  WorkerOptions doing(const Queue& queue, std::function<Attempt(const Task&)> run = {}) {
    WorkerOptions options;
    options.poll = 2ms;
    options.run = [this, &queue, run](const Task& task, const std::function<bool()>&) {
      return run ? run(task) : done(queue, task);
    };
    return options;
  }
};

TEST_F(Workers, TheMostExpensiveTaskComesFirst) {
  plan(3);
  Queue one = queue("one");
  const Worked worked = work(one, doing(one));
  EXPECT_EQ(worked.end, Worked::End::all_over);
  EXPECT_EQ(worked.done, 3u);
  EXPECT_THAT(order, ElementsAre("2.json", "1.json", "0.json"));
  EXPECT_EQ(work(one, doing(one)).done, 0u);
}

/// The processor's time is measured, which is the same on a machine that has other work.
TEST_F(Workers, FourDoEachEmptyTaskOnceAndFast) {
  constexpr std::size_t count = 2000;
  plan(count);
  const std::clock_t begin = std::clock();
  std::atomic<std::size_t> done = 0;
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < 4; ++k)
      threads.emplace_back([&, k] {
        Queue queue = this->queue(fmt::format("worker{}", k));
        done += work(queue, doing(queue)).done;
      });
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(done, count);
  EXPECT_THAT(order, SizeIs(count));
  std::map<std::string, int> times;
  for (const std::string& path : order) ++times[path];
  EXPECT_THAT(times, SizeIs(count));
  EXPECT_LT(seconds / count, 5e-3);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path / "claims"));
}

TEST_F(Workers, ATaskThatFailsIsTriedLastAndThenIsOver) {
  plan(3);
  Queue one = queue("one");
  const Worked worked = work(one, doing(one, [&](const Task& task) -> Attempt {
                               if (task.path != "2.json") return done(one, task);
                               order.push_back(task.path);
                               return {.end = Attempt::End::failed, .how = "crashed"};
                             }));
  EXPECT_EQ(worked.end, Worked::End::all_over);
  EXPECT_EQ(worked.done, 2u);
  EXPECT_EQ(worked.failed, 3u);
  EXPECT_THAT(order, ElementsAre("2.json", "1.json", "0.json", "2.json", "2.json"));
}

TEST_F(Workers, OneWhoseTaskWasTakenOverHasNotFailedAtIt) {
  plan(1);
  Queue one = queue("one"), other = queue("other");
  const Worked worked = work(one, doing(one, [&](const Task& task) -> Attempt {
                               // As one that takes over does, which then is done at once.
                               std::filesystem::remove(folder.path / "claims" / task.id);
                               EXPECT_TRUE(other.finish(task, done(other, task).made));
                               return {.end = Attempt::End::failed, .how = "its results are gone"};
                             }));
  EXPECT_EQ(worked.end, Worked::End::all_over);
  EXPECT_EQ(worked.failed, 0u);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path / "failed"));
}

TEST_F(Workers, TheLastTryIsTheResultWhereItLeftOne) {
  plan(1, {}, 0);
  Queue one = queue("one");
  work(one, doing(one, [&](const Task& task) {
         Attempt attempt = done(one, task);
         attempt.end = Attempt::End::failed;
         return attempt;
       }));
  const auto tasks = parity::campaign::read_tasks(folder.path).tasks;
  EXPECT_TRUE(std::filesystem::exists(one.done(tasks[0])));
  EXPECT_THAT(one.failures(tasks[0]), SizeIs(1));
}

TEST_F(Workers, ADeviceThatFailsAtThreeTasksIsRetired) {
  plan(5, {"gpu"});
  Queue one = queue("one");
  WorkerOptions options =
      doing(one, [](const Task&) { return Attempt{.end = Attempt::End::failed, .how = "device lost"}; });
  options.device = "host.0";
  const Worked worked = work(one, options);
  EXPECT_EQ(worked.end, Worked::End::retired);
  EXPECT_EQ(worked.failed, 3u);
  EXPECT_TRUE(one.is_retired("host.0"));
  EXPECT_EQ(work(one, options).failed, 0u);
}

TEST_F(Workers, OneTaskThatFailsAgainAndAgainRetiresNoDevice) {
  plan(1, {"gpu"}, 5);
  Queue one = queue("one");
  WorkerOptions options =
      doing(one, [](const Task&) { return Attempt{.end = Attempt::End::failed, .how = "device lost"}; });
  options.device = "host.0";
  EXPECT_EQ(work(one, options).failed, 6u);
  EXPECT_FALSE(one.is_retired("host.0"));
}

TEST_F(Workers, OneThatIsToldToStopGivesBackWhatItDoesNotFinish) {
  plan(3);
  Queue one = queue("one");
  bool is_stopped = false;
  WorkerOptions options;
  options.is_stopped = [&] { return is_stopped; };
  options.run = [&](const Task& task, const std::function<bool()>& is_to_end) -> Attempt {
    if (task.path == "2.json") return done(one, task);
    EXPECT_FALSE(is_to_end());
    is_stopped = true;
    // As fast as the first one, it would end within 30 s, and may.
    EXPECT_FALSE(is_to_end());
    return {};
  };
  const Worked worked = work(one, options);
  EXPECT_EQ(worked.end, Worked::End::stopped);
  EXPECT_EQ(worked.done, 1u);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path / "claims"));
}

TEST_F(Workers, WhatWillTakeLongerThanThereIsTimeIsEndedAtOnce) {
  plan(1);
  Queue one = queue("one");
  WorkerOptions options;
  options.until = std::chrono::steady_clock::now() + 50ms;
  options.run = [&](const Task&, const std::function<bool()>& is_to_end) -> Attempt {
    while (!is_to_end()) std::this_thread::sleep_for(1ms);
    return {};
  };
  EXPECT_EQ(work(one, options).end, Worked::End::stopped);
}

TEST_F(Workers, TasksOfOtherDevicesAreLeft) {
  plan(2);
  Queue one = queue("one");
  WorkerOptions options = doing(one);
  options.takes = [](const Task& task) { return task.path == "0.json"; };
  const Worked worked = work(one, options);
  EXPECT_EQ(worked.end, Worked::End::not_for_us);
  EXPECT_EQ(worked.done, 1u);
}

TEST_F(Workers, AnErrorLeavesTheTaskToOthers) {
  plan(1);
  Queue one = queue("one");
  EXPECT_EQ(tests::message_of([&] { work(one, doing(one, [](const Task&) -> Attempt { ir::fail("no space"); })); }),
            "no space");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path / "claims"));
  EXPECT_EQ(work(one, doing(one)).done, 1u);
}

TEST(CampaignRates, AreTheMedianOfAKind) {
  Rates rates;
  Task task{.cost = 100};
  EXPECT_FALSE(rates.seconds_of(task).has_value());
  for (const double seconds : {1.0, 2.0, 50.0}) rates.add(task.kind, 10, seconds);
  EXPECT_DOUBLE_EQ(rates.seconds_of(task).value(), 20);
  task.kind = parity::campaign::Kind::power;
  EXPECT_FALSE(rates.seconds_of(task).has_value());
}

}  // namespace
}  // namespace plumb::campaign_worker_test
