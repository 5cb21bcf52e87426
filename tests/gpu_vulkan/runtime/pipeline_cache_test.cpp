#include <gtest/gtest.h>

#include <fstream>

#include "gpu_vulkan/runtime/pipeline_cache_file.hpp"
#include "gpu_vulkan/runtime/runtime.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/gpu_vulkan/sample_graph.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::gpu_vulkan::pipeline_cache_test {
namespace {

namespace fs = std::filesystem;
using Data = std::vector<std::byte>;

std::size_t files_in(const fs::path& folder) {
  if (!fs::exists(folder)) return 0;
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

const Data some = {std::byte{1}, std::byte{2}, std::byte{3}};

TEST(PipelineCacheFile, GivesBackWhatItWasGiven) {
  const tests::TemporaryFolder folder;
  const runtime::PipelineCacheFile file(folder.path.string(), testing::h200());
  EXPECT_TRUE(file.load().empty());
  file.store(some);
  EXPECT_EQ(file.load(), some);
  file.store({});
  EXPECT_TRUE(file.load().empty());
  EXPECT_EQ(files_in(folder.path), 1u);
}

TEST(PipelineCacheFile, IsAnotherOneForAnotherDriver) {
  const tests::TemporaryFolder folder;
  runtime::PipelineCacheFile(folder.path.string(), testing::h200()).store(some);
  device::DeviceFacts newer = testing::h200();
  newer.driver_version += 1;
  EXPECT_TRUE(runtime::PipelineCacheFile(folder.path.string(), newer).load().empty());
  device::DeviceFacts other = testing::h200();
  other.uuid[3] ^= 1;
  EXPECT_TRUE(runtime::PipelineCacheFile(folder.path.string(), other).load().empty());
}

TEST(PipelineCacheFile, IgnoresAFileThatIsDamaged) {
  const tests::TemporaryFolder folder;
  const runtime::PipelineCacheFile file(folder.path.string(), testing::h200());
  file.store(some);
  std::ifstream in(file.path(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  const auto load = [&](const std::string& content) {
    std::ofstream(file.path(), std::ios::binary) << content;
    return file.load();
  };
  EXPECT_EQ(load(whole), some);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_TRUE(load(damaged).empty()) << "byte " << i;
    EXPECT_TRUE(load(whole.substr(0, i)).empty()) << i << " bytes";
  }
  EXPECT_TRUE(load(whole + "x").empty());
}

TEST(PipelineCacheFile, AFolderThatCannotBeWrittenIsNoError) {
  const runtime::PipelineCacheFile file("/proc/none/here", testing::h200());
  EXPECT_NO_THROW(file.store(some));
  EXPECT_TRUE(file.load().empty());
  EXPECT_FALSE(runtime::PipelineCacheFile("off", testing::h200()).enabled());
}

class PipelineCache : public testing::OnDevice {};

TEST_F(PipelineCache, IsThereForTheNextProcessAndSurvivesDamage) {
  const tests::TemporaryFolder folder;
  const testing::Sample sample;
  ir::Tensors expected;
  for (const bool damaged : {false, false, true}) {
    const auto gpu =
        testing::executor_with([&](device::VulkanOptions& options) { options.pipeline_cache = folder.path.string(); });
    const auto results = gpu->compile(sample.graph, sample.params, {{sample.y}})->run(sample.feeds);
    if (expected.empty()) expected = results;
    testing::expect_equal(sample.graph, expected, results);
    ASSERT_EQ(files_in(folder.path), 1u);
    const auto file = fs::directory_iterator(folder.path)->path();
    EXPECT_EQ(runtime::Runtime({.pipeline_cache = folder.path.string()}).pipelines.loaded_bytes(),
              fs::file_size(file) - 24);
    if (damaged) continue;
    std::ofstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(24) << "damage";
    EXPECT_EQ(runtime::Runtime({.pipeline_cache = folder.path.string()}).pipelines.loaded_bytes(), 0u);
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::pipeline_cache_test
