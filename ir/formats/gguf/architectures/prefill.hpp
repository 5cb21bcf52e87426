#pragma once

#include "ir/formats/gguf/architectures/decoder.hpp"
#include "ir/formats/gguf/architectures/read_gguf.hpp"
#include "ir/formats/gguf/architectures/weights.hpp"

namespace plumb::ir::formats::gguf::architectures {

/// The tensors that a model has, held to their shapes; those of blocks that are left out are looked at, and not used.
void check_weights(const Decoder& decoder, const BlockRange& blocks, Weights& weights);

/// The graph of a run of s tokens over caches. All weights are as check_weights wants them.
GraphFile prefill_graph(const Decoder& decoder, const Weights& weights, const BlockRange& blocks,
                        const Options& options);

/// The graph of an encoder's run of s tokens.
GraphFile encode_graph(const Decoder& decoder, const Weights& weights, const BlockRange& blocks,
                       const Options& options);

/// Adds the input tokens, i32 [B, s], and where they come from.
void declare_tokens(GraphFile& file, const Options& options, std::int64_t vocabulary);

}  // namespace plumb::ir::formats::gguf::architectures
