#include <iostream>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ref_cpu/cpu_executor.hpp"

using namespace plumb;

int main() try {
  ir::Graph graph;
  const ir::Value x = graph.input("x", {ir::DType::f32, {2, 3}});
  const ir::Value w = graph.param("w", {ir::DType::f32, {3, 2}});
  const ir::Value y = graph.add("y", ir::ops::Softmax{}, {graph.add("scores", ir::ops::Matmul{}, {x, w})});
  const ir::Feeds feeds = {{"x", ir::Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
                           {"w", ir::Tensor::of<float>({3, 2}, {0.1f, 0, 0, 0.1f, 0.1f, 0})}};
  const ir::Tensor cpu = ref_cpu::CpuExecutor().run(graph, feeds, {y}).at(y);
  for (const float value : cpu.as<float>()) std::cout << "cpu " << value << '\n';
  const ir::Tensor gpu = gpu_vulkan::VulkanExecutor().run(graph, feeds, {y}).at(y);
  for (const float value : gpu.as<float>()) std::cout << "gpu " << value << '\n';
} catch (const ir::Unsupported& reason) {
  std::cout << "no gpu here: " << reason.what() << '\n';
}
