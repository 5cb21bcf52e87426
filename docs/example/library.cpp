#include <iostream>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"

using namespace plumb;

int main() try {
  const auto file = std::make_shared<ir::formats::GraphFile>();
  ir::Graph& graph = file->graph;
  const ir::Value x = graph.input("x", {ir::DType::f32, {2, 3}});
  const ir::Value w = graph.param("w", {ir::DType::f32, {3, 2}});
  const ir::Value y = graph.add("y", ir::ops::Softmax{}, {graph.add("scores", ir::ops::Matmul{}, {x, w})});
  graph.returns(y);
  const ir::Feeds feeds = {{"x", ir::Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
                           {"w", ir::Tensor::of<float>({3, 2}, {0.1f, 0, 0, 0.1f, 0.1f, 0})}};
  ref_cpu::CpuExecutor cpu;
  const ir::Tensor on_cpu = cpu.run(graph, feeds, {y}).at(y);
  for (const float value : on_cpu.as<float>()) std::cout << "cpu " << value << '\n';

  // Every node on the device, held to the limit that follows from its arithmetic and these numbers.
  gpu_vulkan::VulkanExecutor gpu;
  parity::cases::Observer silent;
  const parity::cases::CaseResult result = parity::verify::verify({.name = "scores", .file = file, .feeds = feeds},
                                                                  {.reference = cpu, .candidate = &gpu}, {}, silent);
  for (const parity::cases::NodeResult& node : result.nodes)
    std::cout << node.name() << ": " << ir::enum_name(node.verdict) << ", off by at most " << node.local.max_abs.value
              << ", which is " << node.local.ratio() << " of its limit\n";
} catch (const ir::Unsupported& reason) {
  std::cout << "no gpu here: " << reason.what() << '\n';
}
