// The tensors of a transformer with their shapes (ops.md J.3).
#include "ir/formats/gguf/architectures/prefill.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

/// The tensors of one block.
class BlockTensors {
 public:
  BlockTensors(const Decoder& decoder, Weights& weights, std::int64_t block, bool is_used)
      : decoder_(decoder), weights_(weights), prefix_(cat("blk.", block, '.')), is_used_(is_used) {}

  bool has(const std::string& name) const { return weights_.has(prefix_ + name + ".weight"); }
  const Shape& shape(const std::string& name) const { return weights_.at(prefix_ + name + ".weight").shape; }
  void need(const std::string& name, const Shape& shape) { weights_.need(prefix_ + name + ".weight", shape, is_used_); }
  /// One whose name in the block has nothing behind it that says what it is.
  void need_as(const std::string& name, const Shape& shape) { weights_.need(prefix_ + name, shape, is_used_); }
  void may_as(const std::string& name, const Shape& shape) { weights_.may(prefix_ + name, shape, is_used_); }
  void need_bias(const std::string& name, const Shape& shape) {
    weights_.need(prefix_ + name + ".bias", shape, is_used_);
  }
  void norm(const std::string& name) {
    need(name, {decoder_.width});
    if (decoder_.norm.is_layer) need_bias(name, {decoder_.width});
  }
  /// A product of this many rows and columns, with a bias where the file has one, or must have it.
  void product(const std::string& name, std::int64_t rows, std::int64_t columns) {
    need(name, {rows, columns});
    if (decoder_.has_biases) return need_bias(name, {rows});
    may_bias(name, {rows});
  }
  void experts(const std::string& name, const Shape& matrix) {
    const std::int64_t count = decoder_.experts.count;
    weights_.need_experts(prefix_ + name, count, matrix, is_used_);
    if (decoder_.experts.has_biases) need_bias(name + "_exps", {count, matrix[0]});
  }
  void may_bias(const std::string& name, const Shape& shape) {
    weights_.may(prefix_ + name + ".bias", shape, is_used_);
  }
  void ignore(const std::string& name) { weights_.ignore(prefix_ + name); }

 private:
  const Decoder& decoder_;
  Weights& weights_;
  std::string prefix_;
  bool is_used_;
};

void check_latent(const Decoder& decoder, std::int64_t heads, BlockTensors& block) {
  const Latent& latent = decoder.latent;
  const std::int64_t d = decoder.width, n = decoder.rotary.columns, value = decoder.value_length;
  const std::int64_t q = heads * (latent.plain + n);
  if (latent.q_rank > 0) {
    block.product("attn_q_a", latent.q_rank, d);
    block.need("attn_q_a_norm", {latent.q_rank});
    block.product("attn_q_b", q, latent.q_rank);
  } else {
    block.product("attn_q", q, d);
  }
  block.product("attn_kv_a_mqa", latent.rank + n, d);
  block.need("attn_kv_a_norm", {latent.rank});
  if (block.has("attn_kv_b") && !block.has("attn_k_b") && !block.has("attn_v_b")) {
    block.need("attn_kv_b", {heads * (latent.plain + value), latent.rank});
  } else {
    block.need("attn_k_b", {heads, latent.rank, latent.plain});
    block.need("attn_v_b", {heads, value, latent.rank});
  }
  block.product("attn_output", d, heads * value);
}

void check_linear(const Decoder& decoder, BlockTensors& block) {
  const Linear& linear = decoder.linear;
  const std::int64_t d = decoder.width, heads = linear.value_heads;
  block.product("attn_qkv", linear.channels(), d);
  block.product("attn_gate", linear.values(), d);
  block.need("ssm_conv1d", {linear.channels(), linear.taps});
  block.need_as("ssm_a", {heads});
  block.need_bias("ssm_dt", {heads});
  block.product("ssm_alpha", heads, d);
  block.product("ssm_beta", heads, d);
  block.need("ssm_norm", {linear.length});
  block.product("ssm_out", d, linear.values());
}

/// Keys and values of a block's own, and q; `q` rows of the latter.
void check_heads(const Decoder& decoder, std::size_t k, std::int64_t q, BlockTensors& block) {
  const auto at = static_cast<std::int64_t>(k);
  const std::int64_t d = decoder.width, heads = decoder.kv_heads[k], key = decoder.key(at), value = decoder.value(at);
  if (block.has("attn_qkv") || (decoder.has_joint_qkv && !block.has("attn_q")))
    return block.product("attn_qkv", q + heads * (key + value), d);
  block.product("attn_q", q, d);
  block.product("attn_k", heads * key, d);
  const bool is_k = decoder.has_value_norms && !block.has("attn_v");
  if (!is_k) block.product("attn_v", heads * value, d);
}

void check_attention(const Decoder& decoder, std::size_t k, BlockTensors& block) {
  const auto at = static_cast<std::int64_t>(k);
  const std::int64_t key = decoder.key(at), q = decoder.heads[k] * decoder.query(at);
  if (decoder.latent.rank > 0) return check_latent(decoder, decoder.heads[k], block);
  if (decoder.is_linear(at)) return check_linear(decoder, block);
  const bool has_own = decoder.source(at) == at;
  if (has_own) {
    check_heads(decoder, k, q, block);
  } else {
    block.product("attn_q", q, decoder.width);
    for (const char* const name : {"attn_k.weight", "attn_v.weight", "attn_k_norm.weight"}) block.ignore(name);
  }
  block.product("attn_output", decoder.width, decoder.heads[k] * decoder.value(at));
  if (decoder.has_head_norms) block.need("attn_q_norm", {key});
  if (decoder.has_head_norms && has_own) block.need("attn_k_norm", {key});
  if (decoder.has_sinks) block.need("attn_sinks", {decoder.heads[k]});
}

void check_dense(const Decoder& decoder, std::int64_t dense, BlockTensors& block) {
  if (decoder.gating == Gating::apart) block.product("ffn_gate", dense, decoder.width);
  block.product("ffn_up", decoder.gating == Gating::in_up ? 2 * dense : dense, decoder.width);
  block.product("ffn_down", decoder.width, dense);
}

void check_experts(const Decoder& decoder, BlockTensors& block) {
  const std::int64_t d = decoder.width;
  const Experts& experts = decoder.experts;
  block.need("ffn_gate_inp", {experts.count, d});
  if (experts.has_biases) block.need_bias("ffn_gate_inp", {experts.count});
  if (block.has("ffn_gate_up_exps") && !experts.has_biases) {
    block.need("ffn_gate_up_exps", {experts.count, 2 * experts.width, d});
  } else {
    block.experts("ffn_gate", {experts.width, d});
    block.experts("ffn_up", {experts.width, d});
  }
  block.experts("ffn_down", {d, experts.width});
  if (experts.is_beside_dense) {
    block.need_as("ffn_gate_inp.scale", {d});
    block.may_as("ffn_down_exps.scale", {experts.count});
  }
  if (experts.may_have_routing_bias) block.may_bias("exp_probs_b", {experts.count});
  if (experts.shared_width == 0) return;
  const Shape row{1, d};
  if (experts.has_shared_gate)
    block.need("ffn_gate_inp_shexp",
               block.has("ffn_gate_inp_shexp") && block.shape("ffn_gate_inp_shexp") == row ? row : Shape{d});
  block.need("ffn_gate_shexp", {experts.shared_width, d});
  block.need("ffn_up_shexp", {experts.shared_width, d});
  block.need("ffn_down_shexp", {d, experts.shared_width});
}

void check_block(const Decoder& decoder, std::size_t k, BlockTensors& block) {
  if (!decoder.is_encoder) block.norm("attn_norm");
  check_attention(decoder, k, block);
  if (decoder.is_encoder) {
    block.norm("attn_output_norm");
    block.norm("layer_output_norm");
  } else {
    block.norm(std::string(decoder.feed_forward_norm));
  }
  if (decoder.has_post_norms) {
    block.norm("post_attention_norm");
    block.norm("post_ffw_norm");
  }
  const Experts& experts = decoder.experts;
  const bool has_experts = decoder.has_experts(static_cast<std::int64_t>(k));
  if (has_experts) check_experts(decoder, block);
  if (!has_experts || experts.is_beside_dense) check_dense(decoder, decoder.feed_forward[k], block);
  if (experts.is_beside_dense)
    for (const char* const name : {"post_ffw_norm_1", "pre_ffw_norm_2", "post_ffw_norm_2"}) block.norm(name);
  if (decoder.per_layer > 0) {
    block.product("inp_gate", decoder.per_layer, decoder.width);
    block.product("proj", decoder.width, decoder.per_layer);
    block.norm("post_norm");
  }
  if (decoder.may_scale_blocks) block.may_as("layer_output_scale.weight", {1});
  block.ignore("attn_rot_embd.weight");
  block.ignore("attn.masked_bias");
}

/// How many rows a table has, whatever metadata say.
std::int64_t rows_of(const Weights& weights, const std::string& table) {
  const bool has_rows = weights.has(table) && weights.at(table).shape.size() == 2;
  return has_rows ? std::max<std::int64_t>(1, weights.at(table).shape[0]) : 1;
}

void need_norm(const Decoder& decoder, Weights& weights, const std::string& name) {
  weights.need(name + ".weight", {decoder.width});
  if (decoder.norm.is_layer) weights.need(name + ".bias", {decoder.width});
}

/// Tables that give embeddings, and their norm.
void check_first(const Decoder& decoder, Weights& weights) {
  weights.need("token_embd.weight", {rows_of(weights, "token_embd.weight"), decoder.width});
  if (decoder.has_position_table) weights.need("position_embd.weight", {decoder.trained_context, decoder.width});
  if (decoder.per_layer > 0) {
    const std::int64_t all = decoder.blocks * decoder.per_layer;
    weights.need("per_layer_token_embd.weight", {rows_of(weights, "token_embd.weight"), all});
    weights.need("per_layer_model_proj.weight", {all, decoder.width});
    weights.need("per_layer_proj_norm.weight", {decoder.per_layer});
  }
  if (!decoder.is_encoder) return;
  weights.may("token_types.weight", {rows_of(weights, "token_types.weight"), decoder.width});
  need_norm(decoder, weights, "token_embd_norm");
}

/// The last norm and the product that gives logits.
void check_last(const Decoder& decoder, Weights& weights) {
  if (decoder.is_encoder) {
    // Heads that classify, which are not part of the encoder.
    for (const char* const name : {"cls.weight", "cls.bias", "cls.norm.weight", "cls.output.weight", "cls.output.bias"})
      weights.ignore(name);
    return;
  }
  const std::int64_t d = decoder.width, vocabulary = rows_of(weights, "token_embd.weight");
  need_norm(decoder, weights, "output_norm");
  if (decoder.own_output == OwnOutput::always) weights.need("output.weight", {vocabulary, d});
  if (decoder.own_output == OwnOutput::never) return;
  if (weights.may("output.weight", {vocabulary, d})) weights.may("output.bias", {vocabulary});
}

/// Tensors whose numbers go into the rotary tables.
void check_divisors(const Decoder& decoder, Weights& weights) {
  const Shape pairs{decoder.rotary.columns / 2};
  if (decoder.divisors == Divisors::freqs) weights.may("rope_freqs.weight", pairs, false);
  if (decoder.divisors == Divisors::needed_freqs) weights.need("rope_freqs.weight", pairs, false);
  weights.ignore("rope_freqs.weight");
  if (decoder.divisors != Divisors::by_context) return;
  const std::string is_long = "rope_factors_long.weight", is_short = "rope_factors_short.weight";
  if (!weights.has(is_long) && !weights.has(is_short)) return;
  weights.need(is_long, pairs, false);
  weights.need(is_short, pairs, false);
}

}  // namespace

void check_weights(const Decoder& decoder, const BlockRange& blocks, Weights& weights) {
  check_first(decoder, weights);
  check_last(decoder, weights);
  check_divisors(decoder, weights);
  for (std::int64_t i = 0; i < decoder.blocks; ++i) {
    BlockTensors block(decoder, weights, i, blocks.from <= i && i < blocks.to);
    check_block(decoder, static_cast<std::size_t>(i), block);
  }
  for (std::int64_t i = 0; i < decoder.drafting; ++i) weights.ignore_all(cat("blk.", decoder.blocks + i, '.'));
  weights.note_others();
}

}  // namespace plumb::ir::formats::gguf::architectures
