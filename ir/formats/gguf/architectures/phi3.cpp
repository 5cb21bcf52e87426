// Phi 3 and 4: q, k and v in one tensor, the gate in ffn_up, and divisors of rotary angles that depend on the context.
#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {

Decoder read_phi3(Keys& keys) {
  Decoder decoder = read_dense(keys);
  decoder.has_joint_qkv = true;
  decoder.gating = Gating::in_up;
  decoder.divisors = Divisors::by_context;
  const std::int64_t window = keys.whole("attention.sliding_window", {0, most_extent}, 0);
  if (window > 0)
    decoder.notes.push_back(
        cat("phi3.attention.sliding_window is ", window, ", and not applied: files do not say which blocks have it"));
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
