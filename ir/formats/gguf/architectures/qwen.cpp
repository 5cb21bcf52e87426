// Qwen 2, whose q, k and v have biases; Qwen 3, which norms q and k of each head instead, also with experts.
#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

Decoder read_dense(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  if (decoder.experts.count != 0) keys.note("expert_count", cat("is ", decoder.experts.count, ", wanted 0"));
  decoder.experts = {};
  return decoder;
}

}  // namespace

Decoder read_qwen2(Keys& keys) { return read_dense(keys); }

Decoder read_qwen3(Keys& keys) {
  Decoder decoder = read_dense(keys);
  decoder.has_head_norms = true;
  return decoder;
}

Decoder read_qwen3moe(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  decoder.has_head_norms = true;
  if (decoder.experts.count == 0) keys.note("expert_count", "is missing or 0");
  decoder.experts = read_experts(keys, decoder, true);
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
