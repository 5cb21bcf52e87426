#include "gpu_vulkan/self_test/self_test.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "gpu_vulkan/cache/cache_files.hpp"
#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/matmul.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::gpu_vulkan::self_test_test {
namespace {

using ir::DType;
using plan::CooperativeKernel;
using self_test::CooperativeKernels;
using Kind = CooperativeKernel::Kind;

/// A device that computes as the CPU does, but for what `spoil` does to a result.
template <class Spoil>
self_test::RunOnDevice cpu_with(Spoil spoil) {
  return [spoil](const ir::Graph& graph, const ir::Feeds& feeds, const std::string& tile) {
    ref_cpu::CpuExecutor cpu;
    ir::Tensor y = cpu.run(graph, feeds, graph.results()).at(graph.results()[0]);
    spoil(graph, tile, y);
    return y;
  };
}

constexpr auto nothing = [](const auto&...) {};

ir::Graph product(DType dtype, std::int64_t m, std::int64_t k, std::int64_t n, const ir::ops::Matmul& op = {}) {
  ir::Graph graph;
  const ir::Shape a = op.transpose_a ? ir::Shape{k, m} : ir::Shape{m, k};
  const ir::Shape b = op.transpose_b ? ir::Shape{n, k} : ir::Shape{k, n};
  graph.returns(graph.add("y", op, {graph.input("a", {dtype, a}), graph.input("b", {dtype, b})}));
  return graph;
}

ir::Graph product_in_f16(std::int64_t m, std::int64_t k, std::int64_t n) {
  ir::ops::Matmul op;
  op.output_dtype = DType::f32;
  op.accumulator = DType::f16;
  return product(DType::f16, m, k, n, op);
}

ir::Graph convolution(DType dtype, std::int64_t stride, const ir::Shape& images, const ir::Shape& filters) {
  ir::Graph graph;
  const ir::ops::Conv op{.strides = {stride, stride}, .dilations = {}, .pads = {}};
  graph.returns(graph.add("y", op, {graph.input("x", {dtype, images}), graph.input("w", {dtype, filters})}));
  return graph;
}

ir::Graph attention(std::int64_t queries, std::int64_t keys, std::int64_t width, std::int64_t value_width) {
  ir::Graph graph;
  const ir::TensorType q = {DType::f16, {1, 2, queries, width}}, k = {DType::f16, {1, 2, keys, width}};
  const ir::TensorType v = {DType::f16, {1, 2, keys, value_width}};
  graph.returns(graph.add("y", ir::ops::Attention{}, {graph.input("q", q), graph.input("k", k), graph.input("v", v)}));
  return graph;
}

/// Those that any tile of its kernel would run for a graph.
CooperativeKernels tiles_of(const ir::Graph& graph, const device::DeviceFacts& facts) {
  CooperativeKernels all;
  const auto choice = plan::lowered_choice(graph, facts, {});
  std::vector<std::string> names = {""};
  for (const plan::TileOption& tile : choice.tiles)
    if (tile.fits) names.push_back(tile.name);
  for (const std::string& name : names) {
    const plan::PlanOptions options{.tile = name};
    all.merge(self_test::cooperative_kernels(plan::make_plan(graph, {graph.results()}, facts, options)));
  }
  return all;
}

/// The tiles that products, convolutions and attentions of many sizes take.
CooperativeKernels many_tiles(const device::DeviceFacts& facts) {
  CooperativeKernels all;
  const auto taps = {ir::Shape{1, 3}, ir::Shape{3, 3}, ir::Shape{2, 2}, ir::Shape{5, 5}, ir::Shape{1, 7}};
  for (const DType dtype : {DType::f16, DType::bf16}) {
    if (!facts.holds(dtype)) continue;
    for (const bool a : {false, true})
      for (const bool b : {false, true}) {
        ir::ops::Matmul op;
        op.transpose_a = a;
        op.transpose_b = b;
        all.merge(tiles_of(product(dtype, 136, 72, 144, op), facts));
        all.merge(tiles_of(product(dtype, 67, 131, 33, op), facts));
        all.merge(tiles_of(product(dtype, 512, 4096, 512, op), facts));
        op.output_dtype = DType::f32;
        all.merge(tiles_of(product(dtype, 136, 72, 144, op), facts));
        all.merge(tiles_of(product(dtype, 67, 131, 33, op), facts));
      }
    for (const std::int64_t channels : {24, 65, 200})
      for (const ir::Shape& of : taps)
        for (const std::int64_t stride : {1, 2})
          all.merge(tiles_of(convolution(dtype, stride, {4, channels, 60, 30}, {100, channels, of[0], of[1]}), facts));
  }
  all.merge(tiles_of(product_in_f16(136, 72, 144), facts));
  all.merge(tiles_of(product_in_f16(67, 131, 33), facts));
  for (const std::int64_t queries : {9, 31, 33, 64, 65, 500})
    for (const std::int64_t width : {8, 24, 40, 64, 72, 80, 96, 112, 128, 160, 200, 256})
      for (const std::int64_t value_width : {width, std::int64_t{8}, std::int64_t{128}})
        all.merge(tiles_of(attention(queries, 300, width, value_width), facts));
  return all;
}

/// As lavapipe of Mesa 26 has them.
device::DeviceFacts with_small_matrices() {
  device::DeviceFacts facts = testing::any_device();
  facts.name = "software";
  facts.subgroup_size = facts.min_subgroup_size = facts.max_subgroup_size = 8;
  facts.bfloat16 = true;
  facts.cooperative_shapes = {testing::f16_shape(8, 8, 8, DType::f32), testing::f16_shape(8, 8, 8, DType::f16)};
  facts.cooperative_shapes.push_back({8, 8, 8, DType::bf16, DType::bf16, DType::f32, DType::f32});
  return facts;
}

TEST(SelfTest, IsThereForEveryTile) {
  device::DeviceFacts little_memory = testing::h200();
  little_memory.shared_memory = 24 << 10;
  device::DeviceFacts unconverted = testing::h200();
  unconverted.cooperative_conversions = false;
  for (const auto& facts : {testing::h200(), unconverted, testing::rdna3(), with_small_matrices(), little_memory}) {
    struct Ran {
      CooperativeKernels tiles;
    };
    const auto device = [&](const ir::Graph& graph, const ir::Feeds&, const std::string& tile) -> ir::Tensor {
      const plan::PlanOptions options{.tile = tile};
      throw Ran{self_test::cooperative_kernels(plan::make_plan(graph, {graph.results()}, facts, options))};
    };
    const CooperativeKernels tiles = many_tiles(facts);
    EXPECT_GT(tiles.size(), 30u) << facts.name;
    for (const CooperativeKernel& tile : tiles) try {
        ADD_FAILURE() << self_test::self_test(facts, {}, device, tile);
      } catch (const Ran& ran) {
        EXPECT_EQ(ran.tiles, std::set{tile}) << facts.name;
      }
  }
}

TEST(SelfTest, KnowsEveryModuleWithCooperativeMatrices) {
  std::set<std::string> modules, said;
  for (const kernels::common::ShaderBlob& blob : kernels::common::shader_blobs()) {
    if (!self_test::has_cooperative_matrices(blob.name)) continue;
    modules.insert(std::string(blob.name));
    plan::Plan silent;
    silent.schedule.dispatches.push_back(
        {.shader = {std::string(blob.name), {}}, .reads = {}, .writes = {}, .push = {}});
    EXPECT_THROW(self_test::cooperative_kernels(silent), ir::Error) << blob.name;
  }
  EXPECT_GE(modules.size(), 11u);
  device::DeviceFacts unconverted = testing::h200();
  unconverted.cooperative_conversions = false;
  for (const device::DeviceFacts& facts : {testing::h200(), unconverted})
    for (CooperativeKernel kernel : many_tiles(facts)) {
      kernel.tile = "1x2x3";
      if (!said.insert(to_text(kernel)).second) continue;
      EXPECT_THAT(self_test::self_test(facts, {}, cpu_with(nothing), kernel), ::testing::HasSubstr("no test"));
    }
  EXPECT_GE(said.size(), 11u) << ::testing::PrintToString(said);
}

const CooperativeKernel product_tile{.tile = "64x64x64"};  // an f16 tile

TEST(SelfTest, PassesWhatIsRight) {
  device::DeviceFacts unconverted = testing::h200();
  unconverted.cooperative_conversions = false;
  for (const device::DeviceFacts& facts : {testing::h200(), unconverted})
    for (const ir::Graph& graph :
         {product(DType::f16, 64, 64, 64), product(DType::bf16, 63, 63, 63), product_in_f16(64, 64, 64),
          convolution(DType::f16, 2, {1, 16, 20, 20}, {32, 16, 3, 3}), attention(64, 64, 64, 64),
          convolution(DType::bf16, 1, {4, 64, 30, 30}, {64, 64, 2, 2}), attention(20, 300, 200, 8)}) {
      const auto tiles = self_test::cooperative_kernels(plan::make_plan(graph, {graph.results()}, facts, {}));
      ASSERT_EQ(tiles.size(), 1u);
      EXPECT_EQ(self_test::self_test(facts, {}, cpu_with(nothing), *tiles.begin()), "") << to_text(*tiles.begin());
    }
}

TEST(SelfTest, NamesTheTileAndTheElementThatAreWrong) {
  const auto one_tile = [](const ir::Graph&, const std::string& tile, ir::Tensor& y) {
    if (tile == "64x64x64") y.as<ir::f16>()[5] = ir::f16(7.0f);
  };
  EXPECT_EQ(self_test::self_test(testing::h200(), {}, cpu_with(one_tile), product_tile).substr(0, 65),
            "product by matmul_cooperative.f16 64x64x64: element 5 of f16[136,");
  EXPECT_EQ(self_test::self_test(testing::h200(), {}, cpu_with(one_tile), {.tile = "32x32x64"}), "");
}

TEST(SelfTest, FindsASumThatLacksItsLastTerms) {
  const auto narrow = [](const ir::Graph& graph, const ir::Feeds& feeds, const std::string&) {
    ir::Feeds spoiled = feeds;
    ir::Tensor& a = spoiled.at("a");
    const std::int64_t k = a.shape()[1];
    for (std::int64_t i = 0; i < a.elements(); ++i)
      if (i % k >= k - 8) a.as<ir::f16>()[static_cast<std::size_t>(i)] = ir::f16(0.0f);
    ref_cpu::CpuExecutor cpu;
    return cpu.run(graph, spoiled, graph.results()).at(graph.results()[0]);
  };
  for (const std::string tile : {"64x64x64", "64x64x64 by elements"})
    EXPECT_NE(self_test::self_test(testing::h200(), {}, narrow, {.tile = tile}), "");
}

const CooperativeKernel convolution_tile{.kind = Kind::convolution, .tile = "32x32x64"};

TEST(SelfTest, FindsAConvolutionThatLacksAnElement) {
  const auto one = [](const ir::Graph&, const std::string&, ir::Tensor& y) { y.as<ir::f16>()[7] = ir::f16(0.5f); };
  const std::string found = self_test::self_test(testing::h200(), {}, cpu_with(one), convolution_tile);
  EXPECT_EQ(found.substr(0, 47), "convolution by conv_cooperative.f16 32x32x64: e");
  EXPECT_NE(found.find(": element 7 of f16[2, 120, 5, 6] is 0.5, right is "), std::string::npos) << found;
}

TEST(SelfTest, FindsAttentionThatTakesTheNextKey) {
  const auto attention_by = [](DType dtype) {
    return CooperativeKernel{.kind = Kind::coopmat2_attention, .operands = dtype, .result = dtype, .tile = "64x32"};
  };
  const auto shifted = [](const ir::Graph& graph, const std::string&, ir::Tensor& y) {
    const auto all = y.as<ir::f16>();
    std::rotate(all.begin(), all.begin() + graph.type(2).shape[3], all.end());
  };
  EXPECT_EQ(self_test::self_test(testing::h200(), {}, cpu_with(shifted), attention_by(DType::f16)).substr(0, 42),
            "attention by attention_coopmat2.f16 64x32:");
  EXPECT_EQ(self_test::self_test(testing::h200(), {}, cpu_with(nothing), attention_by(DType::bf16)), "");
}

TEST(SelfTest, RefusesATileThatNothingRuns) {
  EXPECT_EQ(self_test::self_test(testing::h200(), {}, cpu_with(nothing), {.tile = "1x2x3"}),
            "matmul_cooperative.f16 1x2x3: there is no test of it on this device");
}

/// self_test_once in a folder, and how many tests it ran.
struct Once {
  device::DeviceFacts facts = testing::h200();
  std::string folder, wrong_tile = "none", found = {};
  int runs = 0;

  int operator()(const CooperativeKernels& tiles) {
    runs = 0;
    const auto device = cpu_with([&](const ir::Graph&, const std::string& tile, ir::Tensor& y) {
      ++runs;
      if (tile == wrong_tile) y.as<ir::f16>()[0] = ir::f16(99.0f);
    });
    found = self_test::self_test_once(facts, {}, folder, device, tiles);
    return runs;
  }
};

const CooperativeKernel other_tile{.tile = "32x32x64"};

TEST(SelfTest, RunsOnceForATile) {
  const tests::TemporaryFolder folder;
  Once once{.folder = folder.path.string()}, later = once;
  EXPECT_EQ(once({product_tile}), 1);
  EXPECT_EQ(once({product_tile}), 0);
  EXPECT_EQ(later({product_tile, other_tile}), 1);
  EXPECT_EQ(once({product_tile, other_tile}), 0);
  EXPECT_EQ(once.found, "");
  once.facts.driver_version = later.facts.driver_version + 1;
  EXPECT_EQ(once({product_tile}), 1);
  Once unkept{.folder = "off"};
  unkept.facts.device_id = 4711;  // no other test of this process has it
  EXPECT_EQ(unkept({product_tile}), 1);
  EXPECT_EQ(unkept({product_tile}), 0);
}

TEST(SelfTest, OneWrongTileSpeaksAgainstAll) {
  const tests::TemporaryFolder folder;
  Once once{.folder = folder.path.string(), .wrong_tile = "64x64x64"};
  EXPECT_EQ(once({other_tile}), 1);
  EXPECT_EQ(once.found, "");
  EXPECT_EQ(self_test::kept_doubt(once.facts, once.folder), "");
  EXPECT_EQ(once({other_tile, product_tile}), 1);
  EXPECT_EQ(once.found.substr(0, 43), "product by matmul_cooperative.f16 64x64x64:");
  EXPECT_EQ(self_test::kept_doubt(once.facts, once.folder), once.found);
  const std::string first = once.found;
  EXPECT_EQ(once({other_tile}), 0);
  EXPECT_EQ(once.found, first);
  EXPECT_EQ(once({convolution_tile}), 0);
  EXPECT_EQ(once.found, first);
}

TEST(SelfTest, RunsAgainWhereItsFileIsDamaged) {
  const tests::TemporaryFolder folder;
  Once once{.folder = folder.path.string()};
  const auto file = self_test::self_test_file(once.facts, folder.path);
  EXPECT_EQ(once({product_tile}), 1);
  std::ofstream(file, std::ios::binary | std::ios::in | std::ios::out).seekp(24) << "M";  // after the head
  EXPECT_EQ(once({product_tile}), 1);
  std::filesystem::resize_file(file, 30);
  EXPECT_EQ(once({product_tile}), 1);
  std::ofstream(file) << "matmul_cooperative.f16 64x64x64: passed\n";  // somebody else's
  EXPECT_EQ(once({product_tile}), 1);
  EXPECT_EQ(once({product_tile}), 0);
}

TEST(SelfTest, IsNotRunByTwoAtATime) {
  const tests::TemporaryFolder folder;
  std::atomic<int> runs = 0;
  const auto slow = [&](const auto&... what) {
    ++runs;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return cpu_with(nothing)(what...);
  };
  const std::string path = folder.path.string();
  const auto start = [&] { EXPECT_EQ(self_test::self_test_once(testing::h200(), {}, path, slow, {product_tile}), ""); };
  std::thread first(start), second(start);
  first.join();
  second.join();
  EXPECT_EQ(runs, 1);
}

using SelfTestOnDevice = testing::OnDevice;

/// An executor whose caches are in a folder, and the tiles that an f16 product large enough for them runs there.
struct WithFolder {
  ir::Graph graph = product(DType::f16, 64, 64, 64);
  tests::TemporaryFolder folder = {};
  std::string doubt = {};
  std::unique_ptr<VulkanExecutor> executor = another(&doubt);
  CooperativeKernels tiles = self_test::cooperative_kernels(executor->plan(graph, {graph.results()}));

  std::unique_ptr<VulkanExecutor> another(std::string* heard = nullptr) const {
    return testing::executor_with([&](device::VulkanOptions& o) {
      o.pipeline_cache = folder.path.string();
      if (heard != nullptr) o.on_doubt = [heard](const std::string& what) { *heard += what; };
    });
  }
};

TEST_F(SelfTestOnDevice, WhatFailedItIsNotUsed) {
  const WithFolder with;
  if (with.tiles.empty()) GTEST_SKIP() << with.executor->facts().name << " has no cooperative matrices for f16";
  const auto wrong = cpu_with([](const ir::Graph&, const std::string&, ir::Tensor& y) { y.as<ir::f16>()[0] = {}; });
  const std::string why =
      self_test::self_test_once(with.executor->facts(), {}, with.folder.path.string(), wrong, with.tiles);
  ASSERT_NE(why, "");
  const std::string told =
      with.executor->facts().name + "'s cooperative matrices failed their self-test and are not used: " + why;
  const auto before = with.executor->compile(with.graph, {}, {with.graph.results()});
  // Once, though it had been opened before, and with the node of the plan that it is found for.
  EXPECT_THAT(with.doubt, ::testing::StartsWith(told + "; the first to need them is dispatch 0 ("));
  EXPECT_THAT(with.doubt, ::testing::EndsWith(" of node 'y' (matmul)"));
  std::string at_once;
  const auto later = with.another(&at_once);
  EXPECT_EQ(at_once, told);
  EXPECT_EQ(later->plan_options().cooperative_doubt, why);
  const plan::Plan planned = later->plan(with.graph, {with.graph.results()});
  for (const ir::NodeReport& report : {before->nodes()[0], planned.nodes[0]}) {
    EXPECT_NE(report.kernel, "coopmat_f16");
    EXPECT_THAT(report.reason, ::testing::HasSubstr("cooperative matrices failed their self-test: " + why));
  }
}

TEST_F(SelfTestOnDevice, ThisDevicePassesItOfTheTilesItRuns) {
  const WithFolder with;
  int runs = 0;
  const auto counted = cpu_with([&](const auto&...) { ++runs; });
  const auto file = self_test::self_test_file(with.executor->facts(), with.folder.path);
  with.executor->compile(with.graph, {}, {with.graph.results()});
  EXPECT_EQ(with.executor->plan_options().cooperative_doubt, "");
  EXPECT_EQ(std::filesystem::exists(file), !with.tiles.empty());
  if (with.tiles.empty()) GTEST_SKIP() << with.executor->facts().name << " has no cooperative matrices for f16";
  self_test::self_test_once(with.executor->facts(), {}, with.folder.path.string(), counted, with.tiles);
  EXPECT_EQ(runs, 0);
  const ir::Graph odd = product(DType::f16, 63, 63, 63);
  const auto others = self_test::cooperative_kernels(with.executor->plan(odd, {odd.results()}));
  self_test::self_test_once(with.executor->facts(), {}, with.folder.path.string(), counted, others);
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::self_test_test
