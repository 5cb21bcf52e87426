// A small decoder of the Llama kind that takes a prompt of any length, and what must hold where prompts are padded.
#pragma once

#include <string>
#include <vector>

#include "ir/executor.hpp"
#include "ir/formats/graph_file.hpp"

namespace plumb::testing {

/// The decoder for prompts of so many rows: two layers with norms, rotary positions, grouped heads, gated units and a
/// static cache of 256 rows. Inputs are tokens, the number of those in use, the last one's place, and the caches, which
/// the prompt is written to from row 0 on; "logits" [1, 48] are those of the last token in use.
ir::formats::GraphFile prompt_decoder(std::int64_t rows);

/// Prompts of 1 to 200 tokens in buckets of 32, 64, 128 and 256 compile four graphs that share one Params. Each gives
/// the logits that `run` gives on an empty cache, bit by bit, though the cache is still full of the prompt before.
void expect_four_compiles_for_all_prompts(ir::Executor& executor);

/// The logits of prompts of these lengths agree in and out of their bucket, within the limits of both.
void expect_buckets_within_limits(ir::Executor& executor, const std::vector<std::int64_t>& lengths);

}  // namespace plumb::testing
