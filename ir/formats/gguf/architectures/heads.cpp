// Heads of q, k and v out of products, and back.
#include "ir/formats/gguf/architectures/block_nodes.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/split.hpp"

namespace plumb::ir::formats::gguf::architectures {

Value BlockNodes::by_head(const std::string& label, Value x, std::int64_t count, std::int64_t columns) {
  return nodes_.reshape(label, x, {batch_, tokens_, count, columns});
}

/// Heads [B, s, heads, columns] of q or k, normed where the model says so.
Value BlockNodes::head_normed(const std::string& prefix, const std::string& name, Value heads) {
  if (!decoder_.has_head_norms) return heads;
  return nodes_.norm(heads, prefix + "attn_" + name + "_norm", {.epsilon = decoder_.norm.epsilon});
}

/// Each head of q has its gate behind it, where there are gates.
void BlockNodes::split_q(const std::string& prefix, Value x, std::int64_t count, std::int64_t columns, Heads& heads) {
  const std::int64_t whole = decoder_.has_output_gate ? 2 * columns : columns;
  Value q = by_head(prefix + "q_heads", x, count, whole);
  if (decoder_.has_output_gate) {
    const ops::Split cut{.axis = -1, .sizes = {columns, columns}};
    const auto parts = nodes_.add_all(prefix + "q_and_gate", cut, {q});
    q = parts[0];
    heads.gate = parts[1];
  }
  heads.q = nodes_.exchange(prefix + "q", head_normed(prefix, "q", q));
}

BlockNodes::Heads BlockNodes::heads(std::int64_t block, Value x) {
  const auto at = static_cast<std::size_t>(block);
  const std::string of = prefix(block), joint = of + "attn_qkv";
  const std::int64_t q_heads = decoder_.heads[at], kv_heads = decoder_.kv_heads[at];
  const std::int64_t key = decoder_.key(block), value = decoder_.value(block);
  Heads made;
  std::vector<Value> parts;
  if (decoder_.source(block) != block) {
    split_q(of, nodes_.product(x, of + "attn_q"), q_heads, key, made);
    return made;
  }
  if (weights_.has(joint + ".weight")) {
    const ops::Split rows{.axis = -1, .sizes = {q_heads * decoder_.query(block), kv_heads * key, kv_heads * value}};
    parts = nodes_.add_all(of + "qkv", rows, {nodes_.product(x, joint)});
  } else {
    for (const char* const name : {"attn_q", "attn_k"}) parts.push_back(nodes_.product(x, of + name));
    const std::string v = of + "attn_v";
    parts.push_back(weights_.has(v + ".weight") ? nodes_.product(x, v) : parts[1]);
  }
  split_q(of, parts[0], q_heads, key, made);
  made.k = nodes_.exchange(of + "k", head_normed(of, "k", by_head(of + "k_heads", parts[1], kv_heads, key)));
  Value v = by_head(of + "v_heads", parts[2], kv_heads, value);
  const ops::RmsNorm norm{.epsilon = decoder_.norm.epsilon, .has_scale = false};
  if (decoder_.has_value_norms) v = nodes_.add(of + "v_norm", norm, {v});
  made.v = nodes_.exchange(of + "v", v);
  return made;
}

Value BlockNodes::joined(std::int64_t block, Value y, std::optional<Value> gate) {
  const std::string of = prefix(block);
  const std::int64_t columns = decoder_.heads[static_cast<std::size_t>(block)] * decoder_.value(block);
  Value by_token = nodes_.exchange(of + "by_token", y);
  if (gate) by_token = nodes_.add(of + "gated", ops::Glu{.function = ops::GateFunction::sigmoid}, {*gate, by_token});
  return nodes_.product(nodes_.reshape(of + "joined", by_token, {batch_, tokens_, columns}), of + "attn_output");
}

}  // namespace plumb::ir::formats::gguf::architectures
