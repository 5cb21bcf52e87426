// The host's side of every shader against what the SPIR-V says: Vulkan matches bindings, push constants and
// specialization constants by position, which nothing else checks.
#include <gmock/gmock.h>

#include <set>

#include "gpu_vulkan/kernels/common/shader_blobs.hpp"
#include "gpu_vulkan/plan/plan.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/passes/convert_dtype.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/gpu_vulkan/kernels/common/spirv_interface.hpp"
#include "tests/support/paths.hpp"

namespace plumb::gpu_vulkan::shader_interface_test {
namespace {

using ::testing::ElementsAre;
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

/// All dispatches of a shader together, by its name without its variant.
struct Seen {
  std::set<std::string> shaders;
  /// Bindings that the shader may write: read by some dispatches and written by others, where a constant chooses the
  /// stage.
  std::set<std::pair<std::string, std::uint32_t>> read, written;
};

/// The name without its variant.
std::string stem(std::string_view name) { return std::string(name.substr(0, name.find('.'))); }

/// The name that the host must use for a constant that the module calls `in_module`.
std::string host_name(std::uint32_t id, const std::string& in_module) {
  return id == 0 && in_module.empty() ? "invocations" : in_module;
}

/// In which constants the host's list differs from those that the module declares.
std::vector<std::string> differences(const plan::Constants& constants, const SpirvInterface& interface) {
  std::vector<std::string> found;
  for (const auto& [id, in_module] : interface.constants) {
    const std::string wanted = host_name(id, in_module);
    if (id >= constants.all().size())
      found.push_back(ir::cat("constant ", id, " is ", wanted, ", the host has ", constants.all().size()));
    else if (const auto name = constants.all()[id].name(); name != wanted)
      found.push_back(ir::cat("constant ", id, " is ", wanted, ", the host calls it ", name));
  }
  return found;
}

void expect_agreement(const plan::Dispatch& dispatch, Seen& seen) {
  const auto found = interfaces().find(dispatch.shader.name);
  ASSERT_NE(found, interfaces().end()) << "no such module";
  const SpirvInterface& interface = found->second;
  EXPECT_EQ(interface.bindings.size(), dispatch.reads.size() + dispatch.writes.size());
  EXPECT_EQ(interface.push_bytes, dispatch.push.bytes().size());
  EXPECT_THAT(differences(dispatch.shader.constants, interface), IsEmpty());
  for (const auto& [binding, is] : interface.bindings) {
    const bool reads = binding < dispatch.reads.size();
    EXPECT_FALSE(reads && is.writeonly) << "binding " << binding << " is read";
    EXPECT_FALSE(!reads && is.readonly) << "binding " << binding << " is written";
    if (!is.readonly) (reads ? seen.read : seen.written).emplace(stem(dispatch.shader.name), binding);
  }
  seen.shaders.insert(stem(dispatch.shader.name));
}

void expect_agreement(const ir::Graph& graph, Seen& seen) {
  const Anyone host;
  for (const device::DeviceFacts& facts : {testing::h200(), testing::rdna3(), testing::phone(), testing::lavapipe()}) {
    SCOPED_TRACE(facts.name);
    const plan::Plan plan = plan::make_plan(graph, {graph.results()}, facts, {.host = &host});
    for (const plan::Dispatch& dispatch : plan.schedule.dispatches) {
      SCOPED_TRACE(ir::cat("node '", graph.nodes()[dispatch.node].label, "', shader ", dispatch.shader.name));
      expect_agreement(dispatch, seen);
    }
  }
}

/// The graph as it is and, where its ops take them, with 16-bit floats.
std::vector<ir::Graph> by_dtype(const ir::Graph& graph) {
  std::vector<ir::Graph> graphs = {graph};
  for (const ir::DType dtype : {ir::DType::f16, ir::DType::bf16}) try {
      graphs.push_back(ir::passes::as_dtype(graph, dtype));
    } catch (const ir::Error&) {
    }
  return graphs;
}

/// A running sum over rows of whole packs, which no fixture has.
ir::Graph running_sum() {
  ir::Graph graph;
  graph.returns(graph.add("sums", ir::ops::Cumulative{}, {graph.input("x", {ir::DType::f32, {4000, 300}})}));
  return graph;
}

TEST(ShaderInterface, EveryDispatchAgreesAndEveryShaderIsDispatched) {
  Seen seen;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_dir() / "fixtures")) {
    if (entry.path().extension() != ".json" || entry.path().string().find("/invalid/") != std::string::npos) continue;
    SCOPED_TRACE(entry.path().filename().string());
    for (const ir::Graph& graph : by_dtype(ir::formats::read_graph(entry.path()).graph)) expect_agreement(graph, seen);
  }
  expect_agreement(running_sum(), seen);
  for (const auto& [name, unused] : interfaces()) EXPECT_TRUE(seen.shaders.contains(stem(name))) << name;
  EXPECT_FALSE(seen.written.empty());
  for (const auto& [shader, binding] : seen.read)
    EXPECT_TRUE(seen.written.contains({shader, binding}))
        << shader << " may write binding " << binding << ", which no dispatch says it writes";
}

TEST(ShaderInterface, AConstantOutOfPlaceMisspeltOrMissingIsFound) {
  SpirvInterface interface;
  interface.constants = {{0, ""}, {1, "rows"}, {2, "columns"}};
  EXPECT_THAT(differences({{"invocations", 64u}, {"rows", 8u}, {"columns", 4u}}, interface), IsEmpty());
  EXPECT_THAT(
      differences({{"invocations", 64u}, {"columns", 4u}, {"rows", 8u}}, interface),
      ElementsAre("constant 1 is rows, the host calls it columns", "constant 2 is columns, the host calls it rows"));
  EXPECT_THAT(
      differences({{"threads", 64u}, {"rows", 8u}}, interface),
      ElementsAre("constant 0 is invocations, the host calls it threads", "constant 2 is columns, the host has 2"));
}

TEST(Constants, AreReadByTheirNames) {
  const plan::Constants constants =
      plan::Constants{{"invocations", 64u}, {"packed", true}}.then({{"to", ir::DType::f16}});
  EXPECT_EQ(constants["invocations"], 64u);
  EXPECT_EQ(constants["to"], static_cast<std::uint32_t>(ir::DType::f16));
  EXPECT_THAT(constants.values(), ElementsAre(64u, 1u, static_cast<std::uint32_t>(ir::DType::f16)));
  EXPECT_THROW(constants["rows"], std::out_of_range);
  plan::Constants other = constants;
  other.set("packed", 0);
  EXPECT_THAT(other.values(), ElementsAre(64u, 0u, static_cast<std::uint32_t>(ir::DType::f16)));
  EXPECT_NE(other, constants);
  static_assert(!std::is_constructible_v<plan::Constants, std::initializer_list<std::uint32_t>>);
  static_assert(!std::is_constructible_v<plan::Constant, std::uint32_t>);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::shader_interface_test
