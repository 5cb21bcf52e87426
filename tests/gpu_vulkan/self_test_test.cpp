#include "gpu_vulkan/self_test.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "gpu_vulkan/runtime/cache_files.hpp"
#include "gpu_vulkan/shader_blobs.hpp"
#include "ir/ops/matmul.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/lowered.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ir::DType;

/// A device that computes as the CPU does, but for what `spoil` does to a result.
template <class Spoil>
RunOnDevice cpu_with(Spoil spoil) {
  return [spoil](const ir::Graph& graph, const ir::Feeds& feeds, const std::string& tile) {
    ref_cpu::CpuExecutor cpu;
    ir::Tensor y = cpu.run(graph, feeds, graph.results()).at(graph.results()[0]);
    spoil(graph, tile, y);
    return y;
  };
}

constexpr auto families = {CooperativeFamily::products, CooperativeFamily::products_in_f16,
                           CooperativeFamily::convolutions, CooperativeFamily::attention};

TEST(SelfTest, PassesWhatIsRight) {
  for (const CooperativeFamily family : families)
    EXPECT_EQ(self_test(modern(), cpu_with([](const auto&...) {}), family), "") << ir::enum_name(family);
}

TEST(SelfTest, IsThereForEveryModuleWithCooperativeMatrices) {
  std::set<CooperativeFamily> found;
  for (const ShaderBlob& blob : shader_blobs())
    if (const auto family = cooperative_family(blob.name)) found.insert(*family);
  EXPECT_EQ(found, std::set(families));
  EXPECT_EQ(cooperative_family("matmul.f32"), std::nullopt);
  EXPECT_EQ(cooperative_family("no such shader"), std::nullopt);
}

TEST(SelfTest, NamesTheTileAndTheElementThatAreWrong) {
  const auto one_tile = [](const ir::Graph&, const std::string& tile, ir::Tensor& y) {
    if (tile == "64x64x64") y.as<ir::f16>()[5] = ir::f16(7.0f);
  };
  EXPECT_EQ(self_test(modern(), cpu_with(one_tile), CooperativeFamily::products).substr(0, 45),
            "product by tile 64x64x64: element 5 of f16[13");
}

TEST(SelfTest, FindsASumThatLacksItsLastTerms) {
  const auto narrow = [](const ir::Graph& graph, const ir::Feeds& feeds, const std::string&) {
    ir::Feeds spoiled = feeds;
    if (const auto a = spoiled.find("a"); a != spoiled.end()) {
      const std::int64_t k = a->second.shape()[1];
      for (std::int64_t i = 0; i < a->second.elements(); ++i)
        if (i % k >= k - 8) a->second.as<ir::f16>()[static_cast<std::size_t>(i)] = ir::f16(0.0f);
    }
    ref_cpu::CpuExecutor cpu;
    return cpu.run(graph, spoiled, graph.results()).at(graph.results()[0]);
  };
  EXPECT_EQ(self_test(modern(), narrow, CooperativeFamily::products).substr(0, 16), "product by tile ");
}

TEST(SelfTest, FindsAConvolutionThatLacksAnElement) {
  const auto one = [](const ir::Graph& graph, const std::string&, ir::Tensor& y) {
    if (graph.nodes()[0].op.name() == "conv") y.as<ir::f16>()[7] = ir::f16(0.5f);
  };
  const std::string found = self_test(modern(), cpu_with(one), CooperativeFamily::convolutions);
  EXPECT_EQ(found.substr(0, 20), "convolution by tile ");
  EXPECT_NE(found.find(": element 7 of f16[2, 120, 5, 6] is 0.5, right is "), std::string::npos) << found;
}

TEST(SelfTest, FindsAttentionThatTakesTheNextKey) {
  const auto shifted = [](const ir::Graph& graph, const std::string&, ir::Tensor& y) {
    if (graph.nodes()[0].op.name() != "attention") return;
    const auto all = y.as<ir::f16>();
    std::rotate(all.begin(), all.begin() + 64, all.end());
  };
  EXPECT_EQ(self_test(modern(), cpu_with(shifted), CooperativeFamily::attention).substr(0, 26),
            "attention of heads 64 wide");
}

TEST(SelfTest, RunsOnceForADevice) {
  const tests::TemporaryFolder folder;
  int runs = 0;
  const auto counted = cpu_with([&](const auto&...) { ++runs; });
  const auto once = [&](CooperativeFamily family) {
    return self_test_once(modern(), folder.path.string(), counted, family);
  };
  EXPECT_EQ(once(CooperativeFamily::products), "");
  const int first = runs;
  EXPECT_GT(first, 0);
  EXPECT_EQ(once(CooperativeFamily::products), "");
  EXPECT_EQ(runs, first);
  EXPECT_EQ(once(CooperativeFamily::attention), "");
  EXPECT_GT(runs, first);
}

using SelfTestOnDevice = testing::OnDevice;

/// An f16 product, large enough for cooperative matrices.
ir::Graph product() {
  ir::Graph graph;
  const ir::TensorType square = {DType::f16, {64, 64}};
  graph.returns(graph.add("y", ir::ops::Matmul{}, {graph.input("a", square), graph.input("b", square)}));
  return graph;
}

TEST_F(SelfTestOnDevice, WhatFailedItIsNotUsed) {
  const tests::TemporaryFolder folder;
  const ir::Graph graph = product();
  const auto executor = testing::executor_with([&](VulkanOptions& o) { o.pipeline_cache = folder.path.string(); });
  if (cooperative_families(executor->plan(graph, {graph.results()})).empty())
    GTEST_SKIP() << executor->facts().name << " has no cooperative matrices for f16";
  std::filesystem::create_directories(folder.path);
  std::ofstream(folder.path / ("selftest-products-" + cache_key(executor->facts()) + ".txt")) << "all of it is wrong\n";
  const auto executable = executor->compile(graph, {}, {graph.results()});
  const ir::NodeReport report = executable->nodes()[0];
  EXPECT_NE(report.kernel, "coopmat_f16");
  EXPECT_NE(report.reason.find("cooperative matrices failed their self-test: all of it is wrong"), std::string::npos)
      << report.reason;
}

TEST_F(SelfTestOnDevice, ThisDevicePassesIt) {
  const tests::TemporaryFolder folder;
  const ir::Graph graph = product();
  const auto executor = testing::executor_with([&](VulkanOptions& o) { o.pipeline_cache = folder.path.string(); });
  const bool uses = !cooperative_families(executor->plan(graph, {graph.results()})).empty();
  executor->compile(graph, {}, {graph.results()});
  EXPECT_EQ(executor->facts().cooperative_doubt, "");
  const auto file = folder.path / ("selftest-products-" + cache_key(executor->facts()) + ".txt");
  EXPECT_EQ(std::filesystem::exists(file), uses);
}

}  // namespace
}  // namespace plumb::gpu_vulkan
