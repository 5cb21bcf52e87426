#include "ir/files/scratch_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <vector>

#include "ir/files/mapped.hpp"
#include "ir/raw/mappings.hpp"

namespace plumb::ir::files {
namespace {

std::vector<std::byte> bytes_of(std::size_t count, unsigned char first) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(first + i % 251);
  return bytes;
}

TEST(ScratchFile, GivesBackWhatWasWrittenAndHasNoName) {
  const std::filesystem::path folder = testing::TempDir();
  const auto count = [&] { return std::distance(std::filesystem::directory_iterator(folder), {}); };
  const auto before = count();
  const auto file = ScratchFile::make(folder);
  EXPECT_EQ(count(), before);
  const auto one = bytes_of(70'001, 3), other = bytes_of(5, 90);
  const auto first = file->write(one), second = file->write(other);
  EXPECT_EQ(file->written(), one.size() + other.size());
  EXPECT_TRUE(std::ranges::equal(first.bytes, one));
  raw::release_pages(first.bytes);  // and they are read again
  EXPECT_TRUE(std::ranges::equal(first.bytes, one));
  EXPECT_TRUE(std::ranges::equal(second.bytes, other));
  EXPECT_TRUE(raw::is_mapped(first.bytes));
}

TEST(ScratchFile, LeavesMemoryOfNoFileAlone) {
  const auto bytes = bytes_of(1 << 20, 1);
  raw::release_pages(bytes);
  EXPECT_EQ(bytes, bytes_of(1 << 20, 1));
  EXPECT_FALSE(raw::is_mapped(bytes));
}

TEST(ScratchFile, SaysThatTheDiskHasNoRoom) {
  const auto file = ScratchFile::make(testing::TempDir());
  rlimit usual{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &usual), 0);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{.rlim_cur = 4096, .rlim_max = usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  EXPECT_THROW(file->write(bytes_of(1 << 20, 1)), NoRoom);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &usual), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_TRUE(std::ranges::equal(file->write(bytes_of(10, 1)).bytes, bytes_of(10, 1)));
}

TEST(ScratchFile, NamesAFolderThatIsNotThere) {
  try {
    ScratchFile::make("/nowhere/at/all");
    FAIL() << "it was made";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all: no scratch file"), std::string::npos) << error.what();
  }
  EXPECT_THROW(free_bytes("/nowhere/at/all"), Error);
}

}  // namespace
}  // namespace plumb::ir::files
