#include "ir/files/output_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "ir/error.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::output_file_test {
namespace {

namespace fs = std::filesystem;
using files::FileKind;
using files::OutputFile;
using ::testing::HasSubstr;

class OutputFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("plumb_output_" + std::string(test->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path path(const std::string& name) const { return folder_ / name; }

  fs::path put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  static std::string refusal(const fs::path& path, files::OutputRules rules = {.kind = FileKind::text}) {
    return tests::message_of([&] { const OutputFile file(path, std::move(rules)); });
  }

 private:
  fs::path folder_;
};

TEST_F(OutputFiles, TheNameHasTheOldFileUntilTheNewOneIsWhole) {
  put("a", "old");
  OutputFile file(path("a"), {.kind = FileKind::text});
  file.write("new");
  EXPECT_EQ(text("a"), "old");
  file.commit();
  EXPECT_EQ(text("a"), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(OutputFiles, APartThatWasLeftStaysUntilAnotherIsWhole) {
  put("a.part", "left");
  const files::OutputRules rules{.kind = FileKind::text, .is_continued = true};
  {
    OutputFile file(path("a"), rules);
    EXPECT_THROW(file.replace_part([](const fs::path&) { fail("full"); }), Error);
    EXPECT_EQ(text("a.part"), "left");
  }
  EXPECT_EQ(files_in_folder(), 1u);
  {
    OutputFile file(path("a"), rules);
    file.replace_part([&](const fs::path& next) {
      EXPECT_EQ(text("a.part"), "left");
      std::ofstream(next) << "more";
    });
    EXPECT_EQ(text("a.part"), "more");
    EXPECT_THAT(refusal(path("a")), HasSubstr("is being written"));
  }
  EXPECT_EQ(text("a.part"), "more");  // who goes on once more finds it
  OutputFile file(path("a"), rules);
  file.replace_part([](const fs::path& next) { std::ofstream(next) << "all"; });
  file.commit();
  EXPECT_EQ(text("a"), "all");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(OutputFiles, WhatIsNotCommittedLeavesNoTraceUnlessItIsKept) {
  put("a", "old");
  { OutputFile(path("a"), {.kind = FileKind::text}).write("half"); }
  EXPECT_EQ(files_in_folder(), 1u);
  {
    OutputFile file(path("a"), {.kind = FileKind::text});
    file.write("half");
    file.keep_part();
  }
  EXPECT_EQ(text("a"), "old");
  EXPECT_EQ(text("a.part"), "half");
  // The remains of a process that is gone are no obstacle.
  files::write_text(path("a"), "new");
  EXPECT_EQ(text("a"), "new");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(OutputFiles, OneNameHasOneWriter) {
  put("a", "old");
  OutputFile first(path("a"), {.kind = FileKind::text});
  first.write("first");
  EXPECT_THAT(refusal(path("a")), HasSubstr("a: is being written by another process"));
  first.commit();
  EXPECT_EQ(text("a"), "first");
  EXPECT_EQ(refusal(path("a")), "");
}

TEST_F(OutputFiles, OfManyWritersAtOnceEachFinishesOrIsRefused) {
  std::atomic<int> written = 0, refused = 0;
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) try {
        files::write_text(path("a"), "whole");
        ++written;
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("is being written by"));
        ++refused;
      }
  };
  { const std::jthread one(work), other(work), third(work); }
  EXPECT_EQ(written + refused, 600);
  EXPECT_GT(written, 0);
  EXPECT_EQ(text("a"), "whole");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(OutputFiles, ALinkIsFollowedAndTheModeKept) {
  put("store", "old");
  fs::permissions(path("store"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("store", path("link"));
  files::write_text(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text("store"), "new");
  EXPECT_EQ(fs::status(path("store")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("not_there_yet", path("dangling"));
  files::write_text(path("dangling"), "new");
  EXPECT_EQ(text("not_there_yet"), "new");
  fs::create_symlink("circle", path("circle"));
  EXPECT_THAT(refusal(path("circle")), HasSubstr("circle: cannot be written: Too many levels of symbolic links"));
}

TEST_F(OutputFiles, DevicesAndPipesAreWrittenAndStay) {
  files::write_text("/dev/null", "text");
  EXPECT_EQ(fs::status("/dev/null").type(), fs::file_type::character);
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const files::Descriptor reader(::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK));
  files::write_text(path("fifo"), "text");
  char read[8] = {};
  EXPECT_EQ(::read(reader.number(), read, sizeof read), 4);
  EXPECT_STREQ(read, "text");
  EXPECT_TRUE(fs::is_fifo(path("fifo")));
  EXPECT_EQ(files_in_folder(), 1u);
  EXPECT_THAT(refusal(path("fifo"), {.kind = FileKind::hdf5}), HasSubstr("HDF5 needs a regular file"));
}

TEST_F(OutputFiles, ADescriptorIsWrittenThrough) {
  const files::Descriptor file(::open(path("a").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::write(file.number(), "before ", 7), 7);
  files::write_text("/dev/fd/" + std::to_string(file.number()), "text");
  EXPECT_EQ(text("a"), "before text");
}

TEST_F(OutputFiles, AFullDeviceIsAnError) {
  OutputFile file("/dev/full", {.kind = FileKind::text});
  try {
    file.write("text");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "/dev/full: cannot be written: No space left on device");
  }
}

TEST_F(OutputFiles, InputsAreNeverWrittenOver) {
  put("a", "text");
  fs::create_hard_link(path("a"), path("b"));
  EXPECT_THAT(refusal(path("b"), {.kind = FileKind::text, .inputs = {path("a")}}), HasSubstr("is an input"));
  EXPECT_EQ(text("a"), "text");
}

TEST_F(OutputFiles, AnInputIsNotInTheWayOfAnOutput) {
  put("a.part", "left");
  fs::create_symlink(path("a"), path("link"));
  for (const bool is_continued : {false, true})
    for (const char* const name : {"a", "link"})
      EXPECT_THAT(
          refusal(path(name), {.kind = FileKind::text, .inputs = {path("a.part")}, .is_continued = is_continued}),
          HasSubstr("would take the place of a.part, which is an input"));
  EXPECT_EQ(text("a.part"), "left");
}

TEST_F(OutputFiles, ANameIsHeldWhileItsPartIsMadeAnew) {
  const files::OutputRules rules{.kind = FileKind::text, .is_continued = true};
  OutputFile file(path("a"), rules);
  EXPECT_THROW(file.replace_part([&](const fs::path&) {
    EXPECT_THAT(refusal(path("a")), HasSubstr("is being written"));
    OutputFile other(path("a"), rules);
    EXPECT_THROW(other.replace_part([](const fs::path&) {}), Error);
    fail("full");
  }),
               Error);
  EXPECT_EQ(files_in_folder(), 0u);
  EXPECT_THROW(file.replace_part([&](const fs::path&) {
    fs::remove(path("a.part"));
    put("a.part", "somebody else's");
  }),
               Error);
  EXPECT_EQ(text("a.part"), "somebody else's");
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(OutputFiles, AFileOfAnotherKindIsReplacedOnRequestOnly) {
  const auto may_replace = [&](const std::string& old, FileKind kind, files::Replace replace) {
    put("a", old);
    return refusal(path("a"), {.kind = kind, .replace = replace}).empty();
  };
  const std::string graph = R"({"format": "plumb.graph/1"})", json = R"({"cases": []})";
  using enum files::Replace;
  EXPECT_TRUE(may_replace(json, FileKind::json, same_kind));
  EXPECT_FALSE(may_replace(graph, FileKind::json, same_kind));
  EXPECT_FALSE(may_replace(json, FileKind::graph, same_kind));
  EXPECT_FALSE(may_replace("[budget]\n", FileKind::json, same_kind));
  EXPECT_FALSE(may_replace("PK\x03\x04", FileKind::hdf5, same_kind));
  EXPECT_FALSE(may_replace("\x89HDF\r\n\x1a\n", FileKind::zip, same_kind));
  EXPECT_FALSE(may_replace(std::string("\x08\x07", 2), FileKind::text, same_kind));
  EXPECT_TRUE(may_replace("", FileKind::json, same_kind));
  EXPECT_TRUE(may_replace(graph, FileKind::json, any));
}

TEST_F(OutputFiles, NamesThatCannotBeRightAreRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("is not the name of a file"));
  EXPECT_THAT(refusal(path("")), HasSubstr("is a folder"));
  EXPECT_THAT(refusal(path("no") / "where"), HasSubstr("cannot be written: No such file or directory"));
  EXPECT_THAT(refusal(path("a.npz"), {.kind = FileKind::hdf5}), HasSubstr("a name that ends in .npz"));
  EXPECT_THAT(refusal("-", {.kind = FileKind::hdf5}), HasSubstr("this is stdout"));
  EXPECT_THAT(refusal(path("c.h5.part")), HasSubstr("names that end in .part are of files that are being written"));
  fs::create_directory(path("b.part"));
  EXPECT_THAT(refusal(path("b")), HasSubstr("b.part is in the way: Is a directory"));
}

}  // namespace
}  // namespace plumb::ir::output_file_test
