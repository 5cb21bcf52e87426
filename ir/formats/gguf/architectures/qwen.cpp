// Qwen 2, whose q, k and v have biases; Qwen 3, which norms q and k of each head instead; both also with experts.
#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

void read_mixture(Keys& keys, Decoder& decoder) {
  if (decoder.experts.count == 0) keys.note("expert_count", "is missing or 0");
  decoder.experts = read_experts(keys, decoder, UsualWidth::share);
}

}  // namespace

Decoder read_qwen2(Keys& keys) { return read_dense(keys); }

Decoder read_qwen2moe(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  read_mixture(keys, decoder);
  decoder.experts.is_normalized = false;
  decoder.experts.shared_width = keys.whole("expert_shared_feed_forward_length", {}, decoder.feed_forward.front());
  return decoder;
}

Decoder read_qwen3(Keys& keys) {
  Decoder decoder = read_dense(keys);
  decoder.has_head_norms = true;
  return decoder;
}

Decoder read_qwen3moe(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  decoder.has_head_norms = true;
  read_mixture(keys, decoder);
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
