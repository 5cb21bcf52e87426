#include <iostream>

#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ref_cpu/cpu_executor.hpp"

using namespace plumb;

int main() {
  ir::Graph graph;
  const ir::Value x = graph.input("x", {ir::DType::f32, {2, 3}});
  const ir::Value w = graph.param("w", {ir::DType::f32, {3, 2}});
  const ir::Value y = graph.add("y", ir::ops::Softmax{}, {graph.add("scores", ir::ops::Matmul{}, {x, w})});
  graph.returns(y);
  ref_cpu::CpuExecutor cpu;
  const ir::Tensor result = cpu.run(graph,
                                    {{"x", ir::Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})},
                                     {"w", ir::Tensor::of<float>({3, 2}, {0.1f, 0, 0, 0.1f, 0.1f, 0})}},
                                    {y})
                                .at(y);
  for (const float value : result.as<float>()) std::cout << "cpu " << value << '\n';
}
