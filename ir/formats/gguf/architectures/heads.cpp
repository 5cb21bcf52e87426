// Heads of q, k and v out of products, and back.
#include "ir/formats/gguf/architectures/block_nodes.hpp"
#include "ir/ops/split.hpp"

namespace plumb::ir::formats::gguf::architectures {

Value BlockNodes::cut(const std::string& prefix, const std::string& name, Value x, std::int64_t count,
                      std::int64_t columns, bool is_normed) {
  Value y = nodes_.reshape(prefix + name + "_heads", x, {batch_, tokens_, count, columns});
  const Norm of_heads{.epsilon = decoder_.norm.epsilon};
  if (is_normed) y = nodes_.norm(y, prefix + "attn_" + name + "_norm", of_heads);
  return nodes_.exchange(prefix + name, y);
}

BlockNodes::Heads BlockNodes::heads(std::int64_t block, Value x) {
  const auto at = static_cast<std::size_t>(block);
  const std::string of = prefix(block), joint = of + "attn_qkv";
  const std::int64_t q_heads = decoder_.heads[at], kv_heads = decoder_.kv_heads[at];
  const std::int64_t key = decoder_.key_length, value = decoder_.value_length;
  std::vector<Value> parts;
  if (weights_.has(joint + ".weight")) {
    const ops::Split rows{.axis = -1, .sizes = {q_heads * key, kv_heads * key, kv_heads * value}};
    parts = nodes_.add_all(of + "qkv", rows, {nodes_.product(x, joint)});
  } else {
    for (const char* const name : {"attn_q", "attn_k", "attn_v"}) parts.push_back(nodes_.product(x, of + name));
  }
  return {.q = cut(of, "q", parts[0], q_heads, key, decoder_.has_head_norms),
          .k = cut(of, "k", parts[1], kv_heads, key, decoder_.has_head_norms),
          .v = cut(of, "v", parts[2], kv_heads, value, false)};
}

Value BlockNodes::joined(std::int64_t block, Value y) {
  const std::string of = prefix(block);
  const std::int64_t columns = decoder_.heads[static_cast<std::size_t>(block)] * decoder_.value_length;
  const Value rows = nodes_.reshape(of + "joined", nodes_.exchange(of + "by_token", y), {batch_, tokens_, columns});
  return nodes_.product(rows, of + "attn_output");
}

}  // namespace plumb::ir::formats::gguf::architectures
