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
#include <random>
#include <thread>

#include "parity/results/record_hdf5.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_schema.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::record_crash_test {
namespace {

using ::testing::HasSubstr;
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
    while (recorded->load() == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
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

/// What `write` says in a process whose files cannot grow beyond `bytes`, or "" if it succeeds.
std::string said_with_limit(rlim_t bytes, const std::function<void()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      work();
    } catch (const ir::Error& error) {
      if (::write(ends[1], error.what(), std::char_traits<char>::length(error.what())) < 0) std::exit(3);
      std::exit(2);  // with all that HDF5 does at the end of a process
    }
    std::exit(0);
  }
  close(ends[1]);
  std::string said;
  char some[256];
  for (ssize_t n = 0; (n = read(ends[0], some, sizeof some)) > 0;) said.append(some, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "it ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), said.empty() ? 0 : 2);
  return said;
}

TEST_F(RecordCrash, AFullDiskIsAnErrorThatSaysSo) {
  ASSERT_TRUE(prepared);
  write(2);
  const auto work = [this] { write(8); };
  EXPECT_EQ(said_with_limit(64 << 20, work), "");
  EXPECT_EQ(runs_in_file(), 8u);
  write(2);
  for (const rlim_t bytes : {0, 1000, 10'000, 30'000, 60'000}) {
    EXPECT_THAT(said_with_limit(bytes, work), HasSubstr("File too large")) << bytes;
    EXPECT_EQ(runs_in_file(), 2u) << bytes;
  }
}

}  // namespace
}  // namespace plumb::parity::record_crash_test
