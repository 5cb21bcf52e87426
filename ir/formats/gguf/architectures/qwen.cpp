// Qwen 2, whose q, k and v have biases; Qwen 3, which norms q and k of each head instead; both also with experts.
// qwen3vl is the part that reads text of models that also read images.
#include <cmath>

#include "ir/formats/gguf/architectures/decoder.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

/// Text has one position in all sections of the rotary pairs, which take turns by threes; pairs outside have it, too,
/// but in ggml they have position 0.
std::string note_on(const std::string& key, const std::vector<std::int64_t>& sections, const Rotary& rotary) {
  std::int64_t outside = 0, first = 0;
  for (std::int64_t pair = rotary.columns / 2 - 1; pair >= 0; --pair) {
    if (pair / 3 < sections[static_cast<std::size_t>(pair % 3)]) continue;
    ++outside;
    first = pair;
  }
  std::string note = cat(key, " are ", sections[0], ", ", sections[1], ", ", sections[2], " and ", sections[3],
                         ", between which positions of text do not differ");
  if (outside == 0) return note;
  const double angle = std::pow(rotary.base, -2.0 * static_cast<double>(first) / static_cast<double>(rotary.columns));
  return note + cat("; ggml leaves ", outside, " of the ", rotary.columns / 2, " pairs unrotated, by up to ", angle,
                    " rad a position");
}

}  // namespace

void note_sections(Keys& keys, Decoder& decoder) {
  constexpr auto key = "rope.dimension_sections";
  const auto sections = keys.array(key, 4, {0, decoder.rotary.columns / 2});
  if (!sections.empty()) decoder.notes.push_back(note_on(keys.name_of(key), sections, decoder.rotary));
}

Decoder read_qwen2(Keys& keys) { return read_dense(keys); }

Decoder read_qwen2moe(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  decoder.experts = need_experts_and_shared(keys, decoder, UsualWidth::share);
  decoder.experts.is_normalized = false;
  return decoder;
}

Decoder read_qwen3(Keys& keys) {
  Decoder decoder = read_dense(keys);
  decoder.has_head_norms = true;
  return decoder;
}

Decoder read_qwen3vl(Keys& keys) {
  Decoder decoder = read_qwen3(keys);
  note_sections(keys, decoder);
  return decoder;
}

Decoder read_qwen3moe(Keys& keys) {
  Decoder decoder = read_decoder(keys);
  decoder.has_head_norms = true;
  decoder.experts = need_experts(keys, decoder, UsualWidth::share);
  return decoder;
}

}  // namespace plumb::ir::formats::gguf::architectures
