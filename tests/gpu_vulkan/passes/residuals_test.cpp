// A layer norm that adds what is added in front of it.
#include <gmock/gmock.h>

#include <random>

#include "gpu_vulkan/fused_ops/added_norm.hpp"
#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/passes/pattern.hpp"
#include "ir/ops/binary.hpp"
#include "ir/passes/widen.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/facts.hpp"
#include "tests/support/noise.hpp"

namespace plumb::gpu_vulkan::residuals_test {
namespace {

using ir::DType;
using ir::Value;
using ir::ops::Binary;
using ir::ops::BinaryFunction;
using ir::ops::LayerNorm;
using Names = std::vector<std::string>;

/// y = layer_norm(x + r).
struct Block {
  ir::Graph graph = {};
  Value x, r, sum, y;

  explicit Block(const ir::Shape& of_x, const ir::Shape& of_r, DType dtype = DType::f32, const LayerNorm& norm = {}) {
    x = graph.input("x", {dtype, of_x});
    r = graph.input("r", {dtype, of_r});
    const ir::Shape row{of_x.back()};
    std::vector<Value> operands = {0};
    for (const auto& [name, there] : {std::pair("scale", norm.has_scale), std::pair("bias", norm.has_bias)})
      if (there) operands.push_back(graph.input(name, {dtype, row}));
    sum = operands[0] = graph.add("sum", Binary{BinaryFunction::add}, {x, r});
    y = graph.add("y", norm, operands);
    graph.returns(y);
  }
  Names fused(std::vector<Value> wanted) const {
    Names names;
    const ir::Feeds none;
    const passes::Fused made = passes::fuse(graph, {std::move(wanted)}, none, testing::h200());
    for (const ir::Node& node : made.graph.nodes()) names.emplace_back(node.op.name());
    return names;
  }
};

TEST(Passes, ResultsThatOneLeavesOutAreNamed) {
  const Block block({6, 5}, {6, 5});
  const ir::Feeds none;
  const device::DeviceFacts facts = testing::h200();
  const passes::PassSetting setting{.wanted = {block.sum, block.y}, .params = none, .facts = facts};
  ir::Graph graph = block.graph;
  graph.returns(block.sum);
  const auto leaves_out = [](const passes::PatternGraph&, std::size_t n) -> std::optional<passes::Replacement> {
    if (n != 1) return std::nullopt;
    return passes::Replacement{{0, 1}, 1, [](ir::Graph& next, const ir::Node& node) {
                                 next.place(node.label, Binary{BinaryFunction::add}, {0, 1}, node.outputs);
                               }};
  };
  EXPECT_EQ(tests::message_of([&] { passes::replaced(graph, setting, leaves_out); }),
            "node 'sum' (binary): a pass leaves it out, though it computes a result");
}

TEST(Residuals, ASumThatOnlyANormReadsIsPartOfIt) {
  const Block block({6, 5}, {6, 5});
  EXPECT_EQ(block.fused({block.y}), Names{"added_norm"});
  EXPECT_EQ(block.fused({block.sum, block.y}), (Names{"binary", "layer_norm"}));
  const Block stretched({6, 5}, {5});
  EXPECT_EQ(stretched.fused({stretched.y}), (Names{"binary", "layer_norm"}));
  Block shared({6, 5}, {6, 5});
  const Value more = shared.graph.add("more", Binary{BinaryFunction::add}, {shared.sum, shared.x});
  EXPECT_EQ(shared.fused({shared.y, more}), (Names{"binary", "layer_norm", "binary"}));
  const Block few({2, 50257}, {2, 50257});  // cut into slices
  EXPECT_EQ(few.fused({few.y}), (Names{"binary", "layer_norm"}));
}

ir::Tensor drawn(const ir::TensorType& type, std::mt19937& random) {
  std::normal_distribution<double> normal;
  ir::Tensor wide({DType::f64, type.shape});
  for (double& number : wide.as<double>()) number = normal(random);
  return ir::convert(wide, type.dtype);
}

using Case = std::tuple<DType, std::int64_t, LayerNorm>;

class AddedNormOnDevice : public testing::OnDevice, public ::testing::WithParamInterface<Case> {};

TEST_P(AddedNormOnDevice, GivesTheNormOfTheSum) {
  const auto& [dtype, length, norm] = GetParam();
  const Block block({37, length}, {37, length}, dtype, norm);
  std::mt19937 random(11);
  ir::Feeds feeds, wide;
  for (Value v = 0; v < block.graph.inputs().size(); ++v) {
    const ir::Tensor x = drawn(block.graph.type(v), random);
    feeds.emplace(block.graph.name(v), x);
    wide.emplace(block.graph.name(v), ir::passes::widen(x));
  }
  ref_cpu::CpuExecutor cpu;
  const ir::Capture all{{block.y}};
  const auto truth = cpu.compile(ir::passes::widen(block.graph), wide, all)->run(wide);
  const auto fusing = testing::executor_with([](device::VulkanOptions& options) { options.fuse = true; });
  const auto got = fusing->compile(block.graph, feeds, all)->run(feeds);
  const ir::Tensor y = ir::convert(got.at(block.y), DType::f64);
  const auto expected = truth.at(block.y).as<double>();
  // The sum may be rounded or not; then come a few roundings in f32 and the last one.
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(y.as<double>()[i], expected[i], 8 * ir::unit_roundoff(dtype) * (1 + std::abs(expected[i]))) << i;
}

INSTANTIATE_TEST_SUITE_P(, AddedNormOnDevice,
                         ::testing::Combine(::testing::Values(DType::f32, DType::f16, DType::bf16),
                                            ::testing::Values(7, 130, 768),
                                            ::testing::Values(LayerNorm{}, LayerNorm{.has_bias = false},
                                                              LayerNorm{.has_scale = false, .has_bias = false})));

}  // namespace
}  // namespace plumb::gpu_vulkan::residuals_test
