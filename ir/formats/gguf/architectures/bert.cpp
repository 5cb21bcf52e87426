// BERT: an encoder with a table of positions, whose layer norms are behind the residuals.
#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {

Decoder read_bert(Keys& keys) {
  Decoder decoder = read_base(keys);
  refuse_experts(keys, decoder);
  decoder.is_encoder = decoder.has_position_table = decoder.has_biases = true;
  decoder.norm = {.is_layer = true, .epsilon = keys.at_least_0("attention.layer_norm_epsilon")};
  decoder.gating = Gating::none;
  decoder.glu.function = ops::GateFunction::gelu;  // as the models were trained; others take the form with tanh
  if (keys.truth("attention.causal", false)) keys.note("attention.causal", "is true, wanted false");
  const std::int64_t pooling = keys.whole("pooling_type", {0, most_extent}, 0);
  if (pooling > 0)
    decoder.notes.push_back(cat("bert.pooling_type is ", pooling, ": the result is not pooled, it has every token"));
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
