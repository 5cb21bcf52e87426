// Results of a device do not depend on what a program did to the floating-point environment of its threads. The host
// computes constants, and a software driver computes all in threads that it starts.
#include <gtest/gtest.h>

#include "ir/formats/graph_file.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/gpu_vulkan/sample_graph.hpp"
#include "tests/support/odd_floats.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::gpu_vulkan::float_environment_test {
namespace {

constexpr auto text = R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[64, 96]"}},
  "params": {"w": {"type": "f32[96, 32]"}}, "nodes": [
  {"label": "h", "op": "matmul", "inputs": ["x", "w"]},
  {"label": "y", "op": "softmax", "axis": -1, "inputs": ["h"]},
  {"label": "third", "op": "constant", "dtype": "f32", "shape": [1], "values": [0.3333]},
  {"label": "e", "op": "unary", "function": "exp", "inputs": ["x"]},
  {"label": "scaled", "op": "binary", "function": "multiply", "inputs": ["e", "third"]}],
  "results": ["y", "scaled"]})";

class FloatEnvironmentOnDevice : public testing::OnDevice {
 protected:
  const ir::formats::GraphFile file = ir::formats::parse_graph(text, ".");
  const ir::Feeds feeds = ir::formats::materialise(file, 1);

  ir::Tensors results() const {
    const auto gpu = testing::any_executor();
    const auto executable = gpu->compile(file.graph, feeds, {file.graph.results()});
    ir::Tensors made = executable->run(feeds);
    const auto context = executable->context();
    context->submit(plumb::testing::part_of(feeds, file.graph.inputs())).get();
    for (const auto& [value, tensor] : made)
      EXPECT_TRUE(tests::same_bytes(plumb::testing::read(context->buffer(value)), tensor)) << file.graph.name(value);
    return made;
  }
};

TEST_F(FloatEnvironmentOnDevice, RunsHaveTheBitsOfAnyOtherProgram) {
  const ir::Tensors usual = results();
  const tests::OddFloats odd;
  testing::expect_equal(file.graph, usual, results());
  EXPECT_TRUE(tests::has_odd_floats());
}

}  // namespace
}  // namespace plumb::gpu_vulkan::float_environment_test
