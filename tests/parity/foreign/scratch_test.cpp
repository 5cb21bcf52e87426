// Folders for exchanges: private, gone with their owner, and gone at the next start where the owner was killed.
#include "parity/foreign/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "ir/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::scratch_test {
namespace {

namespace fs = std::filesystem;
using parity::foreign::remove_forsaken;
using parity::foreign::Scratch;

TEST(Scratch, AFolderIsPrivateAndGoneWithItsOwner) {
  fs::path path;
  {
    const Scratch scratch(1000, {});
    path = scratch.path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    fs::create_directories(path / "a" / "b");
    std::ofstream(path / "a" / "b" / "file") << "text";
    fs::create_directory_symlink("/", path / "link");
    fs::permissions(path / "a" / "b", fs::perms::none);
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists("/"));
}

TEST(Scratch, MoreThanMemoryHasGoesToTheTempFolder) {
  const Scratch scratch(std::numeric_limits<std::uint64_t>::max(), {});
  EXPECT_EQ(scratch.path().parent_path(), fs::temp_directory_path());
}

TEST(Scratch, KeptFoldersStayAndAreNumbered) {
  const tests::TemporaryFolder folder;
  for (int k = 0; k < 2; ++k) const Scratch scratch(0, folder.path / "kept");
  EXPECT_TRUE(fs::is_directory(folder.path / "kept" / "run-1"));
  EXPECT_TRUE(fs::is_directory(folder.path / "kept" / "run-2"));
  std::ofstream(folder.path / "file") << "text";
  EXPECT_THROW(Scratch(0, folder.path / "file"), ir::Error);
}

TEST(Scratch, FoldersOfKilledProcessesAreRemoved) {
  const Scratch own(0, {});
  const fs::path parent = own.path().parent_path();
  const pid_t child = fork();
  if (child == 0) {
    const Scratch scratch(0, {});
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const auto count = [&] {
    int found = 0;
    for (const auto& one : fs::directory_iterator(parent))
      found += one.path().filename().string().starts_with("plumb-exchange-" + std::to_string(child) + "-") ? 1 : 0;
    return found;
  };
  EXPECT_EQ(count(), 1);
  EXPECT_GE(remove_forsaken(parent), 1U);
  EXPECT_EQ(count(), 0);
  EXPECT_TRUE(fs::exists(own.path()));
}

TEST(Scratch, OtherFoldersAreLeftAlone) {
  const tests::TemporaryFolder folder;
  for (const char* name : {"plumb-exchange-", "plumb-exchange-x-abc", "plumb-exchange-99999999", "plumb-exchange--1-a",
                           "other-99999999-abc"})
    fs::create_directories(folder.path / name);
  std::ofstream(folder.path / "plumb-exchange-99999999-file") << "no folder";
  fs::create_directory_symlink("other-99999999-abc", folder.path / "plumb-exchange-99999999-link");
  EXPECT_EQ(remove_forsaken(folder.path), 0U);
  fs::create_directory(folder.path / "plumb-exchange-99999999-abc");
  EXPECT_EQ(remove_forsaken(folder.path), 1U);
  EXPECT_FALSE(fs::exists(folder.path / "plumb-exchange-99999999-abc"));
  EXPECT_EQ(remove_forsaken(folder.path / "missing"), 0U);
}

}  // namespace
}  // namespace plumb::scratch_test
