// The tensors of a decoder with their shapes (ops.md J.3).
#include "ir/formats/gguf/architectures/prefill.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

/// The tensors of one block.
class BlockTensors {
 public:
  BlockTensors(Weights& weights, std::int64_t block, bool is_used)
      : weights_(weights), prefix_(cat("blk.", block, '.')), is_used_(is_used) {}

  void need(const std::string& name, const Shape& shape) { weights_.need(prefix_ + name + ".weight", shape, is_used_); }
  void may(const std::string& name, const Shape& shape) { weights_.may(prefix_ + name + ".weight", shape, is_used_); }
  /// A product of this many rows and columns, with a bias where the file has one.
  void product(const std::string& name, std::int64_t rows, std::int64_t columns) {
    need(name, {rows, columns});
    weights_.may(prefix_ + name + ".bias", {rows}, is_used_);
  }
  void experts(const std::string& name, std::int64_t count, const Shape& matrix) {
    weights_.need_experts(prefix_ + name, count, matrix, is_used_);
  }
  void ignore(const std::string& name) { weights_.ignore(prefix_ + name); }

 private:
  Weights& weights_;
  std::string prefix_;
  bool is_used_;
};

void check_feed_forward(const Decoder& decoder, std::int64_t dense, BlockTensors& block) {
  const std::int64_t d = decoder.width;
  const Experts& experts = decoder.experts;
  if (experts.count == 0) {
    block.product("ffn_gate", dense, d);
    block.product("ffn_up", dense, d);
    block.product("ffn_down", d, dense);
    return;
  }
  block.need("ffn_gate_inp", {experts.count, d});
  block.experts("ffn_gate", experts.count, {experts.width, d});
  block.experts("ffn_up", experts.count, {experts.width, d});
  block.experts("ffn_down", experts.count, {d, experts.width});
}

}  // namespace

void check_weights(const Decoder& decoder, const BlockRange& blocks, Weights& weights) {
  const std::int64_t d = decoder.width;
  // The vocabulary has as many entries as there are embeddings, whatever metadata say.
  const bool has_table = weights.has("token_embd.weight") && weights.at("token_embd.weight").shape.size() == 2;
  const std::int64_t vocabulary = has_table ? weights.at("token_embd.weight").shape[0] : 1;
  weights.need("token_embd.weight", {vocabulary, d});
  weights.need("output_norm.weight", {d});
  if (weights.may("output.weight", {vocabulary, d})) weights.may("output.bias", {vocabulary});
  // Its numbers go into the rotary tables.
  if (decoder.has_rotary_divisors) weights.may("rope_freqs.weight", {decoder.rotary.columns / 2}, false);
  weights.ignore("rope_freqs.weight");
  for (std::int64_t i = 0; i < decoder.blocks; ++i) {
    const auto k = static_cast<std::size_t>(i);
    BlockTensors block(weights, i, blocks.from <= i && i < blocks.to);
    block.need("attn_norm", {d});
    block.product("attn_q", decoder.heads[k] * decoder.key_length, d);
    block.product("attn_k", decoder.kv_heads[k] * decoder.key_length, d);
    block.product("attn_v", decoder.kv_heads[k] * decoder.value_length, d);
    block.product("attn_output", d, decoder.heads[k] * decoder.value_length);
    if (decoder.has_head_norms) block.need("attn_q_norm", {decoder.key_length});
    if (decoder.has_head_norms) block.need("attn_k_norm", {decoder.key_length});
    block.need("ffn_norm", {d});
    check_feed_forward(decoder, decoder.feed_forward[k], block);
    block.ignore("attn_rot_embd.weight");
    block.ignore("attn.masked_bias");
  }
  weights.note_others();
}

}  // namespace plumb::ir::formats::gguf::architectures
