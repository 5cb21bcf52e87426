// A file whose changes take effect all at once, wherever its writer stops.
#include "ir/hdf5/journaled_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

#include "ir/error.hpp"
#include "ir/raw/hash.hpp"

namespace plumb::hdf5_test {
namespace {

using ir::hdf5::JournaledFile;
using Open = JournaledFile::Open;
namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string text_of(const JournaledFile& file) {
  std::string text(file.size(), '?');
  file.read(0, std::as_writable_bytes(std::span(text)));
  return text;
}

std::string on_disk(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Journaled : public ::testing::Test {
 protected:
  Journaled() : path_(fs::path(::testing::TempDir()) / "plumb_journaled"), before_(10'000, 'a') {
    JournaledFile file(path_, Open::create);
    file.write(0, bytes_of(before_));
    file.commit();
    after_ = before_ + std::string(9'000, 'n');
    after_.replace(4'090, 12, "across pages");
    after_[0] = 'b';
    after_[9'999] = 'e';
  }
  ~Journaled() override { fs::remove(path_); }

  /// Writes what leads to `after_`.
  void change(JournaledFile& file) const {
    file.write(10'000, bytes_of(after_.substr(10'000)));
    file.write(4'090, bytes_of("across pages"));
    file.write(0, bytes_of("b"));
    file.write(9'999, bytes_of("e"));
  }
  std::string read() const { return text_of(JournaledFile(path_, Open::read)); }

  fs::path path_;
  std::string before_, after_;
};

TEST_F(Journaled, ACommitLeavesNothingButTheBytes) {
  JournaledFile file(path_, Open::write);
  change(file);
  EXPECT_EQ(text_of(file), after_);
  file.commit();
  EXPECT_EQ(on_disk(path_), after_);
  EXPECT_FALSE(JournaledFile::has_journal(path_));
}

TEST_F(Journaled, WithoutACommitWhatWasThereIsUntouched) {
  {
    JournaledFile file(path_, Open::write);
    change(file);
  }
  EXPECT_EQ(on_disk(path_).substr(0, before_.size()), before_);
  EXPECT_FALSE(JournaledFile::has_journal(path_));
}

TEST_F(Journaled, ASealedCopyIsReadAndThenSettled) {
  {
    JournaledFile file(path_, Open::write);
    change(file);
    file.seal();
  }
  EXPECT_TRUE(JournaledFile::has_journal(path_));
  {
    // A writer that was killed may have put some pages in their places, and half of one.
    std::fstream stream(path_, std::ios::in | std::ios::out | std::ios::binary);
    stream.write(after_.data(), 2'000);
  }
  EXPECT_EQ(read(), after_);
  { const JournaledFile settled(path_, Open::write); }
  EXPECT_EQ(on_disk(path_), after_);
}

TEST_F(Journaled, ACopyThatIsNotWholeCountsForNothing) {
  {
    JournaledFile file(path_, Open::write);
    change(file);
    file.seal();
  }
  const std::string sealed = on_disk(path_);
  for (const std::size_t cut : {1, 20, 40, 5'000}) {
    fs::resize_file(path_, sealed.size() - cut);
    EXPECT_FALSE(JournaledFile::has_journal(path_)) << cut;
    EXPECT_EQ(read().substr(0, before_.size()), before_) << cut;
  }
  std::string damaged = sealed;
  damaged[sealed.size() - 5'000] ^= 1;
  std::ofstream(path_, std::ios::binary) << damaged;
  EXPECT_FALSE(JournaledFile::has_journal(path_));
}

/// A journal as a stranger may seal it: one page of zeros, whatever its number.
std::string sealed_page(std::uint64_t number, std::uint64_t size) {
  std::string body(sizeof number + 4096, '\0');
  std::memcpy(body.data(), &number, sizeof number);
  const std::uint64_t numbers[] = {1, size, ir::raw::hash_bytes(std::as_bytes(std::span(body)), size)};
  std::string seal = "plumb.journal/1\n";
  seal.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
  return body + seal;
}

TEST_F(Journaled, PagesThatTheFileNeverHadAreRefused) {
  std::ofstream(path_, std::ios::binary | std::ios::app) << sealed_page(0, before_.size());
  EXPECT_EQ(read(), std::string(4096, '\0') + before_.substr(4096));
  for (const std::uint64_t number : {std::uint64_t{1} << 20, std::uint64_t{1} << 52, ~std::uint64_t{0}}) {
    std::ofstream(path_, std::ios::binary) << before_ << sealed_page(number, before_.size());
    EXPECT_THROW(read(), ir::Error) << number;
  }
}

TEST_F(Journaled, AFileCanShrinkAndGrow) {
  JournaledFile file(path_, Open::write);
  file.resize(5'000);
  file.write(4'999, bytes_of("z"));
  file.commit();
  EXPECT_EQ(on_disk(path_), before_.substr(0, 4'999) + "z");
  file.resize(6'000);
  file.commit();
  EXPECT_EQ(on_disk(path_), before_.substr(0, 4'999) + "z" + std::string(1'000, '\0'));
}

}  // namespace
}  // namespace plumb::hdf5_test
