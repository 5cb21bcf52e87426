// Gemma 4: heads of two lengths, blocks that read the caches of others, and vectors of tokens for every block. Its
// norms multiply by their weights as they are trained.
#include <cmath>

#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

void read_lengths(Keys& keys, Decoder& decoder) {
  constexpr std::int64_t usual_period = 6;  // which is not asked: the file must say
  for (const char* const key : {"attention.sliding_window_pattern", "attention.key_length", "feed_forward_length"})
    if (!keys.has(key)) keys.note(key, "is missing");
  decoder.window_rotary = decoder.rotary;
  read_windows(keys, decoder, {}, usual_period, decoder.rotary.base);
  keys.whole("attention.sliding_window", {}, 1);  // which says so where it is 0
  decoder.window_length = keys.whole("attention.key_length_swa", {});
  decoder.window_rotary.columns =
      keys.whole("rope.dimension_count_swa", {1, decoder.window_length}, decoder.window_length);
  if (decoder.window_rotary.columns % 2 != 0)
    keys.note("rope.dimension_count_swa", cat("is ", decoder.window_rotary.columns, ", wanted an even number"));
  const std::int64_t value = keys.whole("attention.value_length_swa", {}, decoder.window_length);
  if (value != decoder.window_length)
    keys.note("attention.value_length_swa", cat("is ", value, ", wanted ", decoder.window_length, ", as that of keys"));
  if (decoder.value_length != decoder.key_length)
    keys.note("attention.value_length",
              cat("is ", decoder.value_length, ", wanted ", decoder.key_length, ", as that of keys"));
}

/// ggml counts back from the last block that has caches, whatever is there.
void note_source(Decoder& decoder, std::int64_t block, std::int64_t source) {
  const std::int64_t in_ggml = decoder.blocks - decoder.sharing - (decoder.window(block) > 0 ? 2 : 1);
  if (source == in_ggml) return;
  decoder.notes.push_back(
      cat("block ", block, " reads the caches of block ", source, ", and in ggml those of block ", in_ggml));
}

void read_sharing(Keys& keys, Decoder& decoder) {
  constexpr auto key = "attention.shared_kv_layers";
  decoder.sharing = keys.whole(key, {0, decoder.blocks - 1}, 0);
  for (std::int64_t i = decoder.blocks - decoder.sharing; i < decoder.blocks; ++i) {
    const auto source = decoder.source(i);
    const auto heads = [&](std::int64_t block) { return decoder.kv_heads[static_cast<std::size_t>(block)]; };
    if (!source) {
      keys.note(key, cat("is ", decoder.sharing, ", and no block before these has ",
                         decoder.window(i) > 0 ? "a window" : "none", ", as block ", i, " has"));
      return;
    }
    if (heads(i) != heads(*source))
      keys.note("attention.head_count_kv", cat("is ", heads(i), " in block ", i, ", and ", heads(*source), " in block ",
                                               *source, ", whose caches that reads"));
    note_source(decoder, i, *source);
  }
}

}  // namespace

Decoder read_gemma4(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  decoder.glu.function = ops::GateFunction::gelu_tanh;
  decoder.embedding_scale = std::sqrt(static_cast<float>(decoder.width));
  decoder.has_head_norms = decoder.has_value_norms = decoder.has_post_norms = decoder.may_scale_blocks = true;
  decoder.logit_cap = keys.at_least_0("final_logit_softcapping", 0);
  if (!decoder.score_scale) decoder.score_scale = 1;
  read_lengths(keys, decoder);
  read_sharing(keys, decoder);
  bool has_whole = false;
  for (std::int64_t i = 0; i < decoder.blocks; ++i) has_whole |= decoder.window(i) == 0;
  if (has_whole) decoder.divisors = Divisors::needed_freqs;
  decoder.per_layer = keys.whole("embedding_length_per_layer_input", {0, most_extent}, 0);
  decoder.experts = read_experts(keys, decoder, UsualWidth::none);
  decoder.experts.is_beside_dense = decoder.experts.count > 0;
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
