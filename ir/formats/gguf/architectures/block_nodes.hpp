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
    Value q, k, v;
  };
  /// Products of x [B, s, d], cut into heads; those of q and k are normed where the model says so.
  Heads heads(std::int64_t block, Value x);

  /// Operands of latent attention, whose rotary columns are still to be rotated.
  struct LatentHeads {
    Value q, q_rotary;     ///< [B, H, s, r], multiplied by the matrices of keys, and [B, H, s, n]
    Value latent, rotary;  ///< [B, 1, s, r] and [B, 1, s, n]
    Nodes::Bank values;    ///< matrices [H, Dv, r]
  };
  LatentHeads latent_heads(std::int64_t block, Value x);
  /// The result of such attention [B, H, s, r] through the values' matrices and attn_output: [B, s, d].
  Value joined_latent(std::int64_t block, Value y, const Nodes::Bank& values);

  /// The attention's result [B, H, s, Dv] through attn_output: [B, s, d].
  Value joined(std::int64_t block, Value y);

  /// The feed-forward of x [B, s, d]: [B, s, d].
  Value feed_forward(std::int64_t block, Value x);

 private:
  Value cut(const std::string& prefix, const std::string& name, Value x, std::int64_t count, std::int64_t columns,
            bool is_normed);
  /// The matrices of all heads for keys and for values.
  struct LatentBanks {
    Nodes::Bank keys, values;
  };
  LatentBanks latent_banks(const std::string& prefix);
  Value latent_product(const std::string& label, Value x, const Nodes::Bank& bank);
  Value gated(const std::string& prefix, Value gate, Value up);
  Value dense(const std::string& prefix, Value x);
  std::vector<Value> chosen(const std::string& prefix, Value rows);
  Value experts(const std::string& prefix, Value x);
  Value shared_expert(const std::string& prefix, Value x);

  const Decoder& decoder_;
  const Weights& weights_;
  std::int64_t batch_, tokens_;
  Nodes& nodes_;
};

}  // namespace plumb::ir::formats::gguf::architectures
