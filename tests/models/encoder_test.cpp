// An encoder block as exporters write it, in primitives: what it is made of is recognised.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu_vulkan/passes/fuse.hpp"
#include "ir/formats/onnx/onnx_file.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/paths.hpp"

namespace plumb::encoder_test {
namespace {

using ::testing::Contains;
using ::testing::StartsWith;

parity::cases::Case encoder() {
  ref_cpu::CpuExecutor folding({.threads = 1});
  auto model = ir::formats::read_onnx(tests::source_dir() / "fixtures" / "onnx" / "encoder_in_primitives.onnx",
                                      {.evaluate = ir::formats::evaluate_with(folding), .shapes = {{"batch", {3}}}});
  parity::cases::Case made{.name = "encoder_in_primitives"};
  made.feeds = ir::formats::materialise(model.file, made.seed);
  made.file = std::make_shared<const ir::formats::GraphFile>(std::move(model.file));
  return made;
}

TEST(EncoderInPrimitives, IsRecognised) {
  const parity::cases::Case subject = encoder();
  const ir::Graph& graph = subject.file->graph;
  const auto fused =
      gpu_vulkan::passes::fuse(graph, {graph.results()}, subject.feeds, gpu_vulkan::device::usual_device());
  const auto lines = gpu_vulkan::passes::fusions(fused, graph);
  for (const char* what : {"layer_norm 'norm0'", "layer_norm 'norm1'", "gelu 'gelu'", "attention 'attention/merge'"})
    EXPECT_THAT(lines, Contains(StartsWith(what)));
}

TEST(EncoderInPrimitives, AgreesNodeByNode) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  ref_cpu::CpuExecutor cpu;
  parity::cases::Observer nobody;
  const auto result =
      parity::verify::verify(encoder(), {.reference = cpu, .candidate = testing::gpu().executor}, {}, nobody);
  EXPECT_EQ(result.verdict, parity::core::Verdict::passed) << result.message;
  for (const parity::cases::NodeResult& node : result.nodes)
    EXPECT_TRUE(node.verdict == parity::core::Verdict::passed || node.verdict == parity::core::Verdict::skipped)
        << node.name() << ": " << node.why;
}

}  // namespace
}  // namespace plumb::encoder_test
