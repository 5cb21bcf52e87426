#include <algorithm>

#include "gpu_vulkan/fused_ops/viewed_attention.hpp"
#include "gpu_vulkan/passes/passes.hpp"
#include "gpu_vulkan/passes/views.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using fused_ops::ViewedAttention;
using ir::Value;
using ir::ops::Attention;
using ir::ops::AttentionLayout;
using ir::ops::Transpose;

/// Where the heads of q, k or v lie in a value.
struct Heads {
  Value base = 0;
  std::int64_t offset = 0, head = 0, row = 0;
  Nodes nodes = {};
};

/// [B, H, S, D] of a layout, by axis.
std::array<std::size_t, 4> axes_of(AttentionLayout layout) {
  return layout == AttentionLayout::bhsd ? std::array<std::size_t, 4>{0, 1, 2, 3}
                                         : std::array<std::size_t, 4>{0, 2, 1, 3};
}

/// Heads as kernels read them: rows dense and as aligned as heads are wide, and batches as far apart as what takes up
/// most, the heads of one or its rows.
std::optional<Heads> heads_of(const View& view, const ir::Shape& shape, AttentionLayout layout) {
  const auto [batch, head, row, within] = axes_of(layout);
  Heads x{view.base, view.offset, view.strides[head], view.strides[row], view.nodes};
  if (shape[row] == 1) x.row = view.strides[batch];  // rows that there are not: a batch is what one takes up
  const std::int64_t width = shape[within];
  const bool is_dense = width == 1 || view.strides[within] == 1;
  const bool is_aligned = x.offset % width == 0 && x.head % width == 0 && x.row % width == 0;
  const bool is_even = shape[batch] == 1 || view.strides[batch] == std::max(shape[head] * x.head, shape[row] * x.row);
  if (!is_dense || !is_aligned || !is_even) return std::nullopt;
  return x;
}

/// Where operand v lies in the tensor it is taken from, if that saves copying it; else v as it is.
Heads operand(const PatternGraph& graph, Value v, AttentionLayout layout) {
  const ir::Shape& shape = graph.type(v).shape;
  const View view = view_of(graph, v);
  const auto copies = [&](std::size_t n) { return !graph.graph().nodes()[n].op.is<ir::ops::Reshape>(); };
  if (std::ranges::any_of(view.nodes, copies))
    if (auto found = heads_of(view, shape, layout)) return *found;
  const auto strides = shape.strides();
  const auto axes = axes_of(layout);
  return {v, 0, strides[axes[1]], strides[axes[2]]};
}

/// The node that puts positions before heads in y, if only it reads y.
std::optional<std::size_t> turning_node(const PatternGraph& graph, Value y) {
  const auto user = graph.only_user(y);
  if (!user || !graph.is_closed({*user, graph.producer(y)}, *user)) return std::nullopt;
  const ir::Op& op = graph.graph().nodes()[*user].op;
  const bool turns = op.is<Transpose>() && op.as<Transpose>().permutation == std::vector<std::int64_t>{0, 2, 1, 3};
  return turns ? user : std::nullopt;
}

/// Those of the nodes that nobody needs once `last` reads `inputs`: an operand that is read where it is may be another
/// output of a node that the way of its neighbour leads past.
Nodes needless(const PatternGraph& graph, Nodes nodes, std::size_t last, const std::vector<Value>& inputs) {
  const auto is_read = [&](std::size_t n) {
    const auto& outputs = graph.graph().nodes()[n].outputs;
    const bool gives_an_input = std::ranges::find_first_of(outputs, inputs) != outputs.end();
    return n != last && (gives_an_input || !graph.is_inner(n, nodes));
  };
  for (auto n = std::ranges::find_if(nodes, is_read); n != nodes.end(); n = std::ranges::find_if(nodes, is_read))
    nodes.erase(n);
  return nodes;
}

/// The attention that computes y, of whole tensors still: one of a graph file, or what attention in parts became.
std::optional<ViewedAttention> attention_of(const PatternGraph& graph, Value y) {
  const auto shape = [&](std::size_t i) { return graph.type(graph.operand(y, i)).shape; };
  if (const auto* attention = graph.op<Attention>(y))
    return ViewedAttention::of(*attention, shape(0), shape(1), shape(2));
  if (const auto* unmasked = graph.op<ViewedAttention>(y)) return *unmasked;
  return std::nullopt;
}

std::optional<Replacement> attention_at(const PatternGraph& graph, std::size_t n) {
  const ir::Node& node = graph.graph().nodes()[n];
  const Value y = node.outputs[0];
  auto found = attention_of(graph, y);
  if (!found || graph.type(y).shape.elements() == 0 || found->extents().Sk == 0) return std::nullopt;
  ViewedAttention& op = *found;
  std::vector<Value> inputs = node.inputs;
  Nodes passed;
  for (std::size_t i = 0; i < 3; ++i) {
    Heads heads = operand(graph, inputs[i], op.layout);
    inputs[i] = heads.base;
    op.offsets[i] = heads.offset;
    op.heads[i] = heads.head;
    op.rows[i] = heads.row;
    passed.merge(heads.nodes);
  }
  std::size_t last = n;
  if (const auto turned = turning_node(graph, y); turned && op.layout == AttentionLayout::bhsd) {
    last = *turned;
    op.layout = AttentionLayout::bshd;
  }
  if (passed.empty() && last == n) return std::nullopt;
  passed.insert({n, last});
  const Nodes nodes = needless(graph, std::move(passed), last, inputs);
  ir::TensorTypes types;
  for (const Value v : inputs) types.push_back(graph.type(v));
  if (!graph.serves(op, types)) return std::nullopt;
  return Replacement{
      nodes, last, [op, inputs](ir::Graph& next, const ir::Node& at) { next.place(at.label, op, inputs, at.outputs); }};
}

}  // namespace

ir::Graph view_heads(const ir::Graph& given, const PassSetting& setting) {
  return replaced(given, setting, attention_at);
}

}  // namespace plumb::gpu_vulkan::passes
