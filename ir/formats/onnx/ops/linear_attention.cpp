// LinearAttention, whose heads are packed into the last axis.

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gated_delta_net.hpp"

namespace plumb::ir::from_onnx {
namespace {

/// [B, T, heads·d] as [B, T, heads, d].
Ref with_heads(NodeReader& node, Ref x, std::int64_t heads, std::string_view what) {
  const Shape& shape = node.shape(x);
  require(shape.rank() == 3 && shape[2] % heads == 0, what, " must be [B, T, heads·d] with ", heads, " heads, got ",
          node.type(x));
  return node.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
}

/// By head, [B, T, heads], or by row of a state, [B, T, heads·d].
Ref decay_of(NodeReader& node, std::int64_t heads) {
  const Ref decay = node.in(4);
  const Shape& shape = node.shape(decay);
  return shape.rank() == 3 && shape[2] == heads ? decay : with_heads(node, decay, heads, "decay");
}

/// By head; a strength that all heads share is expanded.
Ref beta_of(NodeReader& node, std::int64_t heads) {
  const Ref beta = node.in(5);
  const Shape shape = node.shape(beta);
  if (shape.rank() != 3 || shape[2] != 1 || heads == 1) return beta;
  return node.add(ops::Expand{.shape = {shape[0], shape[1], heads}}, {beta});
}

void linear_attention(NodeReader& node) {
  const std::string rule = node.text("update_rule", "gated_delta");
  require(rule == "linear" || rule == "gated" || rule == "delta" || rule == "gated_delta",
          "attribute 'update_rule': no such rule: ", rule);
  const bool has_decay = rule.starts_with("gated"), has_beta = rule.ends_with("delta");
  require(node.has(4) == has_decay, "update_rule ", rule, has_decay ? " needs" : " has no", " decay");
  require(node.has(5) == has_beta, "update_rule ", rule, has_beta ? " needs" : " has no", " beta");
  if (node.has(6)) NodeReader::unsupported("an erase_gate is another rule than ours");
  const std::int64_t queries = node.integer("q_num_heads"), heads = node.integer("kv_num_heads");
  require(queries >= 1 && heads >= 1, "q_num_heads is ", queries, ", kv_num_heads is ", heads);
  const double scale = node.real("scale", 0);
  const ops::GatedDeltaNet op{.scale = scale == 0 ? std::nullopt : std::optional(scale),
                              .has_decay = has_decay,
                              .has_beta = has_beta,
                              .has_state = node.has(3)};
  std::vector<Ref> operands = {with_heads(node, node.in(0), queries, "query"),
                               with_heads(node, node.in(1), heads, "key"),
                               with_heads(node, node.in(2), heads, "value")};
  if (has_decay) operands.push_back(decay_of(node, heads));
  if (has_beta) operands.push_back(beta_of(node, heads));
  if (op.has_state) operands.push_back(node.in(3));
  const std::vector<Ref> made = node.add_all(op, operands);
  const Shape o = node.shape(made[0]);
  node.out(0, node.reshape(made[0], {o[0], o[1], o[2] * o[3]}));
  if (node.wants(1)) node.out(1, made[1]);
}

}  // namespace

std::span<const Converter> linear_attention_converters() {
  static constexpr Converter table[] = {{"LinearAttention", linear_attention}};
  return table;
}

}  // namespace plumb::ir::from_onnx
