// Things that are made ahead on several threads and taken in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>

#include "parity/core/parallel.hpp"

namespace plumb::parity::made_ahead_test {
namespace {

/// The calls that were made, in their order.
struct Log {
  std::mutex mutex;
  std::vector<std::size_t> made, taken;

  void make(std::size_t i) {
    const std::lock_guard lock(mutex);
    made.push_back(i);
  }
  bool has_made(std::size_t i) {
    const std::lock_guard lock(mutex);
    return std::ranges::find(made, i) != made.end();
  }
};

core::MadeAhead things(Log& log, std::size_t count) {
  return {.count = count,
          .make = [&log](std::size_t i) { log.make(i); },
          .take =
              [&log](std::size_t i) {
                EXPECT_TRUE(log.has_made(i));
                log.taken.push_back(i);
                return true;
              },
          .size = [](std::size_t) { return 1.0; },
          .most = 1000,
          .threads = [](std::size_t) { return 1; }};
}

std::vector<std::size_t> first_numbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

TEST(MadeAhead, IsMadeOnceAndTakenInOrder) {
  for (const int threads : {1, 2, 7}) {
    const core::ThreadLimit limit(threads);
    Log log;
    core::make_ahead(things(log, 200));
    EXPECT_EQ(log.taken, first_numbers(200));
    std::ranges::sort(log.made);
    EXPECT_EQ(log.made, first_numbers(200));
  }
}

TEST(MadeAhead, OnOneThreadIsTakenAtOnce) {
  const core::ThreadLimit one(1);
  Log log;
  core::MadeAhead all = things(log, 5);
  all.make = [&](std::size_t i) {
    EXPECT_EQ(log.taken.size(), i);
    log.make(i);
  };
  core::make_ahead(all);
  EXPECT_EQ(log.taken, first_numbers(5));
}

TEST(MadeAhead, HoldsNoMoreThanItMay) {
  const core::ThreadLimit several(7);
  Log log;
  core::MadeAhead all = things(log, 300);
  std::atomic<int> held = 0, most = 0;
  all.most = 5;
  all.size = [](std::size_t i) { return i == 17 ? 9.0 : 1.0; };  // one is larger than all may be
  const auto take = all.take;
  all.make = [&](std::size_t i) {
    const int now = held += i == 17 ? 9 : 1;
    int before = most;
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    log.make(i);
  };
  all.take = [&](std::size_t i) {
    held -= i == 17 ? 9 : 1;
    return take(i);
  };
  core::make_ahead(all);
  EXPECT_EQ(log.taken, first_numbers(300));
  EXPECT_LE(most, 9);
}

TEST(MadeAhead, IsMadeByOthersWhileOneIsTaken) {
  const core::ThreadLimit two(2);
  Log log;
  core::MadeAhead all = things(log, 2);
  const auto take = all.take;
  std::atomic<bool> is_ahead = false;
  all.make = [&](std::size_t i) {
    log.make(i);
    if (i == 1) is_ahead = true;
  };
  all.take = [&](std::size_t i) {
    while (i == 0 && !is_ahead) std::this_thread::yield();  // it would wait forever for itself
    return take(i);
  };
  core::make_ahead(all);
  EXPECT_EQ(log.taken, first_numbers(2));
}

TEST(MadeAhead, ThrowsWhereAThingWouldHaveBeenTaken) {
  for (const int threads : {1, 7}) {
    const core::ThreadLimit limit(threads);
    Log log;
    core::MadeAhead all = things(log, 100);
    all.make = [&](std::size_t i) {
      log.make(i);
      if (i == 3 || i == 5) throw std::runtime_error("thing " + std::to_string(i));
    };
    try {
      core::make_ahead(all);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "thing 3");
    }
    EXPECT_EQ(log.taken, first_numbers(3));
  }
}

TEST(MadeAhead, IsCarriedInOrderAndFinishedBeforeItIsTaken) {
  for (const int threads : {1, 2, 9}) {
    const core::ThreadLimit limit(threads);
    Log log;
    core::MadeAhead all = things(log, 200);
    std::vector<std::size_t> carried;
    std::vector<std::atomic<bool>> finished(200);
    const std::thread::id here = std::this_thread::get_id();
    all.carrying = threads / 3;
    all.carry = [&](std::size_t i) {
      EXPECT_TRUE(log.has_made(i));
      EXPECT_EQ(std::this_thread::get_id(), here);
      EXPECT_FALSE(finished[i]);
      carried.push_back(i);
      return true;
    };
    all.finish = [&](std::size_t i) {
      EXPECT_EQ(core::workers_for(1000), 1u);
      finished[i] = true;
    };
    const auto take = all.take;
    all.take = [&](std::size_t i) {
      EXPECT_TRUE(finished[i]);
      EXPECT_GT(carried.size(), i);
      return take(i);
    };
    core::make_ahead(all);
    EXPECT_EQ(log.taken, first_numbers(200));
    EXPECT_EQ(carried, first_numbers(200));
  }
}

TEST(MadeAhead, EndsWithTheFirstThatIsNotCarriedOn) {
  for (const int threads : {1, 7}) {
    const core::ThreadLimit limit(threads);
    Log log;
    core::MadeAhead all = things(log, 100);
    std::atomic<std::size_t> finished = 0;
    all.carry = [](std::size_t i) { return i != 4; };
    all.finish = [&](std::size_t) { ++finished; };
    core::make_ahead(all);
    EXPECT_EQ(log.taken, first_numbers(5));
    EXPECT_EQ(finished, 4u);
  }
}

TEST(MadeAhead, IsCarriedOnByThreadsThatMakeNothing) {
  const core::ThreadLimit several(8);
  Log log;
  core::MadeAhead all = things(log, 64);
  const std::thread::id here = std::this_thread::get_id();
  all.carrying = 3;
  all.make = [&](std::size_t i) {
    EXPECT_NE(std::this_thread::get_id(), here);
    log.make(i);
  };
  std::set<std::size_t> workers;
  all.carry = [&](std::size_t) {
    workers.insert(core::workers_for(1000));
    return true;
  };
  core::make_ahead(all);
  for (const std::size_t count : workers) EXPECT_TRUE(count == 3 || count == 8) << count;  // 8 when all are made
  EXPECT_TRUE(workers.contains(8));
}

TEST(MadeAhead, EndsWhereNoMoreAreWanted) {
  const core::ThreadLimit several(4);
  Log log;
  core::MadeAhead all = things(log, 100);
  all.take = [&](std::size_t i) {
    log.taken.push_back(i);
    return i < 2;
  };
  core::make_ahead(all);
  EXPECT_EQ(log.taken, first_numbers(3));
}

TEST(MadeAhead, EachIsMadeOnAsManyThreadsAsItMay) {
  const core::ThreadLimit several(4);
  Log log;
  core::MadeAhead all = things(log, 8);
  std::vector<std::size_t> workers(8);
  all.threads = [](std::size_t i) { return i == 2 ? 3 : 1; };
  all.make = [&](std::size_t i) {
    workers[i] = core::workers_for(1000);
    log.make(i);
  };
  core::make_ahead(all);
  EXPECT_EQ(workers, (std::vector<std::size_t>{1, 1, 3, 1, 1, 1, 1, 1}));
  EXPECT_EQ(core::workers_for(1000), 4u);
}

}  // namespace
}  // namespace plumb::parity::made_ahead_test
