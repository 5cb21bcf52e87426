// Qwen 3.5, also with experts: three blocks of linear attention by the gated delta rule, then one of attention whose
// result goes through a gate. Converters have put the heads of values in the order in which heads of keys go round.
#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

std::vector<bool> linear_blocks(Keys& keys, std::int64_t blocks) {
  constexpr std::int64_t usual_interval = 4;
  constexpr auto by_block = "attention.recurrent_layers";
  const std::int64_t interval = keys.whole("full_attention_interval", {}, usual_interval);
  return keys.pattern(by_block, blocks, interval);
}

void read_linear(Keys& keys, Decoder& decoder) {
  constexpr std::int64_t most_taps = 64;
  Linear& linear = decoder.linear;
  linear.blocks = linear_blocks(keys, decoder.blocks + decoder.drafting);
  linear.length = keys.whole("ssm.state_size", {});
  linear.key_heads = keys.whole("ssm.group_count", {});
  linear.value_heads = keys.whole("ssm.time_step_rank", {});
  linear.taps = keys.whole("ssm.conv_kernel", {2, most_taps});
  if (linear.value_heads % linear.key_heads != 0)
    keys.note("ssm.group_count",
              cat("is ", linear.key_heads, ", which does not divide the ", linear.value_heads, " heads of values"));
  const std::int64_t inner = keys.whole("ssm.inner_size", {}, linear.values());
  if (inner != linear.values())
    keys.note("ssm.inner_size",
              cat("is ", inner, ", wanted ", linear.values(), ", as ssm.time_step_rank and ssm.state_size have it"));
  decoder.notes.push_back(
      cat("q and k of linear attention are divided by √(Σx² + ε); ggml takes the larger of √Σx² and ε, "
          "which differs by a share of up to ",
          decoder.norm.epsilon / 2, "/Σx²"));
}

/// The last blocks draft tokens ahead, which no run of the model needs.
void read_drafting(Keys& keys, Decoder& decoder) {
  decoder.drafting = keys.whole("nextn_predict_layers", {0, decoder.blocks - 1}, 0);
  decoder.blocks -= decoder.drafting;
  if (decoder.drafting > 0)
    decoder.notes.push_back(cat(decoder.drafting, " of the blocks draft tokens, and are left out"));
}

Decoder read_any(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  decoder.has_head_norms = decoder.has_output_gate = true;
  decoder.feed_forward_norm = "post_attention_norm";
  read_drafting(keys, decoder);
  read_linear(keys, decoder);
  note_sections(keys, decoder);
  return decoder;
}

}  // namespace

Decoder read_qwen35(Keys& keys) {
  Decoder decoder = read_any(keys);
  refuse_experts(keys, decoder);
  return decoder;
}

Decoder read_qwen35moe(Keys& keys) {
  Decoder decoder = read_any(keys);
  decoder.experts = need_experts_and_shared(keys, decoder, UsualWidth::share);
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
