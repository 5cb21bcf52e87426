#include <gtest/gtest.h>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/formats/graph_file.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/paths.hpp"

namespace plumb::gpu_vulkan::models_test {
namespace {

/// A way to run that must not change a bit of the results.
struct Mode {
  std::string name;
  void (*set)(device::VulkanOptions&);
  bool surviving = false;  ///< every value is handed back
};

/// A model and the inputs it is fed.
struct Model {
  explicit Model(std::string_view name)
      : file(ir::formats::read_graph(tests::source_dir() / "fixtures/graphs" / ir::cat(name, ".json"))),
        feeds(ir::formats::materialise(file, 1)) {}

  std::unique_ptr<ir::Executable> compiled(const Mode& mode) const {
    device::VulkanOptions options = device::options_from_environment();
    mode.set(options);
    return VulkanExecutor(options).compile(file.graph, feeds, {file.graph.results(), mode.surviving});
  }

  void expect_equal(const ir::Tensors& a, const ir::Tensors& b) const {
    for (const ir::Value v : file.graph.results())
      EXPECT_TRUE(std::ranges::equal(a.at(v).bytes(), b.at(v).bytes())) << file.graph.name(v);
  }

  /// In each of these modes as without any, where it runs twice: the second time over what
  /// the first left in memory.
  void expect_equal_in(const std::vector<Mode>& modes) const {
    const auto plain = compiled({"plain", [](device::VulkanOptions&) {}});
    const auto results = plain->run(feeds);
    expect_equal(plain->run(feeds), results);
    for (const Mode& mode : modes) {
      SCOPED_TRACE(mode.name);
      expect_equal(compiled(mode)->run(feeds), results);
    }
  }

  ir::formats::GraphFile file;
  ir::Feeds feeds;
};

class Models : public ::testing::Test {
 protected:
  void SetUp() override {
    if (plumb::testing::gpu().executor == nullptr) GTEST_SKIP() << plumb::testing::gpu().why_not;
  }
};

const Mode poison = {"poison", [](device::VulkanOptions& options) { options.poison = true; }};

/// Nothing shares memory or overlaps in time: a plan that shared too much would differ.
const Mode careful = {"careful",
                      [](device::VulkanOptions& options) {
                        options.redzone = options.full_barriers = options.step = true;
                        options.staging = device::Staging::always;
                      },
                      true};

TEST_F(Models, ASmallBertIsTheSameInEveryMode) {
  Model("bert_tiny")
      .expect_equal_in({
          poison,
          careful,
          {"lifetimes", [](device::VulkanOptions& options) { options.lifetimes = true; }},
          {"redzone", [](device::VulkanOptions& options) { options.redzone = true; }},
          {"no_reuse", [](device::VulkanOptions& options) { options.no_reuse = true; }},
          {"full_barriers", [](device::VulkanOptions& options) { options.full_barriers = true; }},
          {"step", [](device::VulkanOptions& options) { options.step = true; }},
          {"staging", [](device::VulkanOptions& options) { options.staging = device::Staging::always; }},
          {"several buffers", [](device::VulkanOptions& options) { options.max_buffer = 1 << 20; }},
          {"everything captured", [](device::VulkanOptions&) {}, true},
          {"poisoned red zones", [](device::VulkanOptions& options) { options.poison = options.redzone = true; }, true},
      });
}

TEST_F(Models, AnEegEncoderIsTheSameWhenPoisonedAndWhenCareful) {
  Model("eeg_encoder").expect_equal_in({poison, careful});
}

TEST_F(Models, ALlamaBlockIsTheSameWhenPoisonedAndWhenCareful) {
  Model("llama_block").expect_equal_in({poison, careful});
}

}  // namespace
}  // namespace plumb::gpu_vulkan::models_test
