// The keys of transformers (ops.md J.3).
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

Decoder read_base(Keys& keys) {
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
  if (const double scale = keys.at_least_0("attention.scale", 0); scale > 0) decoder.score_scale = scale;
  decoder.experts.count = keys.whole("expert_count", {0, most_extent}, 0);
  const bool is_dense = decoder.experts.count == 0;
  decoder.feed_forward = keys.by_block(
      "feed_forward_length", decoder.blocks, {},
      is_dense ? std::nullopt : std::optional(std::vector<std::int64_t>(static_cast<std::size_t>(decoder.blocks), 1)));
  return decoder;
}

Decoder read_decoder(Keys& keys) {
  Decoder decoder = read_base(keys);
  decoder.norm.epsilon = keys.at_least_0("attention.layer_norm_rms_epsilon");
  decoder.rotary = read_rotary(keys, decoder.key_length, decoder.trained_context);
  return decoder;
}

void refuse_experts(Keys& keys, Decoder& decoder) {
  if (decoder.experts.count != 0) keys.note("expert_count", cat("is ", decoder.experts.count, ", wanted 0"));
  decoder.experts = {};
}

Decoder read_dense(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  refuse_experts(keys, decoder);
  return decoder;
}

Experts read_experts(Keys& keys, const Decoder& decoder, UsualWidth usual) {
  Experts experts{.count = decoder.experts.count};
  if (experts.count == 0) return experts;
  experts.used = keys.whole("expert_used_count", {1, experts.count});
  const std::int64_t dense = decoder.feed_forward.front();
  std::optional<std::int64_t> width = dense;
  if (usual == UsualWidth::share) width = std::max<std::int64_t>(1, dense / experts.used);
  if (usual == UsualWidth::none) width.reset();
  experts.width = keys.whole("expert_feed_forward_length", {}, width);
  const double scale = keys.at_least_0("expert_weights_scale", 1);
  experts.scale = scale == 0 ? 1 : scale;
  return experts;
}

Experts need_experts(Keys& keys, const Decoder& decoder, UsualWidth usual) {
  if (decoder.experts.count == 0) keys.note("expert_count", "is missing or 0");
  return read_experts(keys, decoder, usual);
}

Experts need_experts_and_shared(Keys& keys, const Decoder& decoder, UsualWidth usual) {
  Experts experts = need_experts(keys, decoder, usual);
  experts.shared_width = keys.whole("expert_shared_feed_forward_length", {}, decoder.feed_forward.front());
  return experts;
}

std::optional<std::int64_t> Decoder::source(std::int64_t block) const {
  const std::int64_t own = blocks - sharing;
  if (block < own) return block;
  for (std::int64_t i = own - 1; i >= 0; --i)
    if ((window(i) > 0) == (window(block) > 0)) return i;
  return std::nullopt;
}

void read_windows(Keys& keys, Decoder& decoder, std::optional<std::int64_t> usual, std::int64_t usual_period,
                  double base) {
  const std::int64_t window = keys.whole("attention.sliding_window", {0, most_extent}, usual);
  const auto pattern = keys.pattern("attention.sliding_window_pattern", decoder.blocks, usual_period);
  decoder.window_rotary.base = keys.above_0("rope.freq_base_swa", base);
  decoder.windows.clear();
  for (const bool has_window : pattern) decoder.windows.push_back(has_window ? window : 0);
}

}  // namespace plumb::ir::formats::gguf::architectures
