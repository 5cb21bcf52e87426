// Gemma 1 to 3. Converters have added the 1 to the weights of norms.
#include <cmath>

#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

Decoder read_any_gemma(Keys& keys) {
  Decoder decoder = read_dense(keys);
  decoder.glu.function = ops::GateFunction::gelu_tanh;
  decoder.embedding_scale = std::sqrt(static_cast<float>(decoder.width));
  return decoder;
}

/// The largest model of a generation, which is known by its number of blocks, scales scores by another length than that
/// of its heads.
void scale_scores(Decoder& decoder, std::int64_t blocks_of_largest) {
  if (decoder.score_scale || decoder.blocks != blocks_of_largest) return;
  const std::int64_t share = std::max<std::int64_t>(1, decoder.width / decoder.heads.front());
  decoder.score_scale = 1 / std::sqrt(static_cast<double>(share));
}

}  // namespace

Decoder read_gemma(Keys& keys) {
  Decoder decoder = read_any_gemma(keys);
  decoder.own_output = OwnOutput::never;
  return decoder;
}

Decoder read_gemma2(Keys& keys) {
  constexpr std::int64_t usual_window = 4096, usual_period = 2, blocks_of_largest = 46;
  Decoder decoder = read_gemma(keys);
  decoder.has_post_norms = true;
  decoder.score_cap = keys.at_least_0("attn_logit_softcapping", 50);
  decoder.logit_cap = keys.at_least_0("final_logit_softcapping", 30);
  decoder.window_rotary = decoder.rotary;
  read_windows(keys, decoder, usual_window, usual_period, decoder.rotary.base);
  scale_scores(decoder, blocks_of_largest);
  return decoder;
}

Decoder read_gemma3(Keys& keys) {
  constexpr std::int64_t usual_period = 6, blocks_of_largest = 62;
  constexpr double base_of_windows = 10000;
  Decoder decoder = read_any_gemma(keys);
  decoder.has_head_norms = decoder.has_post_norms = true;
  decoder.score_cap = keys.at_least_0("attn_logit_softcapping", 0);
  decoder.logit_cap = keys.at_least_0("final_logit_softcapping", 0);
  // Only angles of the other blocks are scaled.
  decoder.window_rotary.columns = decoder.rotary.columns;
  read_windows(keys, decoder, 0, usual_period, base_of_windows);
  scale_scores(decoder, blocks_of_largest);
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
