// gpt-oss: sinks, windows in every other block, and experts with biases, whose gates and values are limited.
#include <cmath>

#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

/// The published model blends scaled and unscaled angles between real pairs; readers of files, between whole ones.
void note_blend(Decoder& decoder) {
  Rotary real = decoder.rotary;
  real.blends_whole_pairs = false;
  const auto ours = rotary_angles(decoder.rotary, {}), published = rotary_angles(real, {});
  double most = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) most = std::max(most, std::abs(ours[i] - published[i]));
  if (most > 0)
    decoder.notes.push_back(cat(
        "the ends of yarn's blend are whole pairs, as ggml has them; the published model does not round them, which "
        "turns pairs by up to ",
        most, " rad a position otherwise"));
}

}  // namespace

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
  note_blend(decoder);
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
