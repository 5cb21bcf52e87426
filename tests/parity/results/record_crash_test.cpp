// A results file must survive whatever happens to the process that writes the next one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_schema.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::record_crash_test {
namespace {

using ::testing::IsEmpty;
namespace fs = std::filesystem;

/// As a program does first of all; here, before any test.
const bool prepared = (results::Recorder::prepare_process(), true);

/// Never comes back into the tests.
[[noreturn]] void in_child(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
  }
  _exit(9);
}

class RecordCrash : public ::testing::Test {
 protected:
  RecordCrash() : folder_(fs::path(::testing::TempDir()) / "plumb_record_crash"), file_(folder_ / "out.h5") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    testing::Suspect honest;
    result_ = testing::verify_on(honest, testing::make_case(testing::small_graph));
  }
  ~RecordCrash() override { fs::remove_all(folder_); }

  /// Records `runs` cases. No executor runs here: a forked child has no threads.
  void write(int runs) const {
    results::Recorder recorder(file_, {});
    for (int run = 0; run < runs; ++run) recorder.record(result_);
    recorder.finish();
  }

  ino_t inode() const {
    struct stat status {};
    return stat(file_.c_str(), &status) == 0 ? status.st_ino : 0;
  }

  void wait_for_another_file(ino_t before) const {
    using namespace std::chrono_literals;
    const auto start = std::chrono::steady_clock::now();
    while (inode() == before && std::chrono::steady_clock::now() - start < 30s) std::this_thread::sleep_for(1ms);
  }

  std::uint64_t runs_in_file() const {
    EXPECT_THAT(results::check_schema(file_), IsEmpty());
    return ir::hdf5::Store::open(file_).rows("/runs");
  }

  fs::path folder_, file_;
  cases::CaseResult result_;
};

TEST_F(RecordCrash, AKillAtAnyMomentLeavesAWholeFile) {
  constexpr int trials = 15;
  const auto start = std::chrono::steady_clock::now();
  write(3);
  const auto one_write = std::chrono::steady_clock::now() - start;
  write(2);
  int replaced = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto before = inode();
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      in_child([this] {
        for (;;) write(3);
      });
    std::this_thread::sleep_for(one_write * trial * 3 / trials);
    if (trial == trials - 1) wait_for_another_file(before);  // however busy the machine is
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const auto runs = runs_in_file();
    EXPECT_TRUE(runs == 2 || runs == 3) << "trial " << trial << ": " << runs;
    replaced += runs == 3;
  }
  EXPECT_GT(replaced, 0);  // so that kills came after a rename, too
  write(4);                // whatever part file was left is no obstacle
  EXPECT_EQ(runs_in_file(), 4u);
}

TEST_F(RecordCrash, AKilledRunKeepsItsRecordedCasesInThePartFile) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    in_child([this] {
      results::Recorder recorder(file_, {});
      recorder.record(result_);
      recorder.record(result_);
      raise(SIGKILL);
    });
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(fs::exists(file_));
  const auto part = fs::path(file_.string() + ".part");
  EXPECT_THAT(results::check_schema(part), IsEmpty());
  EXPECT_EQ(ir::hdf5::Store::open(part).rows("/runs"), 2u);
}

/// How often a writer is killed: PLUMB_KILLS, or a hundred times.
int kills_wanted() {
  const char* const wanted = std::getenv("PLUMB_KILLS");
  return wanted == nullptr ? 100 : std::max(1, std::atoi(wanted));
}

TEST_F(RecordCrash, AKillAtAnyMomentKeepsEveryFinishedCase) {
  const auto part = fs::path(file_.string() + ".part");
  auto* const recorded = static_cast<std::atomic<std::uint64_t>*>(
      mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(static_cast<void*>(recorded), MAP_FAILED);
  std::mt19937 random(7);
  std::uint64_t most = 0;
  for (int trial = 0; trial < kills_wanted(); ++trial) {
    fs::remove(part);
    recorded->store(0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      in_child([&] {
        results::Recorder recorder(file_, {});
        for (;; recorded->fetch_add(1)) recorder.record(result_);
      });
    // However busy the machine is, some trials have several cases that were finished.
    while (recorded->load() <= static_cast<unsigned>(trial % 3))
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::uint64_t finished = recorded->load();
    results::ResultsFile left(part);
    EXPECT_GE(left.runs().size(), finished) << "trial " << trial;
    EXPECT_LE(left.runs().size(), finished + 1) << "trial " << trial;
    EXPECT_EQ(left.rows().size(), left.runs().size() * result_.nodes.size() * 3) << "trial " << trial;
    most = std::max(most, finished);
  }
  EXPECT_THAT(results::check_schema(part), IsEmpty());
  EXPECT_GT(most, 1u);  // so that there was something to damage
  munmap(recorded, sizeof(std::uint64_t));
}

void let_files_grow_to(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  setrlimit(RLIMIT_FSIZE, &limit);
}

/// Ends the process, with all that libraries do then: with 2 and a line on stderr, if files of `bytes` were too small.
[[noreturn]] void end_by_writing(rlim_t bytes, const std::function<void()>& work) {
  let_files_grow_to(bytes);
  int status = 0;
  try {
    work();
  } catch (const ir::Error& error) {
    let_files_grow_to(RLIM_INFINITY);  // stderr is a file of GoogleTest
    std::cerr << error.what() << std::endl;
    let_files_grow_to(bytes);
    status = 2;
  }
  std::exit(status);
}

/// These end a program of their own, not a copy of this one: what other tests have started, threads for one, is not in
/// it when it ends.
class RecordCrashDeathTest : public RecordCrash {
 protected:
  RecordCrashDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  const std::function<void()> work_ = [this] { write(8); };
};

TEST_F(RecordCrashDeathTest, AFullDiskIsAnErrorThatSaysSo) {
  ASSERT_TRUE(prepared);
  write(2);
  for (const rlim_t bytes : {0, 1000, 10'000, 30'000, 60'000}) {
    EXPECT_EXIT(end_by_writing(bytes, work_), ::testing::ExitedWithCode(2), "File too large") << bytes;
    EXPECT_EQ(runs_in_file(), 2u) << bytes;
  }
}

TEST_F(RecordCrashDeathTest, ADiskWithRoomIsNone) {
  write(2);
  EXPECT_EXIT(end_by_writing(64 << 20, work_), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(runs_in_file(), 8u);
}

}  // namespace
}  // namespace plumb::parity::record_crash_test
