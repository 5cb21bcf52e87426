// Latent attention over the vectors themselves: q goes through the matrices of keys before it, and its result through
// those of values behind it.
#include "ir/formats/gguf/architectures/block_nodes.hpp"
#include "ir/ops/dequantize.hpp"
#include "ir/ops/split.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// Old files have both in one tensor, whose rows [plain, r] of a head are the transpose of what is wanted of keys.
BlockNodes::LatentBanks BlockNodes::latent_banks(const std::string& prefix) {
  const std::string old = prefix + "attn_kv_b";
  if (!weights_.has(old + ".weight"))
    return {.keys = nodes_.bank(prefix + "attn_k_b"), .values = nodes_.bank(prefix + "attn_v_b")};
  const Nodes::Bank joint = nodes_.bank(old);
  const std::int64_t plain = decoder_.latent.plain, value = decoder_.value_length, rows = plain + value;
  const Shape stored = nodes_.shape(joint.matrices);
  const Value by_head = nodes_.reshape(prefix + "kv_b_heads", joint.matrices, {stored[0] / rows, rows, stored[1]});
  const auto cut = nodes_.add_all(prefix + "kv_b", ops::Split{.axis = 1, .sizes = {plain, value}}, {by_head});
  const Value keys =
      joint.format ? nodes_.add(prefix + "k_b", ops::Dequantize{.format = *joint.format}, {cut[0]}) : cut[0];
  return {.keys = {.matrices = keys, .is_transposed = true}, .values = {.matrices = cut[1], .format = joint.format}};
}

/// A product of x [B, s, H, K] and the matrix [N, K] of each head: [B, s, H, N].
Value BlockNodes::latent_product(const std::string& label, Value x, const Nodes::Bank& bank) {
  const Shape extents = nodes_.shape(x);
  const std::int64_t heads = extents[2], rows = batch_ * tokens_ * heads;
  std::vector<std::int32_t> which;
  for (std::int64_t row = 0; row < rows; ++row) which.push_back(static_cast<std::int32_t>(row % heads));
  const Value flat = nodes_.reshape(label + ".rows", x, {rows, extents[3]});
  const Value y = nodes_.grouped_product(label, flat, bank, nodes_.constant(label + ".heads", {rows}, which));
  const std::int64_t columns = nodes_.shape(y).back();
  return nodes_.reshape(label + ".by_head", y, {batch_, tokens_, heads, columns});
}

BlockNodes::LatentHeads BlockNodes::latent_heads(std::int64_t block, Value x) {
  const std::string of = prefix(block);
  const Latent& latent = decoder_.latent;
  const std::int64_t heads = decoder_.heads[static_cast<std::size_t>(block)], n = decoder_.rotary.columns;
  const Norm rms{.epsilon = decoder_.norm.epsilon};
  const auto whole_q = [&] {
    if (latent.q_rank == 0) return nodes_.product(x, of + "attn_q");
    return nodes_.product(nodes_.norm(nodes_.product(x, of + "attn_q_a"), of + "attn_q_a_norm", rms), of + "attn_q_b");
  };
  const Value q = nodes_.reshape(of + "q_heads", whole_q(), {batch_, tokens_, heads, latent.plain + n});
  const auto q_parts = nodes_.add_all(of + "q_parts", ops::Split{.axis = -1, .sizes = {latent.plain, n}}, {q});
  const ops::Split cut{.axis = -1, .sizes = {latent.rank, n}};
  const auto parts = nodes_.add_all(of + "kv_parts", cut, {nodes_.product(x, of + "attn_kv_a_mqa")});
  const Value vectors = nodes_.norm(parts[0], of + "attn_kv_a_norm", rms);
  const LatentBanks banks = latent_banks(of);
  return {.q = nodes_.exchange(of + "q_latent", latent_product(of + "attn_k_b", q_parts[0], banks.keys)),
          .q_rotary = nodes_.exchange(of + "q_rotary", q_parts[1]),
          .latent = nodes_.reshape(of + "latent", vectors, {batch_, 1, tokens_, latent.rank}),
          .rotary = nodes_.reshape(of + "k_rotary", parts[1], {batch_, 1, tokens_, n}),
          .values = banks.values};
}

Value BlockNodes::joined_latent(std::int64_t block, Value y, const Nodes::Bank& values) {
  const std::string of = prefix(block);
  const Value each = latent_product(of + "attn_v_b", nodes_.exchange(of + "by_token", y), values);
  const std::int64_t columns = decoder_.heads[static_cast<std::size_t>(block)] * decoder_.value_length;
  return nodes_.product(nodes_.reshape(of + "joined", each, {batch_, tokens_, columns}), of + "attn_output");
}

}  // namespace plumb::ir::formats::gguf::architectures
