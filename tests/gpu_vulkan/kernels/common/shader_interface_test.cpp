// The host's side of every shader against what the SPIR-V says: bindings, push
// constants and specialization constants are matched by position, which nothing else checks.
#include <gmock/gmock.h>

#include <set>

#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "ir/formats/graph_file.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/gpu_vulkan/kernels/common/spirv_interface.hpp"
#include "tests/support/paths.hpp"

namespace plumb::gpu_vulkan {
namespace {

using ::testing::IsEmpty;
using testing::read_interface;
using testing::SpirvInterface;

/// Runs everything, so that planning never ends early.
struct Anyone final : ir::Executor {
  std::string_view name() const override { return "anyone"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph&, const ir::Feeds&, const ir::Capture&) override {
    return nullptr;
  }
};

const std::map<std::string_view, SpirvInterface>& interfaces() {
  static const auto all = [] {
    std::map<std::string_view, SpirvInterface> read;
    for (const kernels::common::ShaderBlob& blob : kernels::common::shader_blobs())
      read.emplace(blob.name, read_interface(blob.words));
    return read;
  }();
  return all;
}

TEST(ShaderInterface, EveryModuleKeepsToTheRules) {
  ASSERT_FALSE(interfaces().empty());
  for (const auto& [name, interface] : interfaces()) {
    SCOPED_TRACE(name);
    EXPECT_THAT(interface.other_sets, IsEmpty());
    std::uint32_t next = 0;
    for (const auto& [binding, unused] : interface.bindings) EXPECT_EQ(binding, next++);
    EXPECT_LE(interface.push_bytes, 128u);
  }
}

/// Bindings that a shader may write, by shader without its variant: read by some
/// dispatches and written by others, where a constant chooses the stage.
struct Shared {
  std::set<std::pair<std::string, std::uint32_t>> read, written;
};

/// The name without its variant.
std::string stem(std::string_view name) { return std::string(name.substr(0, name.find('.'))); }

void expect_agreement(const plan::Dispatch& dispatch, Shared& shared) {
  const auto found = interfaces().find(dispatch.shader.name);
  ASSERT_NE(found, interfaces().end()) << "no such module";
  const SpirvInterface& interface = found->second;
  EXPECT_EQ(interface.bindings.size(), dispatch.reads.size() + dispatch.writes.size());
  EXPECT_EQ(interface.push_bytes, dispatch.push.bytes().size());
  for (const auto id : interface.constant_ids) EXPECT_LT(id, dispatch.shader.constants.size());
  for (const auto& [binding, is] : interface.bindings) {
    const bool reads = binding < dispatch.reads.size();
    EXPECT_FALSE(reads && is.writeonly) << "binding " << binding << " is read";
    EXPECT_FALSE(!reads && is.readonly) << "binding " << binding << " is written";
    if (!is.readonly) (reads ? shared.read : shared.written).emplace(stem(dispatch.shader.name), binding);
  }
}

TEST(ShaderInterface, EveryDispatchOfTheFixturesAgrees) {
  const Anyone host;
  Shared shared;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_dir() / "fixtures")) {
    if (entry.path().extension() != ".json" || entry.path().string().find("/invalid/") != std::string::npos) continue;
    const auto graph = ir::formats::read_graph(entry.path()).graph;
    for (const device::DeviceFacts& facts :
         {testing::h200(), testing::rdna3(), testing::phone(), testing::lavapipe()}) {
      SCOPED_TRACE(ir::cat(entry.path().filename().string(), " on ", facts.name));
      const plan::Plan plan = plan::make_plan(graph, {graph.results()}, facts, {.host = &host});
      for (const plan::Dispatch& dispatch : plan.schedule.dispatches) {
        SCOPED_TRACE(ir::cat("node '", graph.nodes()[dispatch.node].label, "', shader ", dispatch.shader.name));
        expect_agreement(dispatch, shared);
      }
    }
  }
  EXPECT_FALSE(shared.written.empty());
  for (const auto& [shader, binding] : shared.read)
    EXPECT_TRUE(shared.written.contains({shader, binding}))
        << shader << " may write binding " << binding << ", which no dispatch says it writes";
}

}  // namespace
}  // namespace plumb::gpu_vulkan
