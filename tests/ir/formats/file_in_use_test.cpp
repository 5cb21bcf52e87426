#include "ir/formats/file_in_use.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

namespace plumb::ir::file_in_use_test {
namespace {

void recurse(volatile int* deeper) {
  volatile char room[4096];
  room[0] = static_cast<char>(*deeper);
  if (*deeper != 0) recurse(deeper);
  room[1] = room[0];
}

/// Does `work` in a process that names files of crashes.
int named(const auto& work) {
  formats::name_files_of_crashes(2);
  work();
  return 0;
}

TEST(FileInUseDeathTest, ACrashNamesTheFileAndEndsWithTheStatus) {
  const auto expected = "plumb: a.h5: the library that reads it crashed; the file is probably damaged";
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) {
    const auto crash = [&] {
      const formats::FileInUse file("a.h5");
      raise(signal);
    };
    EXPECT_EXIT(_exit(named(crash)), ::testing::ExitedWithCode(2), expected) << signal;
  }
}

TEST(FileInUseDeathTest, WhatIsBeingWrittenIsNotCalledDamaged) {
  const auto crash = [] {
    const formats::FileInUse outer("out.h5", formats::FileInUse::Work::writing);
    { const formats::FileInUse inner("in.h5"); }
    raise(SIGSEGV);
  };
  EXPECT_EXIT(_exit(named(crash)), ::testing::ExitedWithCode(2),
              "plumb: out.h5: the library that writes it crashed; the file is not whole");
}

TEST(FileInUseDeathTest, RecursionWithoutAnEndIsACrash) {
  volatile int forever = 1;
  const auto crash = [&] {
    const formats::FileInUse file("a.h5");
    recurse(&forever);
  };
  EXPECT_EXIT(_exit(named(crash)), ::testing::ExitedWithCode(2), "plumb: a.h5: ");
}

TEST(FileInUseDeathTest, TheInnermostFileIsNamedAndThenTheOneBefore) {
  const auto crash = [](bool inside) {
    const formats::FileInUse outer("outer.h5");
    const formats::FileInUse inner("inner.h5");
    if (inside) raise(SIGSEGV);
  };
  const auto after = [&] {
    const formats::FileInUse first("first.h5");
    crash(false);
    raise(SIGSEGV);
  };
  EXPECT_EXIT(_exit(named([&] { crash(true); })), ::testing::ExitedWithCode(2), "plumb: inner.h5: ");
  EXPECT_EXIT(_exit(named(after)), ::testing::ExitedWithCode(2), "plumb: first.h5: ");
}

TEST(FileInUseDeathTest, OtherCrashesAreLeftToWhoHandledThemBefore) {
  const auto elsewhere = [] {
    std::thread([] { const formats::FileInUse file("other thread's.h5"); }).join();
    { const formats::FileInUse past("past.h5"); }
    raise(SIGSEGV);
  };
  const auto with_a_handler = [&] {
    signal(SIGSEGV, [](int) { _exit(7); });
    return named(elsewhere);
  };
  EXPECT_EXIT(_exit(with_a_handler()), ::testing::ExitedWithCode(7), "^$");
}

}  // namespace
}  // namespace plumb::ir::file_in_use_test
