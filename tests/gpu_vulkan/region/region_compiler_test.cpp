// The compiler of generated kernels: its files in the cache folder, and its messages about mistakes.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gpu_vulkan/cache/cache_files.hpp"
#include "gpu_vulkan/region/compile.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::region_compiler_test {
namespace {

namespace fs = std::filesystem;

class RegionCompilers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!region::RegionCompiler::exists()) GTEST_SKIP() << "this build has no compiler of shaders";
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  region::CompiledShader compile(const std::string& source) const {
    return region::RegionCompiler(folder_.string()).load_or_compile(source);
  }
  fs::path file() const { return fs::directory_iterator(folder_)->path(); }
  static std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void replace(std::string bytes) const { std::ofstream(file(), std::ios::binary) << bytes; }

  const fs::path folder_ = fs::temp_directory_path() / ("plumbline-regions-" + std::to_string(getpid()));
  const std::string source_ = "#version 450\nvoid main() {}\n";
};

TEST_F(RegionCompilers, WhatIsKeptIsTakenInsteadOfCompiling) {
  const auto made = compile(source_);
  ASSERT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_EQ(fs::file_size(file()), 24 + made.words->size() * 4);
  // Another module under this name, whole and well marked: only a process that reads it returns it.
  const std::vector<std::uint32_t> other = {0x07230203, 1, 2, 3};
  cache::store_checked(file(), {'p', 'l', 'u', 'm', 'b', 's', 'p', '1'}, std::as_bytes(std::span(other)));
  EXPECT_EQ(*compile(source_).words, other);
}

TEST_F(RegionCompilers, ADamagedCutOrForeignFileIsMadeAnew) {
  const auto made = compile(source_);
  const std::string whole = bytes_of(file());
  std::string bent = whole;
  bent.back() ^= 1;
  for (const std::string& bad : {bent, whole.substr(0, whole.size() - 4), whole + "more", std::string("not ours"),
                                 std::string(), "PLUMB" + whole.substr(5)}) {
    replace(bad);
    EXPECT_EQ(*compile(source_).words, *made.words);
    EXPECT_EQ(bytes_of(file()), whole);
  }
}

TEST_F(RegionCompilers, AFolderThatCannotBeWrittenIsNoError) {
  EXPECT_FALSE(region::RegionCompiler("/proc/none/here").load_or_compile(source_).words->empty());
  EXPECT_FALSE(region::RegionCompiler("off").load_or_compile(source_).words->empty());
}

TEST_F(RegionCompilers, WhatDoesNotCompileIsOneErrorOfItsLine) {
  const auto message = tests::message_of([&] { compile("#version 450\nvoid main() { y = 1; }\n"); });
  EXPECT_THAT(message, ::testing::AllOf(::testing::HasSubstr("glslang: "), ::testing::HasSubstr(":2:"),
                                        ::testing::HasSubstr("'y' : undeclared identifier")));
  EXPECT_FALSE(fs::exists(folder_));
}

}  // namespace
}  // namespace plumb::gpu_vulkan::region_compiler_test
