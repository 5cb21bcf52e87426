#pragma once

// Decoders: what the templates have in common (ops.md J.4).

#include <array>
#include <optional>
#include <vector>

#include "ir/formats/gguf/architectures/keys.hpp"
#include "ir/formats/gguf/architectures/rotary.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// Experts of a feed-forward; none where `count` is 0.
struct Experts {
  std::int64_t count = 0, used = 0, width = 0;
  double scale = 1;
};

/// A decoder as its metadata describe it.
struct Decoder {
  std::int64_t blocks = 1, width = 1, trained_context = 1;
  std::vector<std::int64_t> heads, kv_heads, feed_forward;  ///< by block
  std::int64_t key_length = 1, value_length = 1;
  double epsilon = 1e-5;  ///< all norms have it
  std::optional<double> score_scale = {};
  Rotary rotary;
  bool is_interleaved = false;       ///< rotary pairs are neighbours
  bool has_rotary_divisors = false;  ///< rope_freqs may be there
  bool has_head_norms = false;       ///< q and k of each head are normed
  Experts experts;
};

/// Reads the keys that decoders share.
Decoder read_decoder(Keys& keys);

/// Reads how many experts there are, and how wide; `has_width_of_share`: without a key of its own a width is that of
/// the feed-forward over the number of experts in use.
Experts read_experts(Keys& keys, const Decoder& decoder, bool has_width_of_share);

/// A template: what an architecture's metadata mean.
struct Architecture {
  std::string_view name;
  Decoder (*read)(Keys& keys);
};

Decoder read_llama(Keys& keys);
Decoder read_qwen2(Keys& keys);
Decoder read_qwen3(Keys& keys);
Decoder read_qwen3moe(Keys& keys);

inline constexpr std::array all_architectures = {Architecture{"llama", read_llama}, Architecture{"qwen2", read_qwen2},
                                                 Architecture{"qwen3", read_qwen3},
                                                 Architecture{"qwen3moe", read_qwen3moe}};

}  // namespace plumb::ir::formats::gguf::architectures
