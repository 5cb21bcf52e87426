// Work in a child process: what it throws comes back, what it takes too much of ends it, and what it changes is lost.
#include "ir/files/child.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <vector>

#include "ir/error.hpp"
#include "tests/support/noise.hpp"

namespace plumb::files_test {
namespace {

using ir::files::try_in_child;
using ::testing::HasSubstr;

std::string message_of(const ir::files::ChildLimits& limits, const std::function<void()>& work) {
  return tests::message_of([&] { try_in_child(limits, work); });
}

TEST(Child, WhatItChangesIsLost) {
  int here = 1;
  EXPECT_EQ(message_of({}, [&] { here = 2; }), "");
  EXPECT_EQ(here, 1);
}

TEST(Child, WhatItThrowsComesBack) {
  EXPECT_EQ(message_of({}, [] { ir::fail("row 7 is damaged"); }), "row 7 is damaged");
  const std::string all(1 << 20, 'x');
  EXPECT_EQ(message_of({}, [&] { ir::fail(all); }), all);
}

TEST(Child, EndlessWorkIsEnded) {
  const auto spin = [] {
    for (std::atomic<unsigned> turns = 0;;) ++turns;
  };
  EXPECT_THAT(message_of({.seconds = 1}, spin), HasSubstr("takes more than 1 s; the file is probably damaged"));
}

TEST(Child, MemoryBeyondItsShareIsRefused) {
  std::size_t kept = 0;
  const auto grow = [&] {
    std::vector<std::vector<char>> all;
    for (int k = 0; k < 64; ++k) all.emplace_back(std::size_t{64} << 20, 'x');
    kept = all.size();
  };
  EXPECT_THAT(message_of({.bytes = std::uint64_t{256} << 20}, grow), HasSubstr("the file is probably damaged"));
}

TEST(Child, ALibraryThatEndsTheProcessIsAnErrorHere) {
  for (const int status : {1, 3, 77})
    EXPECT_THAT(message_of({}, [=] { _exit(status); }), HasSubstr("gave up")) << status;
}

TEST(Child, ACrashIsAnErrorHere) {
  EXPECT_THAT(message_of({}, [] { std::raise(SIGSEGV); }), HasSubstr("the library that reads it crashed"));
}

}  // namespace
}  // namespace plumb::files_test
