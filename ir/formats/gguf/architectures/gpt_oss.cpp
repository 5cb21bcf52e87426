// gpt-oss: sinks, windows in every other block, and experts with biases, whose gates and values are limited.
#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {

Decoder read_gpt_oss(Keys& keys) {
  constexpr std::int64_t usual_period = 2;
  Decoder decoder = read_decoder(keys);
  decoder.has_sinks = decoder.has_biases = true;
  decoder.own_output = OwnOutput::always;
  decoder.feed_forward_norm = "post_attention_norm";
  decoder.glu = {.function = ops::GateFunction::silu, .alpha = 1.702, .limit = 7, .offset = 1};
  decoder.experts = need_experts(keys, decoder, UsualWidth::none);
  decoder.experts.has_biases = decoder.experts.is_chosen_by_logits = true;
  decoder.window_rotary = decoder.rotary;
  read_windows(keys, decoder, {}, usual_period, decoder.rotary.base);
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
