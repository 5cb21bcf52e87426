// Llama 1 to 3, Mistral and, with experts, Mixtral. Converters have put the rows of q and k in interleaved order.
#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {

Decoder read_llama(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  decoder.is_interleaved = true;
  decoder.divisors = Divisors::freqs;
  decoder.experts = read_experts(keys, decoder, UsualWidth::whole);
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
