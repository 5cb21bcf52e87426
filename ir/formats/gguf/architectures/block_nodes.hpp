#pragma once

// The parts of blocks that all templates share (ops.md J.4).

#include "ir/formats/gguf/architectures/nodes.hpp"
#include "ir/formats/gguf/architectures/read_gguf.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// Adds the nodes of blocks to the graph of a run of [B, s] tokens.
class BlockNodes {
 public:
  BlockNodes(const Decoder& decoder, const Weights& weights, const Options& options, Nodes& nodes)
      : decoder_(decoder), weights_(weights), batch_(options.batch), tokens_(options.prompt_tokens), nodes_(nodes) {}

  static std::string prefix(std::int64_t block) { return cat("blk.", block, '.'); }

  /// Operands of the attention, [B, heads, s, columns] each.
  struct Heads {
    Value q = 0, k = 0, v = 0;       ///< without k and v where another block's caches are read
    std::optional<Value> gate = {};  ///< [B, s, H, columns], of models whose heads have one
  };
  /// Products of x [B, s, d], cut into heads; those of q, k and v are normed where the model says so.
  Heads heads(std::int64_t block, Value x);

  /// The result of linear attention [B, s, d], and the states behind it.
  struct Linearly {
    Value y = 0, state = 0, conv_state = 0;
  };
  Linearly linear_attention(std::int64_t block, Value x, Value state, Value conv_state);

  /// Operands of latent attention, whose rotary columns are still to be rotated.
  struct LatentHeads {
    Value q, q_rotary;     ///< [B, H, s, r], multiplied by the matrices of keys, and [B, H, s, n]
    Value latent, rotary;  ///< [B, 1, s, r] and [B, 1, s, n]
    Nodes::Bank values;    ///< matrices [H, Dv, r]
  };
  LatentHeads latent_heads(std::int64_t block, Value x);
  /// The result of such attention [B, H, s, r] through the values' matrices and attn_output: [B, s, d].
  Value joined_latent(std::int64_t block, Value y, const Nodes::Bank& values);

  /// The attention's result [B, H, s, Dv], through its gate where there is one, and attn_output: [B, s, d].
  Value joined(std::int64_t block, Value y, std::optional<Value> gate = {});

  /// The feed-forward of the normed sum after attention [B, s, d]: [B, s, d].
  Value feed_forward(std::int64_t block, Value sum, Value normed);

  /// Vectors of the tokens [B, s], whose embeddings are x, for all blocks: [B, s, blocks, p].
  Value per_layer_inputs(Value x, Value tokens);
  /// The sum of x [B, s, d] and what the block makes of its part of those.
  Value with_per_layer(std::int64_t block, Value x, Value inputs);
  /// x times the factor of the block, where it has one.
  Value rescaled(std::int64_t block, Value x);

 private:
  Value by_head(const std::string& label, Value x, std::int64_t count, std::int64_t columns);
  Value head_normed(const std::string& prefix, const std::string& name, Value heads);
  void split_q(const std::string& prefix, Value x, std::int64_t count, std::int64_t columns, Heads& heads);
  Value convolved(const std::string& prefix, Value x, Value state, Value& next);
  Value unit_heads(const std::string& label, Value x);
  Value decays(const std::string& prefix, Value x);
  /// The matrices of all heads for keys and for values.
  struct LatentBanks {
    Nodes::Bank keys, values;
  };
  LatentBanks latent_banks(const std::string& prefix);
  Value latent_product(const std::string& label, Value x, const Nodes::Bank& bank);
  Value gated(const std::string& label, Value gate, Value up);
  Value dense(const std::string& prefix, Value x);
  Value router_input(const std::string& prefix, Value x);
  std::vector<Value> chosen(const std::string& prefix, Value rows);
  Value expert_product(const std::string& prefix, const std::string& name, Value x, Value ids);
  Value opened_experts(const std::string& prefix, Value each, Value ids);
  Value expert_weights(const std::string& prefix, Value weights, Value ids);
  Value experts(const std::string& prefix, Value x, Value router);
  Value dense_and_experts(const std::string& prefix, Value sum, Value normed);
  Value shared_expert(const std::string& prefix, Value x);

  const Decoder& decoder_;
  const Weights& weights_;
  std::int64_t batch_, tokens_;
  Nodes& nodes_;
};

}  // namespace plumb::ir::formats::gguf::architectures
