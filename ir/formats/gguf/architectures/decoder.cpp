// The keys of decoders (ops.md J.3).
#include "ir/formats/gguf/architectures/decoder.hpp"

#include "ir/attribute.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

RopeScaling scaling_of(Keys& keys) {
  const std::string key = "rope.scaling.type";
  if (const auto scaling = enum_value<RopeScaling>(keys.text(key, "linear"))) return *scaling;
  keys.note(key, "is none of none, linear, yarn and longrope");
  return RopeScaling::none;
}

Rotary read_rotary(Keys& keys, std::int64_t key_length, std::int64_t trained_context) {
  Rotary rotary;
  rotary.columns = keys.whole("rope.dimension_count", {1, key_length}, key_length);
  if (rotary.columns % 2 != 0) keys.note("rope.dimension_count", cat("is ", rotary.columns, ", wanted an even number"));
  rotary.base = keys.above_0("rope.freq_base", 10000);
  rotary.scaling = scaling_of(keys);
  rotary.factor = keys.at_least_0("rope.scaling.factor", keys.at_least_0("rope.scale_linear", 1));
  if (rotary.factor == 0) rotary.factor = 1;
  rotary.original_context = static_cast<double>(
      keys.whole("rope.scaling.original_context_length", {1, std::int64_t{1} << 32}, trained_context));
  rotary.attention_factor = keys.above_0("rope.scaling.attn_factor", 1);
  rotary.beta_fast = keys.above_0("rope.scaling.yarn_beta_fast", 32);
  rotary.beta_slow = keys.above_0("rope.scaling.yarn_beta_slow", 1);
  rotary.extrapolation = keys.at_least_0("rope.scaling.yarn_ext_factor", rotary.scaling == RopeScaling::yarn ? 1 : 0);
  return rotary;
}

}  // namespace

Decoder read_decoder(Keys& keys) {
  Decoder decoder;
  decoder.blocks = keys.whole("block_count", {1, most_blocks});
  decoder.width = keys.whole("embedding_length", {});
  decoder.trained_context = keys.whole("context_length", {1, std::int64_t{1} << 32});
  decoder.heads = keys.by_block("attention.head_count", decoder.blocks, {});
  decoder.kv_heads = keys.by_block("attention.head_count_kv", decoder.blocks, {}, decoder.heads);
  for (std::size_t i = 0; i < decoder.heads.size(); ++i)
    if (decoder.heads[i] % decoder.kv_heads[i] != 0) {
      keys.note("attention.head_count_kv", cat("is ", decoder.kv_heads[i], " in block ", i,
                                               ", which does not divide the ", decoder.heads[i], " heads there"));
      break;
    }
  const bool is_divided = keys.has("attention.key_length") && keys.has("attention.value_length");
  if (!is_divided && decoder.width % decoder.heads.front() != 0)
    keys.note("attention.head_count", cat("is ", decoder.heads.front(), ", which does not divide the width, ",
                                          decoder.width, ", and no attention.key_length says how long heads are"));
  const std::int64_t usual = std::max<std::int64_t>(1, decoder.width / decoder.heads.front());
  decoder.key_length = keys.whole("attention.key_length", {}, usual);
  decoder.value_length = keys.whole("attention.value_length", {}, usual);
  decoder.epsilon = keys.at_least_0("attention.layer_norm_rms_epsilon");
  if (const double scale = keys.at_least_0("attention.scale", 0); scale > 0) decoder.score_scale = scale;
  decoder.rotary = read_rotary(keys, decoder.key_length, decoder.trained_context);
  decoder.experts.count = keys.whole("expert_count", {0, most_extent}, 0);
  const bool is_dense = decoder.experts.count == 0;
  decoder.feed_forward = keys.by_block(
      "feed_forward_length", decoder.blocks, {},
      is_dense ? std::nullopt : std::optional(std::vector<std::int64_t>(static_cast<std::size_t>(decoder.blocks), 1)));
  return decoder;
}

Experts read_experts(Keys& keys, const Decoder& decoder, bool has_width_of_share) {
  Experts experts{.count = decoder.experts.count};
  if (experts.count == 0) return experts;
  experts.used = keys.whole("expert_used_count", {1, experts.count});
  const std::int64_t dense = decoder.feed_forward.front();
  const std::int64_t usual = has_width_of_share ? std::max<std::int64_t>(1, dense / experts.used) : dense;
  experts.width = keys.whole("expert_feed_forward_length", {}, usual);
  const double scale = keys.at_least_0("expert_weights_scale", 1);
  experts.scale = scale == 0 ? 1 : scale;
  return experts;
}

}  // namespace plumb::ir::formats::gguf::architectures
