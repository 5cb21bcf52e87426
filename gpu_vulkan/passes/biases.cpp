#include "gpu_vulkan/passes/passes.hpp"
#include "ir/ops/gemm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reshape.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Value;
using ir::ops::BinaryFunction;
using ir::ops::Gemm;
using ir::ops::Matmul;
using ir::ops::Reshape;

/// A row of n numbers: [n], or with axes of extent 1 before it.
bool is_row(const ir::Shape& x, std::int64_t n) { return !x.empty() && x.back() == n && x.elements() == n; }

/// y = x·w + row for one matrix w.
std::optional<Replacement> found_at(const PatternGraph& graph, Value y) {
  if (!graph.is(y, BinaryFunction::add)) return std::nullopt;
  for (const std::size_t i : {0, 1}) {
    const Value product = graph.operand(y, i), row = graph.operand(y, 1 - i);
    const auto* matmul = graph.op<Matmul>(product);
    if (matmul == nullptr || matmul->transpose_a || matmul->output_dtype) continue;
    const Value x = graph.operand(product, 0), w = graph.operand(product, 1);
    const ir::TensorType &of_x = graph.type(x), &of_w = graph.type(w), &of_y = graph.type(y);
    const std::int64_t n = of_y.shape.empty() ? 0 : of_y.shape.back();
    if (of_w.shape.rank() != 2 || !is_row(graph.type(row).shape, n) || graph.type(product) != of_y) continue;
    if (of_x.shape.elements() == 0 || of_y.shape.elements() == 0) continue;
    const std::int64_t k = of_x.shape.back();
    const Gemm op{.transpose_b = matmul->transpose_b, .has_c = true};
    const ir::Shape rows{of_x.shape.elements() / k, k};
    const std::size_t last = graph.producer(y);
    const Nodes nodes = {last, graph.producer(product)};
    const ir::TensorTypes types = {{of_x.dtype, rows}, of_w, {of_x.dtype, {n}}};
    if (!graph.is_closed(nodes, last) || !graph.serves(op, types)) continue;
    return Replacement{nodes, last,
                       [=, shape = of_y.shape, wide = of_x.shape.rank() != 2, flat = graph.type(row).shape.rank() == 1,
                        &given = graph.graph()](ir::Graph& next, const ir::Node& node) {
                         const auto reshaped = [&](std::string_view what, Value v, const ir::Shape& to) {
                           return next.add(new_name(given, next, ir::cat(node.label, what)), Reshape{to}, {v});
                         };
                         const Value c = flat ? row : reshaped(".row", row, {n});
                         if (!wide) return next.place(node.label, op, {x, w, c}, node.outputs);
                         const Value all = reshaped(".rows", x, rows);
                         const Value made = next.add(new_name(given, next, node.label + ".gemm"), op, {all, w, c});
                         next.place(node.label, Reshape{shape}, {made}, node.outputs);
                       }};
  }
  return std::nullopt;
}

}  // namespace

ir::Graph fuse_biases(const ir::Graph& given, const PassSetting& setting) {
  return replaced(given, setting, [&](const PatternGraph& graph, std::size_t n) {
    return found_at(graph, given.nodes()[n].outputs[0]);
  });
}

}  // namespace plumb::gpu_vulkan::passes
