// What a user of the installed package writes.
#include <cstdio>

#include "ir/graph.hpp"
#include "ir/ops/matmul.hpp"

int main() {
  using namespace plumb;
  ir::Graph graph;
  const auto a = graph.input("a", {ir::DType::f32, {2, 3}});
  const auto b = graph.param("b", {ir::DType::f32, {3, 5}});
  graph.returns(graph.add("y", ir::ops::Matmul{}, {a, b}));
  std::puts(ir::to_text(graph).c_str());
}
