// Programs in processes of their own: how they end, what is kept of their output, and that nothing of them is left.
#include "ir/files/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <utility>

#include "ir/error.hpp"
#include "ir/files/interruption.hpp"
#include "ir/files/read_file.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::process_test {
namespace {

using ir::files::last_lines;
using ir::files::ProcessEnd;
using ir::files::ProcessLimits;
using ir::files::run_process;
using ir::files::split_words;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tests::message_of;
using namespace std::chrono_literals;

ProcessEnd shell(const std::string& script, const ProcessLimits& limits = {}) {
  return run_process({"sh", "-c", script}, limits);
}

/// Whether a process of this number still runs; one that has ended and that nobody waits for does not.
bool lives(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  return line.substr(line.rfind(')') + 2, 1) != "Z";
}

bool is_gone_soon(pid_t process) {
  for (int k = 0; k < 200 && lives(process); ++k) std::this_thread::sleep_for(5ms);
  return !lives(process);
}

/// The number that a script wrote into a file.
pid_t number_in(const std::filesystem::path& path) {
  pid_t number = 0;
  for (int k = 0; k < 400 && number == 0; ++k) {
    std::ifstream(path) >> number;
    if (number == 0) std::this_thread::sleep_for(5ms);
  }
  return number;
}

TEST(Process, OutputAndStatusComeBack) {
  const auto good = shell("echo one; echo two >&2; echo three");
  EXPECT_TRUE(good.is_good());
  EXPECT_EQ(good.output, "one\ntwo\nthree\n");
  const auto bad = shell("echo no; exit 3");
  EXPECT_FALSE(bad.is_good());
  EXPECT_EQ(bad.status, 3);
  EXPECT_EQ(bad.signal, "");
  EXPECT_EQ(bad.output, "no\n");
}

TEST(Process, WordsArePassedAsTheyAre) {
  EXPECT_EQ(run_process({"printf", "%s|", "a", "$(x);", "", "y z", "*"}).output, "a|$(x);||y z|*|");
}

TEST(Process, SignalsAreNamed) {
  EXPECT_EQ(shell("kill -SEGV $$").signal, "SIGSEGV");
  EXPECT_EQ(shell("kill -ABRT $$").signal, "SIGABRT");
  EXPECT_EQ(shell("kill -KILL $$").signal, "SIGKILL");
}

TEST(Process, ItHasNoInputNoFilesAndNoCore) {
  const std::filesystem::path source = PLUMB_SOURCE_DIR "/README.md";
  const std::ifstream open_here(source);
  const auto seen = shell("cat; ulimit -c; ls /proc/self/fd | tr '\\n' ' '");
  // The last is of ls, which reads the folder.
  EXPECT_EQ(seen.output, "0\n0 1 2 3 ");
}

TEST(Process, ItLeadsAGroupOfItsOwnAndTakesSignals) {
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  const auto seen = shell("test \"$(cut -d ' ' -f 5 /proc/$$/stat)\" = $$ && echo leads; kill -TERM $$; echo lives");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(seen.output, "leads\n");
  EXPECT_EQ(seen.signal, "SIGTERM");
}

TEST(Process, ALateOneIsToldAndThenKilled) {
  const ProcessLimits limits{.time = 200ms, .grace = 100ms};
  const auto told = shell("trap 'echo told; exit 0' TERM; sleep 60 & wait", limits);
  EXPECT_TRUE(told.is_late);
  EXPECT_FALSE(told.is_good());
  EXPECT_EQ(told.output, "told\n");
  const auto deaf = shell("trap '' TERM; while :; do sleep 60; done", limits);
  EXPECT_TRUE(deaf.is_late);
  EXPECT_EQ(deaf.signal, "SIGKILL");
}

TEST(Process, WhatItStartedEndsWithIt) {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path);
  const auto file = (folder.path / "pid").string();
  // In its group, in a session of its own, and at the deadline.
  EXPECT_TRUE(run_process({"sh", "-c", "sleep 60 & echo $! >" + file}).is_good());
  EXPECT_TRUE(is_gone_soon(number_in(file)));
  std::filesystem::remove(file);
  EXPECT_TRUE(run_process({"sh", "-c",
                           "setsid sh -c 'echo $$ >" + file + "; exec sleep 60' & while ! test -s " + file +
                               "; do sleep 0.01; done"})
                  .is_good());
  EXPECT_TRUE(is_gone_soon(number_in(file)));
  std::filesystem::remove(file);
  EXPECT_TRUE(shell("sleep 60 & echo $! >" + file + "; wait", {.time = 200ms, .grace = 50ms}).is_late);
  EXPECT_TRUE(is_gone_soon(number_in(file)));
}

TEST(Process, EndlessOutputIsReadAndItsEndKept) {
  const auto end = run_process({"yes", "on and on"}, {.time = 300ms, .grace = 50ms, .output_bytes = 1 << 16});
  EXPECT_TRUE(end.is_late);
  EXPECT_EQ(end.output.size(), std::size_t{1} << 16);
  EXPECT_EQ(last_lines(end.output, 1).substr(0, 2), "on");
}

TEST(Process, WhatCannotBeStartedIsNamed) {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path);
  EXPECT_EQ(message_of([] { run_process({"no-such-program"}); }), "program 'no-such-program' is not in PATH");
  EXPECT_EQ(message_of([] { run_process({"./no/such"}); }), "program './no/such': No such file or directory");
  EXPECT_EQ(message_of([] { run_process({"/tmp/."}); }), "program '/tmp/.': is not a regular file");
  const std::string text = folder.path / "text";
  std::ofstream(text) << "hello";
  EXPECT_THAT(message_of([&] { run_process({text}); }), HasSubstr("is not executable"));
  std::filesystem::permissions(text, std::filesystem::perms::owner_all);
  EXPECT_THAT(message_of([&] { run_process({text}); }), HasSubstr("cannot be started: Exec format error"));
  EXPECT_THAT(message_of([] { run_process({}); }), HasSubstr("without a program"));
  EXPECT_THAT(message_of([] { run_process({std::string("a\0b", 3)}); }), HasSubstr("NUL"));
}

TEST(Process, SeveralThreadsMayRunPrograms) {
  std::vector<std::thread> threads;
  std::array<std::string, 8> outputs;
  for (std::size_t k = 0; k < outputs.size(); ++k)
    threads.emplace_back(
        [&, k] { outputs[k] = shell("sleep 0.0" + std::to_string(k) + "; echo " + std::to_string(k)).output; });
  for (auto& thread : threads) thread.join();
  for (std::size_t k = 0; k < outputs.size(); ++k) EXPECT_EQ(outputs[k], std::to_string(k) + "\n");
}

TEST(Process, IsEndedAsSoonAsItIsToBe) {
  bool is_asked = false;
  const auto begin = std::chrono::steady_clock::now();
  const ProcessEnd end = shell("echo begun; sleep 60", {.is_to_end = [&] { return std::exchange(is_asked, true); }});
  EXPECT_TRUE(end.is_late);
  EXPECT_FALSE(end.is_good());
  EXPECT_EQ(end.output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST(Process, ThatIsNotToEndEndsByItself) {
  const ProcessEnd end = shell("sleep 0.5; exit 3", {.is_to_end = [] { return false; }});
  EXPECT_FALSE(end.is_late);
  EXPECT_EQ(end.status, 3);
}

/// A copy of this process that takes requests to stop, of which a signal is one or not.
int status_of_stopped(int signal) {
  const pid_t process = fork();
  if (process == 0) {
    ::signal(SIGINT, SIG_DFL);
    ir::files::end_in_order_when_interrupted();
    const ir::files::StopRequest stop;
    kill(getpid(), signal);
    for (int k = 0; k < 400 && !stop.is_made(); ++k) std::this_thread::sleep_for(5ms);
    _exit(stop.is_made() ? 7 : 8);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return status;
}

TEST(Process, IsAskedToStopByTwoSignals) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    const int status = status_of_stopped(signal);
    ASSERT_TRUE(WIFEXITED(status)) << signal;
    EXPECT_EQ(WEXITSTATUS(status), 7) << signal;
  }
  const int status = status_of_stopped(SIGINT);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

/// A copy of this process that runs a program which sleeps, and takes interruptions in order where it is told to.
pid_t sleeper(const std::string& file, bool in_order) {
  const pid_t child = fork();
  if (child != 0) return child;
  signal(SIGINT, SIG_DFL);
  if (in_order) ir::files::end_in_order_when_interrupted();
  shell("sleep 60 & echo $! >" + file + "; wait");
  _exit(0);
}

TEST(Process, ItEndsWithAProcessThatIsKilledOrInterrupted) {
  for (const int signal : {SIGKILL, SIGINT}) {
    const tests::TemporaryFolder folder;
    std::filesystem::create_directory(folder.path);
    const auto file = (folder.path / "pid").string();
    const pid_t child = sleeper(file, signal == SIGINT);
    const pid_t grandchild = number_in(file);
    ASSERT_GT(grandchild, 0);
    EXPECT_TRUE(lives(grandchild));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WTERMSIG(status), signal);
    if (signal == SIGINT) {
      EXPECT_FALSE(lives(grandchild)) << "it outlived the last words";
    }
    EXPECT_TRUE(is_gone_soon(grandchild));
  }
}

TEST(Process, AServingOneAnswersUntilItEnds) {
  ir::files::ServingProgram program({"sh", "-c", "while read line; do echo here; echo $line; done"});
  for (const char* const line : {"a", "b c", "a"}) EXPECT_FALSE(program.ask(line).has_value()) << line;
  ir::files::ServingProgram mute({"sh", "-c", "read line; echo x$line; exit 3"});
  const auto end = mute.ask("a");
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->status, 3);
  EXPECT_EQ(end->output, "xa\n");
  ir::files::ServingProgram slow({"sh", "-c", "sleep 60"}, {.time = 300ms});
  const auto late = slow.ask("a");
  ASSERT_TRUE(late.has_value());
  EXPECT_TRUE(late->is_late);
}

TEST(Process, AServingOneIsGoneWithItsOwner) {
  const tests::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path);
  const std::string file = (folder.path / "number").string();
  {
    ir::files::ServingProgram program({"sh", "-c", "echo $$ > '" + file + "'; while read line; do echo $line; done"});
    EXPECT_FALSE(program.ask("a").has_value());
  }
  EXPECT_TRUE(is_gone_soon(number_in(file)));
}

TEST(Process, CommandsAreSplitAsAShellDoes) {
  EXPECT_THAT(split_words("  a  b\tc\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_words("a $(x); y"), ElementsAre("a", "$(x);", "y"));
  EXPECT_THAT(split_words(R"('a b' "c d" e\ f)"), ElementsAre("a b", "c d", "e f"));
  EXPECT_THAT(split_words(R"(a'b'"c"d '' "")"), ElementsAre("abcd", "", ""));
  EXPECT_THAT(split_words(R"("\$x \"q\" \\ \n `" '\n"')"), ElementsAre(R"($x "q" \ \n `)", R"(\n")"));
  EXPECT_THAT(split_words("a\\\nb \"c\\\nd\" ~ * # |"), ElementsAre("ab", "cd", "~", "*", "#", "|"));
  EXPECT_THAT(split_words(" \n "), IsEmpty());
  EXPECT_THAT(message_of([] { split_words("a 'b"); }), HasSubstr("has a ' without a second one"));
  EXPECT_THAT(message_of([] { split_words("a \"b\\"); }), HasSubstr("has a \" without a second one"));
  EXPECT_THAT(message_of([] { split_words("a\\"); }), HasSubstr("backslash"));
}

TEST(Process, LastLinesAreFitToBeShown) {
  EXPECT_EQ(last_lines("1\n2\r\n3\n\n", 2), "2\n3");
  EXPECT_EQ(last_lines("", 2), "");
  EXPECT_EQ(last_lines("\n\n", 2), "");
  EXPECT_EQ(last_lines("a\x1b[2J\xff", 2), "a?[2J?");
  EXPECT_EQ(last_lines(std::string(1000, 'x'), 2).size(), 203U);
}

}  // namespace
}  // namespace plumb::process_test
