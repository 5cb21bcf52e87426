// Plans with and without passes, on a device: they agree within what the unfused one errs.
#include <gmock/gmock.h>

#include <cmath>

#include "ir/formats/graph_file.hpp"
#include "ir/passes/convert_dtype.hpp"
#include "ir/passes/widen.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/support/paths.hpp"

namespace plumb::gpu_vulkan::fusion_test {
namespace {

using ir::DType;
using ir::Placement;
using testing::executor_with;

struct Model {
  ir::Graph graph;
  ir::Feeds feeds;
};

Model model_of(const std::string& path, std::uint64_t seed, DType dtype) {
  const auto file = ir::formats::read_graph(tests::source_dir() / path);
  Model model{file.graph, ir::formats::materialise(file, seed)};
  if (dtype != DType::f32) model = {ir::passes::as_dtype(model.graph, dtype), ir::passes::as_dtype(model.feeds, dtype)};
  return model;
}

/// The results as f64.
std::vector<double> results_of(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds) {
  std::vector<double> all;
  const auto results = executor.compile(graph, feeds, {graph.results()})->run(feeds);
  for (const ir::Value v : graph.results()) {
    const ir::Tensor wide = ir::convert(results.at(v), DType::f64);
    all.insert(all.end(), wide.as<double>().begin(), wide.as<double>().end());
  }
  return all;
}

double largest_error(const std::vector<double>& truth, const std::vector<double>& got) {
  double error = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (std::isnan(got[i])) return std::numeric_limits<double>::infinity();
    error = std::max(error, std::abs(truth[i] - got[i]));
  }
  return error;
}

using FusionCase = std::tuple<const char*, DType>;

class Fusion : public testing::OnDevice, public ::testing::WithParamInterface<FusionCase> {};

TEST_P(Fusion, AgreesWithTheUnfusedPlan) {
  const auto& [path, dtype] = GetParam();
  const auto fusing = executor_with([](device::VulkanOptions& options) { options.fuse = true; });
  const auto plain = executor_with([](device::VulkanOptions& options) { options.fuse = false; });
  const Model model = model_of(path, 3, dtype);
  ir::Feeds wide;
  for (const auto& [name, tensor] : model.feeds) wide.emplace(name, ir::passes::widen(tensor));
  ref_cpu::CpuExecutor cpu;
  const auto truth = results_of(cpu, ir::passes::widen(model.graph), wide);
  const double unfused = largest_error(truth, results_of(*plain, model.graph, model.feeds));
  const double fused = largest_error(truth, results_of(*fusing, model.graph, model.feeds));
  double largest = 0;
  for (const double y : truth) largest = std::max(largest, std::abs(y));
  EXPECT_GT(largest, 0);
  EXPECT_LE(fused, 2 * unfused + 8 * ir::unit_roundoff(dtype) * largest);
  EXPECT_LT(unfused, 0.05 * largest);  // bf16 is that far off at the most: the bound above says something
}

INSTANTIATE_TEST_SUITE_P(, Fusion,
                         ::testing::Combine(::testing::Values("fixtures/graphs/encoder_in_primitives.json",
                                                              "fixtures/graphs/conv_norm_relu.json",
                                                              "fixtures/graphs/residual_block.json",
                                                              "fixtures/graphs/wide_residual_block.json",
                                                              "fixtures/graphs/gelus_in_primitives.json"),
                                            ::testing::Values(DType::f32, DType::f16)));

class FusedModel : public testing::OnDevice {};

TEST_F(FusedModel, HandsBackWhatSurvivesAndReportsEveryNode) {
  const Model model = model_of("fixtures/graphs/encoder_in_primitives.json", 3, DType::f32);
  const auto gpu = executor_with([](device::VulkanOptions& options) {
    options.fuse = true;
    options.timestamps = device::Timestamps::nodes;
  });
  const auto executable = gpu->compile(model.graph, model.feeds, {model.graph.results(), true});
  const auto values = executable->run(model.feeds);
  const auto reports = executable->nodes();
  ASSERT_EQ(reports.size(), model.graph.nodes().size());
  std::size_t fused = 0;
  for (std::size_t n = 0; n < reports.size(); ++n) {
    const ir::Node& node = model.graph.nodes()[n];
    const bool survives = values.contains(node.outputs[0]);
    EXPECT_EQ(survives, reports[n].placement != Placement::fused) << node.label;
    if (survives) continue;
    ++fused;
    EXPECT_TRUE(model.graph.find(reports[n].kernel)) << node.label << " in " << reports[n].kernel;
    EXPECT_FALSE(reports[n].nanoseconds);
  }
  EXPECT_EQ(fused, 2u * 8 + 6 + 11 + 4);  // norms, biases, attention with reshapes and transposes, gelu
  for (const auto& [value, tensor] : values) EXPECT_TRUE(model.graph.defined(value));
  const auto everything = executor_with([](device::VulkanOptions& options) { options.fuse = false; });
  for (const ir::NodeReport& report :
       everything->compile(model.graph, model.feeds, {model.graph.results(), true})->nodes())
    EXPECT_NE(report.placement, Placement::fused);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::fusion_test
