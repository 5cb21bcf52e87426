#pragma once

// Transformers: what the templates have in common (ops.md J.4).

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ir/formats/gguf/architectures/keys.hpp"
#include "ir/formats/gguf/architectures/rotary.hpp"
#include "ir/ops/glu.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// A norm of rows is layer_norm with a bias, or rms_norm without one.
struct Norm {
  bool is_layer = false;
  double epsilon = 1e-5;
};

/// The gate of a feed-forward lies in ffn_gate, in the first half of the rows of ffn_up, or nowhere.
enum class Gating { apart, in_up, none };

/// Divisors of rotary angles: none, rope_freqs where that is there, rope_freqs, which must be there, or
/// rope_factors_long or _short by the context where these are there.
enum class Divisors { none, freqs, needed_freqs, by_context };

/// Whether there is an output.weight; without one token_embd gives the logits.
enum class OwnOutput { optional, never, always };

/// Experts of a feed-forward; none where `count` is 0.
struct Experts {
  std::int64_t count = 0, used = 0, width = 0;
  std::int64_t first_block = 0;              ///< blocks before it are dense
  std::int64_t groups = 1, used_groups = 1;  ///< the chosen are of so many groups
  std::int64_t shared_width = 0;             ///< width of an expert that all rows go through besides; 0: none
  bool has_shared_gate = true;               ///< that expert's result is multiplied by a sigmoid
  double scale = 1;
  bool is_normalized = true;           ///< weights of the chosen sum to 1
  bool is_chosen_by_logits = false;    ///< by what the router says, before the softmax
  bool has_biases = false;             ///< the router and all matrices
  bool may_have_routing_bias = false;  ///< a bias of scores that experts are chosen by, and not weighed
  /// Scores are sigmoids, and the two best of a group are its score; else scores are a softmax, and the best is it.
  bool has_sigmoid_scores = false;
  /// There is a dense feed-forward besides, and each has norms of its own; the router reads the sum after attention.
  bool is_beside_dense = false;
};

/// Multi-head latent attention: keys and values of all heads are products of one vector a token, beside which the cache
/// has the rotary columns of keys, which heads share.
struct Latent {
  std::int64_t rank = 0;    ///< r: extent of the vector; 0: heads have keys and values of their own
  std::int64_t q_rank = 0;  ///< extent of the vector that q is a product of; 0: it is one of the block's input
  std::int64_t plain = 1;   ///< columns of a key without the rotary ones
};

/// Blocks of linear attention by the gated delta rule, whose state is a matrix for every head of values; q, k and v go
/// through a causal convolution first.
struct Linear {
  std::vector<bool> blocks = {};                ///< by block; none at all: all have attention
  std::int64_t key_heads = 1, value_heads = 1;  ///< head j of values has head j mod key_heads of keys
  std::int64_t length = 1;                      ///< columns of a head of keys, and of values
  std::int64_t taps = 2;                        ///< width of the convolution

  std::int64_t values() const { return value_heads * length; }
  std::int64_t channels() const { return 2 * key_heads * length + values(); }
};

/// A decoder, or an encoder, as its metadata describe it.
struct Decoder {
  bool is_encoder = false;  ///< tokens see all others; norms are behind residuals; no caches and no logits
  std::int64_t blocks = 1, width = 1, trained_context = 1;
  std::vector<std::int64_t> heads, kv_heads, feed_forward;  ///< by block
  std::int64_t key_length = 1, value_length = 1;  ///< the former is that of cached keys: r + n where these are latent
  std::int64_t window_length = 0;                 ///< both of blocks with a window; 0: as those of the others
  std::int64_t sharing = 0;                       ///< so many of the last blocks read caches of blocks before them
  std::int64_t drafting = 0;                      ///< so many blocks behind these draft tokens, and are not run
  Latent latent = {};
  Linear linear = {};
  Norm norm;
  std::optional<double> score_scale = {};
  double score_cap = 0, logit_cap = 0;        ///< 0: none
  std::optional<float> embedding_scale = {};  ///< a factor of embeddings
  bool has_position_table = false;            ///< rows of position_embd are added to embeddings
  Rotary rotary;                              ///< no columns: none
  Rotary window_rotary;                       ///< that of blocks with a window
  bool is_interleaved = false;                ///< rotary pairs are neighbours
  Divisors divisors = Divisors::none;
  std::vector<std::int64_t> windows = {};  ///< by block: keys that a query sees, its own too; 0 or none at all: all
  bool has_joint_qkv = false;              ///< in attn_qkv, where the file does not have it otherwise
  bool has_head_norms = false;             ///< q and k of each head are normed
  bool has_value_norms = false;            ///< v of each head is normed, without a weight; it may be what k is made of
  bool has_output_gate = false;            ///< attn_q has a gate behind each head's q, for what the head gives
  bool has_sinks = false;
  bool has_biases = false;      ///< every product has one
  bool has_post_norms = false;  ///< each branch is normed before it is added
  std::string_view feed_forward_norm = "ffn_norm";
  OwnOutput own_output = OwnOutput::optional;
  Gating gating = Gating::apart;
  ops::Glu glu = {};
  Experts experts;
  std::int64_t per_layer = 0;           ///< p: columns of what each block reads of the tokens themselves; 0: none does
  bool may_scale_blocks = false;        ///< by layer_output_scale, where that is there
  std::vector<std::string> notes = {};  ///< for the user

  std::int64_t window(std::int64_t block) const {
    return windows.empty() ? 0 : windows[static_cast<std::size_t>(block)];
  }
  bool has_experts(std::int64_t block) const { return experts.count > 0 && block >= experts.first_block; }
  bool is_linear(std::int64_t block) const {
    return !linear.blocks.empty() && linear.blocks[static_cast<std::size_t>(block)];
  }
  std::int64_t key(std::int64_t block) const {
    return window_length > 0 && window(block) > 0 ? window_length : key_length;
  }
  /// Columns that a head has in attn_q: q, and its gate where there is one.
  std::int64_t query(std::int64_t block) const { return key(block) * (has_output_gate ? 2 : 1); }
  std::int64_t value(std::int64_t block) const {
    return window_length > 0 && window(block) > 0 ? window_length : value_length;
  }
  /// The block whose caches a block reads: itself, or, of those that share, the last before them that has a window
  /// where it has one. Nothing where there is none.
  std::optional<std::int64_t> source(std::int64_t block) const;
};

/// Reads the keys that all have.
Decoder read_base(Keys& keys);

/// Reads those that decoders with rms_norm and rotary positions share.
Decoder read_decoder(Keys& keys);

/// One that may have no experts.
Decoder read_dense(Keys& keys);
void refuse_experts(Keys& keys, Decoder& decoder);

/// How wide an expert is where no key says so: as the feed-forward, that over the number of experts in use, or no one
/// knows.
enum class UsualWidth { whole, share, none };

/// Reads how many experts there are, and how wide.
Experts read_experts(Keys& keys, const Decoder& decoder, UsualWidth usual);

/// Reads the same for models that must have some.
Experts need_experts(Keys& keys, const Decoder& decoder, UsualWidth usual);

/// Likewise, with an expert besides that all rows go through.
Experts need_experts_and_shared(Keys& keys, const Decoder& decoder, UsualWidth usual);

/// Reads which blocks have windows, and gives those `base` as that of their angles where no key says another. Without
/// `usual` the file must say how long they are; 0: no block has one.
void read_windows(Keys& keys, Decoder& decoder, std::optional<std::int64_t> usual, std::int64_t usual_period,
                  double base);

/// Says what the sections of rotary pairs are that images need, and which pairs ggml leaves out of them: text has one
/// position in all.
void note_sections(Keys& keys, Decoder& decoder);

/// A template: what an architecture's metadata mean.
struct Architecture {
  std::string_view name;
  Decoder (*read)(Keys& keys);
};

Decoder read_llama(Keys& keys);
Decoder read_qwen2(Keys& keys);
Decoder read_qwen2moe(Keys& keys);
Decoder read_qwen3(Keys& keys);
Decoder read_qwen3moe(Keys& keys);
Decoder read_qwen3vl(Keys& keys);
Decoder read_phi3(Keys& keys);
Decoder read_gemma(Keys& keys);
Decoder read_gemma2(Keys& keys);
Decoder read_gemma3(Keys& keys);
Decoder read_gpt2(Keys& keys);
Decoder read_bert(Keys& keys);
Decoder read_gemma4(Keys& keys);
Decoder read_gpt_oss(Keys& keys);
Decoder read_deepseek2(Keys& keys);
Decoder read_qwen35(Keys& keys);
Decoder read_qwen35moe(Keys& keys);

inline constexpr std::array all_architectures = {
    Architecture{"llama", read_llama},       Architecture{"qwen2", read_qwen2},
    Architecture{"qwen2moe", read_qwen2moe}, Architecture{"qwen3", read_qwen3},
    Architecture{"qwen3moe", read_qwen3moe}, Architecture{"qwen3vl", read_qwen3vl},
    Architecture{"phi3", read_phi3},         Architecture{"gemma", read_gemma},
    Architecture{"gemma2", read_gemma2},     Architecture{"gemma3", read_gemma3},
    Architecture{"gpt2", read_gpt2},         Architecture{"bert", read_bert},
    Architecture{"gpt-oss", read_gpt_oss},   Architecture{"deepseek2", read_deepseek2},
    Architecture{"qwen35", read_qwen35},     Architecture{"qwen35moe", read_qwen35moe},
    Architecture{"gemma4", read_gemma4}};

}  // namespace plumb::ir::formats::gguf::architectures
