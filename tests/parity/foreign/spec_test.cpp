#include "parity/foreign/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ir/error.hpp"

namespace plumb::parity::foreign::spec_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string refusal(const std::string& given) {
  try {
    parse_spec(given);
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "accepted";
}

/// A folder with a library in it, that only its owner may write to.
class Library {
 public:
  Library() : folder(fs::path(::testing::TempDir()) / "plumb_spec_test") {
    fs::remove_all(folder);
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::owner_all);
    file = (folder / "lib.so").string();
    std::ofstream(file) << "library";
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  }
  ~Library() { fs::remove_all(folder); }

  fs::path folder;
  std::string file;
};

TEST(CandidateSpec, IsANameAKindAndItsParts) {
  const Spec gpu = parse_spec("vulkan");
  EXPECT_EQ(gpu.kind, Kind::vulkan);
  EXPECT_EQ(gpu.name, "vulkan");
  EXPECT_EQ(gpu.whole(), "vulkan");
  EXPECT_EQ(parse_spec("vulkan:1").arguments, "1");
  const Spec named = parse_spec("mine-2=file:a/out.npz#sample0");
  EXPECT_EQ(named.name, "mine-2");
  EXPECT_EQ(named.kind, Kind::file);
  EXPECT_EQ(named.path, "a/out.npz");
  EXPECT_EQ(named.prefix, "sample0");
  EXPECT_EQ(named.text, "a/out.npz#sample0");
  EXPECT_EQ(named.whole(), "file:a/out.npz#sample0");
  EXPECT_EQ(parse_spec("file:a#b.npz#s").path, "a#b.npz");
}

TEST(CandidateSpec, LeavesTheEqualsSignsOfACommandAlone) {
  const Spec spec = parse_spec("exec:env A=b ./x --c=d");
  EXPECT_EQ(spec.name, "exec");
  EXPECT_EQ(spec.arguments, "env A=b ./x --c=d");
  EXPECT_EQ(parse_spec("e=exec:A=b ./x").arguments, "A=b ./x");
}

TEST(CandidateSpec, ReadsFunctionsPluginsAndOptions) {
  const Library library;
  const std::string python = (library.folder / "f.py").string();
  std::ofstream(python) << "def run(): pass";
  const Spec py = parse_spec("py:" + python + "::run");
  EXPECT_EQ(py.path, python);
  EXPECT_EQ(py.function, "run");
  EXPECT_EQ(parse_spec("tvmffi:" + library.file + "::soft_max").function, "soft_max");
  EXPECT_EQ(parse_spec("plugin:" + library.file).arguments, "");
  EXPECT_EQ(parse_spec("plugin:" + library.file + ":a:b=c").arguments, "a:b=c");
  const Spec ort = parse_spec("onnxruntime:" + library.file + ",threads=1,level=all=x");
  EXPECT_EQ(ort.path, library.file);
  ASSERT_EQ(ort.options.size(), 2u);
  EXPECT_EQ(ort.options[0], std::pair(std::string("threads"), std::string("1")));
  EXPECT_EQ(ort.options[1].second, "all=x");
}

TEST(CandidateSpec, SaysWhatIsWrong) {
  EXPECT_THAT(refusal("onnxruntme:./x"), HasSubstr("'onnxruntme' is none of vulkan, cpu, file"));
  EXPECT_THAT(refusal("onnxruntme:./x"), HasSubstr("did you mean onnxruntime?"));
  EXPECT_THAT(refusal("a=fil:x"), HasSubstr("did you mean file?"));
  EXPECT_THAT(refusal("Mine=cpu"), HasSubstr("got 'Mine'"));
  EXPECT_THAT(refusal("=cpu"), HasSubstr("a name is 1 to 32"));
  EXPECT_THAT(refusal(std::string(33, 'a') + "=cpu"), HasSubstr("a name is 1 to 32"));
  EXPECT_THAT(refusal(""), HasSubstr("'' is none of"));
  EXPECT_THAT(refusal("cpu:1"), HasSubstr("wants cpu, got 'cpu:1'"));
  for (const char* text : {"vulkan:", "file", "file:", "file:#a", "file:a#", "exec:", "py:", "py:f.py",
                           "py:f.py::", "py:f.py::1a", "py:f.txt::run", "py:::run", "tvmffi:./x.so", "plugin::a",
                           "onnxruntime:,a=b", "onnxruntime:./x,a", "onnxruntime:./x,=b", "onnxruntime:./x,a=1,a=2"})
    EXPECT_THAT(refusal(text), HasSubstr("--candidate wants ")) << text;
  EXPECT_THAT(refusal("py:/nowhere/f.py::run"), HasSubstr("is no regular file"));
}

TEST(CandidateSpec, RefusesALibraryThatAnybodyMayReplace) {
  const Library library;
  const auto with_all = [](const fs::path& path) {
    fs::permissions(path, fs::perms::others_write, fs::perm_options::add);
  };
  EXPECT_THAT(refusal("plugin:x.so"), HasSubstr("say ./x.so"));
  EXPECT_THAT(refusal("plugin:/nowhere/x.so"), HasSubstr("cannot be opened"));
  EXPECT_THAT(refusal("plugin:" + library.folder.string()), HasSubstr("is no regular file"));
  EXPECT_EQ(refusal("plugin:" + library.file), "accepted");
  with_all(library.folder);
  EXPECT_THAT(refusal("plugin:" + library.file), HasSubstr("everybody may write to its folder"));
  fs::permissions(library.folder, fs::perms::sticky_bit, fs::perm_options::add);
  EXPECT_EQ(refusal("plugin:" + library.file), "accepted");
  with_all(library.file);
  EXPECT_THAT(refusal("onnxruntime:" + library.file), HasSubstr("everybody may write to it"));
  const fs::path link = library.folder / "link.so";
  fs::create_symlink(library.file, link);
  EXPECT_THAT(refusal("tvmffi:" + link.string() + "::f"), HasSubstr("everybody may write to it"));
}

}  // namespace
}  // namespace plumb::parity::foreign::spec_test
