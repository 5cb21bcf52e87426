// Whole networks that somebody else exported, with what somebody else's evaluation gave.

#include <gtest/gtest.h>

#include "ir/formats/onnx/onnx_file.hpp"
#include "ir/passes/widen.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/paths.hpp"

namespace plumb::light_models_test {
namespace {

namespace fs = std::filesystem;
using parity::core::Verdict;

/// i / n, as ONNX's tests feed these models.
ir::Tensor ramp(const ir::TensorType& type) {
  ir::Tensor x(type);
  const auto values = x.as<float>();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(values.size()));
  return x;
}

parity::cases::Case light_model(const std::string& name) {
  const fs::path folder = tests::source_dir() / "fixtures" / "onnx";
  ref_cpu::CpuExecutor folding({.threads = 1});
  auto model = ir::formats::read_onnx(folder / (name + ".onnx"), {.evaluate = ir::formats::evaluate_with(folding)});
  const ir::Graph& graph = model.file.graph;
  for (ir::Value v = 0; v < graph.inputs().size(); ++v)
    model.file.sources.insert_or_assign(graph.name(v), ramp(graph.type(v)));
  const auto expected = ir::formats::read_tensor_proto(folder / (name + "_output_0.pb")).tensor;
  model.file.expected.emplace(graph.name(graph.results().front()), ir::passes::widen(expected));
  parity::cases::Case made{.name = name, .expected_within = parity::cases::Closeness()};
  made.feeds = ir::formats::materialise(model.file, made.seed);
  made.file = std::make_shared<const ir::formats::GraphFile>(std::move(model.file));
  return made;
}

class LightModels : public ::testing::TestWithParam<const char*> {};

/// Constant weights make constant tensors: many nodes prove nothing by themselves, and
/// are mistrusted for it; but none may fail, and the result is ONNX's.
void expect_agreement(const parity::cases::CaseResult& result) {
  EXPECT_TRUE(result.verdict == Verdict::passed || result.verdict == Verdict::mistrusted) << result.message;
  std::size_t compared_with_file = 0;
  for (const parity::cases::NodeResult& node : result.nodes) {
    EXPECT_TRUE(node.verdict == Verdict::passed || node.verdict == Verdict::mistrusted ||
                node.verdict == Verdict::skipped)
        << node.name() << " is " << ir::enum_name(node.verdict) << ": " << node.why;
    if (!node.expected) continue;
    ++compared_with_file;
    EXPECT_TRUE(node.expected->agrees()) << node.name() << ": " << parity::compare::summary(*node.expected);
  }
  EXPECT_EQ(compared_with_file, 1u);
}

TEST_P(LightModels, AgreeNodeByNodeAndWithOnnxOnTheCpu) {
  const parity::cases::Case subject = light_model(GetParam());
  EXPECT_GT(subject.file->graph.nodes().size(), 50u);
  ref_cpu::CpuExecutor cpu;
  parity::cases::Observer nobody;
  expect_agreement(
      parity::verify::verify(subject, {.reference = cpu, .candidate = &cpu, .candidate_is_host = true}, {}, nobody));
}

TEST_P(LightModels, AgreeNodeByNodeAndWithOnnxOnTheDevice) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const parity::cases::Case subject = light_model(GetParam());
  ref_cpu::CpuExecutor cpu;
  parity::cases::Observer nobody;
  expect_agreement(
      parity::verify::verify(subject, {.reference = cpu, .candidate = testing::gpu().executor}, {}, nobody));
}

INSTANTIATE_TEST_SUITE_P(Onnx, LightModels, ::testing::Values("light_squeezenet", "light_shufflenet", "light_resnet50"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace plumb::light_models_test
