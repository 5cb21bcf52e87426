// GPT-2: a table of positions, layer norms, and biases everywhere.
#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {

Decoder read_gpt2(Keys& keys) {
  Decoder decoder = read_base(keys);
  refuse_experts(keys, decoder);
  decoder.norm = {.is_layer = true, .epsilon = keys.at_least_0("attention.layer_norm_epsilon")};
  decoder.has_position_table = decoder.has_joint_qkv = decoder.has_biases = true;
  decoder.gating = Gating::none;
  decoder.glu.function = ops::GateFunction::gelu_tanh;
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
