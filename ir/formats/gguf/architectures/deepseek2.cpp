// DeepSeek V2 and V3: latent attention, and experts in groups behind some dense blocks.
#include <cmath>

#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

/// Notes that a key, where it is there, is not the number of columns that the ranks imply.
void check_columns(Keys& keys, std::string_view key, std::int64_t is, std::int64_t wanted) {
  if (keys.has(key) && is != wanted) keys.note(key, cat("is ", is, ", wanted ", wanted, ", as the ranks have it"));
}

/// Files whose heads are cut out of the latent vector say how long heads are by keys of their own, and by the usual
/// ones how long that vector is; old files have the usual keys alone, for heads.
void read_latent(Keys& keys, Decoder& decoder) {
  Latent& latent = decoder.latent;
  latent.rank = keys.whole("attention.kv_lora_rank", {});
  latent.q_rank = keys.whole("attention.q_lora_rank", {0, most_extent}, 0);
  const std::int64_t n = decoder.rotary.columns, cached = latent.rank + n;
  if (keys.has("attention.key_length_mla")) {
    check_columns(keys, "attention.key_length", decoder.key_length, cached);
    check_columns(keys, "attention.value_length", decoder.value_length, latent.rank);
  }
  const std::int64_t key = keys.whole("attention.key_length_mla", {}, decoder.key_length);
  decoder.value_length = keys.whole("attention.value_length_mla", {}, decoder.value_length);
  decoder.key_length = cached;
  decoder.kv_heads.assign(static_cast<std::size_t>(decoder.blocks), 1);
  latent.plain = std::max<std::int64_t>(1, key - n);
  if (!keys.has("rope.dimension_count"))
    keys.note("rope.dimension_count", "is missing");
  else if (n >= key)
    keys.note("rope.dimension_count", cat("is ", n, ", and heads have ", key, " columns, not all of them rotary"));
  // The magnitude that yarn gives both operands of scores is in their scale, where columns that are not rotary have it.
  const double multiplier = keys.at_least_0("rope.scaling.yarn_log_multiplier", 0);
  const bool is_stretched = decoder.rotary.scaling == RopeScaling::yarn && decoder.rotary.factor > 1;
  const double grown = is_stretched ? 1 + multiplier * std::log(decoder.rotary.factor) : 1;
  decoder.rotary.has_yarn_magnitude = multiplier == 0;
  if (!decoder.score_scale) decoder.score_scale = grown * grown / std::sqrt(static_cast<double>(key));
  if (keys.at_least_0("attention.temperature_scale", 0) != 0)
    keys.note("attention.temperature_scale", "is not 0: scores that depend on positions are not implemented");
}

void read_groups(Keys& keys, Experts& experts) {
  const auto number = [&](std::string_view key, std::int64_t most, std::int64_t usual) {
    const std::int64_t said = keys.whole(key, {0, most}, usual);
    return said == 0 ? usual : said;
  };
  experts.groups = number("expert_group_count", experts.count, 1);
  experts.used_groups = number("expert_group_used_count", experts.groups, experts.groups);
  const std::int64_t each = experts.count / experts.groups, least = experts.has_sigmoid_scores ? 2 : 1;
  if (experts.count % experts.groups != 0 || (experts.groups > 1 && each < least))
    keys.note("expert_group_count", cat("is ", experts.groups, ", wanted a divisor of the ", experts.count,
                                        " experts that leaves ", least, " or more in each"));
  else if (experts.used > each * experts.used_groups)
    keys.note("expert_used_count",
              cat("is ", experts.used, ", and ", experts.used_groups, " groups of ", each, " experts have fewer"));
}

void read_mixture_in_groups(Keys& keys, Decoder& decoder) {
  enum GatingFunction : std::int64_t { unsaid, softmax, sigmoid };
  const std::int64_t first = keys.whole("leading_dense_block_count", {0, decoder.blocks});
  if (decoder.experts.count == 0) {
    if (first < decoder.blocks) keys.note("expert_count", cat("is missing or 0, and block ", first, " has experts"));
    return;
  }
  Experts& experts = decoder.experts = read_experts(keys, decoder, UsualWidth::none);
  experts.first_block = first;
  if (first > 0 && !keys.has("feed_forward_length"))
    keys.note("feed_forward_length", cat("is missing, and ", first, " blocks are dense"));
  experts.has_sigmoid_scores = keys.whole("expert_gating_func", {unsaid, sigmoid}, unsaid) == sigmoid;
  experts.is_normalized = keys.truth("expert_weights_norm", false);
  experts.may_have_routing_bias = true;
  experts.has_shared_gate = false;
  experts.shared_width = experts.width * keys.whole("expert_shared_count", {0, most_extent}, 0);
  read_groups(keys, experts);
  if (experts.has_sigmoid_scores && experts.is_normalized)
    decoder.notes.push_back(
        cat("weights of experts are divided by their sum; ggml divides by ", std::exp2(-14), " where that is larger"));
  if (!experts.has_sigmoid_scores && experts.used_groups < experts.groups)
    decoder.notes.push_back(
        "groups of experts are scored by their best expert, as DeepSeek-V2 is published; ggml takes the two best");
}

}  // namespace

Decoder read_deepseek2(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  decoder.is_interleaved = true;
  read_latent(keys, decoder);
  read_mixture_in_groups(keys, decoder);
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
